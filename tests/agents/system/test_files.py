"""Whole files; locks of folders, with a real second process; new folders, and those that a killed process left."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from w51_agents.system.files import hold_folder, new_folder, release_folder, write_atomic
from w51_env.engine.errors import FileError

HOLD = """
import pathlib, sys
from w51_agents.system.files import hold_folder
hold_folder(pathlib.Path(sys.argv[1]), "run")
"""


def test_a_file_that_is_replaced_stays_whole_for_who_has_opened_it(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("old")
    with path.open() as opened:
        write_atomic(path, lambda temporary: temporary.write_text("new"))
        assert opened.read() == "old"
    assert path.read_text() == "new"


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


def make(parent: Path) -> str:
    return new_folder(parent, "one", "run", ("config.yaml", "parts")).name


@pytest.mark.parametrize("left", [[], [".lock"], [".lock", ".unfinished-x", "config.yaml"], [".lock", "parts/a/state"]])
def test_a_folder_that_a_process_left_before_there_was_anything_to_resume_is_used(left, tmp_path):
    (tmp_path / "one").mkdir()
    for path in (tmp_path / "one" / name for name in left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert make(tmp_path) == "one"
    assert [path.name for path in (tmp_path / "one").iterdir()] == [".lock"]
    assert not is_free(tmp_path / "one")


@pytest.mark.parametrize("left", ["state", "notes.txt", "config.yaml", ".lock state", ".lock config.yaml checkpoint"])
def test_a_folder_with_anything_else_is_left_as_it_is(left, tmp_path):
    (tmp_path / "one").mkdir()
    for name in left.split():
        (tmp_path / "one" / name).write_text("kept")
    assert make(tmp_path) == "one-2"
    assert {path.name: path.read_text() for path in (tmp_path / "one").iterdir()} == dict.fromkeys(left.split(), "kept")


def test_neither_a_link_nor_a_file_nor_a_folder_in_use_is_a_new_folder(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "one").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "one-2").touch()
    (tmp_path / "one-3").mkdir()
    hold_folder(tmp_path / "one-3", "run")
    assert make(tmp_path) == "one-4"


def test_threads_that_make_folders_at_once_get_one_each(tmp_path):
    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(make, [tmp_path] * 40))) == 40


def test_a_lock_that_is_a_link_makes_no_file_elsewhere(tmp_path):
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileError, match="cannot be written"):
        hold_folder(tmp_path, "run")
    assert not (tmp_path / "elsewhere").exists()
