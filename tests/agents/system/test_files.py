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
from w51_env.engine.errors import FileError
for folder in sys.argv[1:]:
    try:
        hold_folder(pathlib.Path(folder), "run")
        print("free")
    except FileError as error:
        print(error)
"""


def test_a_file_that_is_replaced_stays_whole_for_who_has_opened_it(tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("old")
    with path.open() as opened:
        write_atomic(path, lambda temporary: temporary.write_text("new"))
        assert opened.read() == "old"
    assert path.read_text() == "new"


def are_free(*folders: Path) -> list[bool]:
    """Which of the folders another process can lock."""
    done = subprocess.run([sys.executable, "-c", HOLD, *folders], stdout=subprocess.PIPE, text=True, check=True)
    lines = dict(zip(folders, done.stdout.splitlines(), strict=True))
    assert all(line in ("free", f"run {folder}: another process uses it") for folder, line in lines.items())
    return [line == "free" for line in lines.values()]


def test_a_folder_is_free_when_it_was_released_as_often_as_it_was_held(tmp_path):
    """H: hold, R: release. A release of a folder that nobody holds does not count."""
    held = {"HH": False, "HHR": False, "HHRR": True, "HRRH": False, "HRRHR": True}
    folders = [tmp_path / calls for calls in held]
    for folder in folders:
        folder.mkdir()
        for call in folder.name:
            hold_folder(folder, "run") if call == "H" else release_folder(folder)
    assert are_free(*folders) == list(held.values())


def make(parent: Path) -> str:
    return new_folder(parent, "one", "run", ("config.yaml", "parts")).name


def test_a_folder_that_a_process_left_before_there_was_anything_to_resume_is_used(tmp_path):
    lefts = [], [".lock"], [".lock", ".unfinished-x", "config.yaml"], [".lock", "parts/a/state"]
    folders = [tmp_path / str(number) / "one" for number in range(len(lefts))]
    for folder, left in zip(folders, lefts, strict=True):
        folder.mkdir(parents=True)
        for path in (folder / name for name in left):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        assert make(folder.parent) == "one"
        assert [path.name for path in folder.iterdir()] == [".lock"]
    assert not any(are_free(*folders))


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
