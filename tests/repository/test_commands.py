"""`w51`: its commands, and what it says of others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, printed_by, python
from w51_agents.console.w51 import commands, main
from w51_env import make_game


def here(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints, run in this process."""
    with pytest.raises(SystemExit) as end:
        main([*arguments])
    assert not end.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["help"], ["-h"]])
def test_the_help_lists_all_commands(arguments, capsys):
    assert all(f"w51 {command} " in here(capsys, *arguments) for command in commands())


@pytest.mark.parametrize("command", commands())
def test_each_command_has_help_with_examples_under_its_name(command, capsys):
    assert f"Usage: w51 {command}" in here(capsys, command, "--help")


def test_an_unknown_command_is_an_error_that_names_the_nearest_one(capsys):
    with pytest.raises(SystemExit) as end:
        main(["trian"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("error: w51 trian: no such command (did you mean 'train'?)")


def test_a_reader_of_the_commands_may_have_seen_enough():
    nobody, end = os.pipe()
    os.close(nobody)
    done = subprocess.run([sys.executable, "-m", "w51_env", "--help"], stdout=end, stderr=subprocess.PIPE, cwd=ROOT)
    os.close(end)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_missing_package_is_named_with_the_extra_that_has_it():
    code = "import sys; sys.modules['typer'] = None; from w51_agents.console.w51 import main; main(['train'])"
    done = python("-c", code)
    assert done.returncode == 1
    assert done.stderr.startswith("error: w51 train: needs more packages: pip install 'w51_env[train,arena,play]' (")


GAME_HERE = "from tests.env.third_game import make"
COMMANDS_OF_GAMES = [
    ("evaluate", "shader", "random", "--games", "20"),
    ("dataset", "data", "shader", "random", "--games", "2", "--format", "parquet"),
    ("play", "export", "shader", "random", "shader", "game.txt"),
]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS_OF_GAMES, ids=lambda arguments: arguments[0])
def test_each_command_finds_a_game_in_the_working_folder(arguments: tuple[str, ...], tmp_path: Path):
    (tmp_path / "mine.py").write_text(GAME_HERE, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    printed_by("-P", "-m", "w51_env", *arguments, "--game", "mine:make", folder=tmp_path, env=environment)


def test_a_game_of_the_working_folder_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "game_here.py").write_text(GAME_HERE, "utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    assert make_game("game_here:make").id == "one_lot_v0"
