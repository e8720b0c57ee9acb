"""Locks of folders, with a real second process."""

import subprocess
import sys
from pathlib import Path

from w51_env.system.files import hold_folder, release_folder

HOLD = """
import pathlib, sys
from w51_env.system.files import hold_folder
hold_folder(pathlib.Path(sys.argv[1]), "run")
"""


def is_free(folder: Path) -> bool:
    """Whether another process can lock the folder."""
    done = subprocess.run([sys.executable, "-c", HOLD, folder], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0 or f"run {folder}: another process uses it" in done.stderr
    return done.returncode == 0


def test_a_folder_that_is_held_twice_is_free_when_both_have_released_it(tmp_path):
    for _ in range(2):
        hold_folder(tmp_path, "run")
    assert not is_free(tmp_path)
    release_folder(tmp_path)
    assert not is_free(tmp_path)
    release_folder(tmp_path)
    assert is_free(tmp_path)


def test_a_folder_that_nobody_holds_can_be_released_and_held_again(tmp_path):
    hold_folder(tmp_path, "run")
    for _ in range(2):
        release_folder(tmp_path)
    hold_folder(tmp_path, "run")
    assert not is_free(tmp_path)
    release_folder(tmp_path)
    assert is_free(tmp_path)
