"""Output of the commands on a terminal: errors, how to go on, lines that are redrawn."""

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.text import Text

from w51_env.engine.plain_data import is_clear

_ERASE = "\r\x1b[J"  #  to the start of the line; erase from there to the end of the screen
_UP = "\x1b[A"
_DEFAULT_COLUMNS = 80
FORFEITED = 3  #  exit status of a tournament in which a language model failed to make too many of its decisions
SPENT = 4  #  exit status of a tournament in which language models have used as much as they may
INTERRUPTED = 130  #  exit status of a program that Ctrl-C ended


def command(name: str) -> str:
    """How to start a command again: `python train.py` if this script is running, else `w51 train`."""
    return f"python {name}.py" if Path(sys.argv[0]).name == f"{name}.py" else f"w51 {name}"


def resume_command(name: str, folder: Path, code: Iterable[str] = (), trust: bool = False) -> str:
    """The command line that continues what is in a folder, to be pasted into a shell.

    Args:
        name: The command: `train`, `evaluate`, `play terminal`.
        folder: The folder, or the file.
        code: Names of third-party code that the folder names; it needs `--allow`.
        trust: Whether the folder needs `--trust`.
    """
    script, (first, *others) = Path(sys.argv[0]), name.split()
    program = ["python", str(script)] if script.name == f"{first}.py" else ["w51", first]
    allowed = [word for each in code for word in ("--allow", each)]
    return shlex.join([*program, *others, "--resume", str(folder), *allowed, *["--trust"] * trust])


def print_line(console: Console, text: str) -> None:
    """Print a text as it is: not wrapped, without markup and colours of numbers."""
    console.print(text, soft_wrap=True, markup=False, highlight=False)


def print_error(error: Exception) -> None:
    """Print a message to the standard error stream as it is, without markup such as that of `.[sb3]`."""
    Console(stderr=True).print(Text.assemble(("error: ", "red"), printable(str(error))), soft_wrap=True)


def printable(text: str) -> str:
    r"""A text without characters on which a terminal acts or that it cannot show; lines stay lines.

    Names and messages may come from others. `\x1b` stands for an escape character, `\udcff` for a byte that is no
    UTF-8.
    """
    return "".join(
        letter if is_clear(letter) or letter == "\n" else letter.encode("unicode_escape").decode() for letter in text
    )


class StatusLine:
    """Lines at the cursor of a terminal, redrawn in place. Parts of a line are set apart by two spaces; the last ones
    are left out where the terminal is too narrow.

    The cursor stays at the start of the first line. So if a smaller terminal wraps the lines, the next call erases all
    of them.
    """

    def __init__(self, stream: IO[str]):
        self._stream = stream

    @property
    def columns(self) -> int:
        """Number of characters that fit."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns - 1
        except (OSError, ValueError):
            return _DEFAULT_COLUMNS - 1

    def show(self, *lines: str) -> None:
        """Replace the lines."""
        columns = self.columns
        text = "\n".join(_shortened(line, columns) for line in lines)
        self._stream.write(f"{_ERASE}{text}{_UP * (len(lines) - 1)}\r")
        self._stream.flush()

    def clear(self) -> None:
        """Erase the lines."""
        self._stream.write(_ERASE)
        self._stream.flush()


def _shortened(line: str, columns: int) -> str:
    if len(line) <= columns:
        return line
    return line[: columns + 2].rpartition("  ")[0] or line[:columns]
