"""`w51`: its commands, and what it says of others."""

import subprocess
import sys

import pytest

from tests.commands import ROOT
from w51_env.commands import COMMANDS


def w51(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "w51_env", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"], ["-h"]])
def test_the_help_lists_all_commands(arguments):
    done = w51(*arguments)
    assert done.returncode == 0
    assert all(f"w51 {command} " in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples_under_its_name(command):
    done = w51(command, "--help")
    assert done.returncode == 0, done.stderr
    assert f"Usage: w51 {command}" in done.stdout


def test_an_unknown_command_is_an_error_that_names_the_nearest_one():
    done = w51("trian")
    assert done.returncode == 2
    assert done.stderr.startswith("error: w51 trian: no such command (did you mean 'train'?)")


def test_a_missing_package_is_named_with_the_extra_that_has_it():
    code = "import sys; sys.modules['typer'] = None; from w51_env.commands import main; main(['train'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: w51 train: pip install 'w51_env[train,arena,play]' (")
