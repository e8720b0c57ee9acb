"""Runs train.py, evaluate.py and other scripts as programs, as a user does."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import typer

ROOT = Path(__file__).resolve().parent.parent
COMPILING = "w51_env: compil"


def start(*arguments: object, folder: Path = ROOT, errors: int | IO[str] = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start a script of the repository's root in `folder`; `errors` gets its error stream."""
    program, *others = arguments
    return subprocess.Popen(
        [sys.executable, str(ROOT / str(program)), *map(str, others)],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )


def run(*arguments: object, folder: Path = ROOT) -> tuple[int, str, str]:
    """Exit status, output and errors of a script, without the lines about a compilation."""
    process = start(*arguments, folder=folder)
    printed, errors = process.communicate(timeout=300)
    return (
        process.returncode,
        printed,
        "".join(line for line in errors.splitlines(keepends=True) if COMPILING not in line),
    )


def paste(printed: str, folder: Path) -> tuple[int, str]:
    """Run the command line that a program printed after `continue with: `; exit status and all that it prints."""
    line = re.findall(r"continue with: (.*)", printed)[-1]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        line, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


def python(*arguments: object, folder: Path = ROOT, **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments; the result has its status and all that it prints."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600, **settings)


def printed_by(*arguments: object, **settings: Any) -> str:
    """What Python prints with these arguments, as `python` runs it; AssertionError with its errors if it fails."""
    done = python(*arguments, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


def invoke(app: "typer.Typer", *arguments: object) -> tuple[int, str, str]:
    """Exit status, output and errors of a command in this process; an exception that it does not handle is raised."""
    from typer.testing import CliRunner

    found = CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(argument) for argument in arguments])
    if found.exception and not isinstance(found.exception, SystemExit):
        raise found.exception
    return found.exit_code, found.stdout, found.stderr


def succeeded(result: tuple[int, str, str]) -> tuple[str, str]:
    """What a command has printed, and its messages; AssertionError with these if it has failed."""
    status, printed, errors = result
    assert status == 0, errors
    return printed, errors


def refused(result: tuple[int, str, str], *messages: str) -> str:
    """The errors of a command that has refused its input in words, with these messages among them."""
    status, _, errors = result
    assert status == 2, errors
    assert "Traceback" not in errors
    for message in messages:
        assert message in errors
    return errors


def wait_for(happened: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait until `happened()`; AssertionError after `seconds`."""
    begun = time.monotonic()
    while not happened():
        assert time.monotonic() - begun < seconds, "it did not happen"
        time.sleep(0.05)
