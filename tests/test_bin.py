"""The commands in bin/ say in plain words what a machine lacks, before they change anything."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def clone(tmp_path):
    """A folder with what bin/set_up looks at, and no .venv."""
    shutil.copytree(ROOT / "bin", tmp_path / "bin")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def interpreter(folder: Path, name: str, without: str) -> Path:
    """This Python under another name; any question that has `without` in it fails."""
    path = folder / name
    path.write_text(f'#!/bin/sh\ncase "$*" in *"{without}"*) exit 1;; esac\nexec "{sys.executable}" "$@"\n', "utf-8")
    path.chmod(0o755)
    return path


def set_up(folder: Path, python: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["bash", "bin/set_up"], cwd=folder, env={**os.environ, "PYTHON": str(python)}, capture_output=True, text=True
    )


def test_a_python_that_is_too_old_is_named_with_its_version(clone):
    old = interpreter(clone, "python3.9", without="sys.exit(not (3, 11)")
    result = set_up(clone, old)
    assert result.returncode == 1
    assert "Python 3.11, 3.12 or 3.13 is needed" in result.stderr
    assert f"{old} is {sys.version_info[0]}.{sys.version_info[1]}" in result.stderr
    assert not (clone / ".venv").exists()


def test_a_python_that_is_not_there_is_named(clone):
    result = set_up(clone, "python-of-nowhere")
    assert result.returncode == 1
    assert "none was found as python-of-nowhere" in result.stderr


def test_a_python_without_venv_is_told_what_to_install(clone):
    result = set_up(clone, interpreter(clone, "python3.12", without="ensurepip"))
    assert result.returncode == 1
    assert "sudo apt-get install python3.12-venv" in result.stderr
    assert not (clone / ".venv").exists()


def test_a_second_run_repeats_no_set_up_until_what_it_depends_on_changes(clone):
    (clone / ".venv" / "bin").mkdir(parents=True)
    python = clone / ".venv" / "bin" / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in "-m pip install"*) echo installing; exit 0;; esac\nexec "{sys.executable}" "$@"\n',
        "utf-8",
    )
    python.chmod(0o755)
    first, second = set_up(clone, sys.executable), set_up(clone, sys.executable)
    assert "installing" in first.stdout
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")
    with (clone / "constraints.txt").open("a", encoding="utf-8") as file:
        file.write("# another version\n")
    assert "installing" in set_up(clone, sys.executable).stdout


def test_a_failed_installation_says_so_and_is_tried_again(clone):
    (clone / ".venv" / "bin").mkdir(parents=True)
    interpreter(clone / ".venv" / "bin", "python", without="-m pip install")
    for _ in range(2):
        result = set_up(clone, sys.executable)
        assert result.returncode == 1
        assert "The packages could not be installed" in result.stderr
