"""What strangers send in the place of names, and a server in a folder that notices whom they reach."""

import copy
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.commands import ROOT, wait_for

SECRET = "the-secret-of-the-owner"
CODE = ("os:abort", "planted:make", "signal:pause", "planted:make,x=1", "mimic:planted:make>random,lots=1")
LONG = "@a number of 5,000 digits@"  # `encoded` writes it as one
SHAPES: tuple[Any, ...] = (LONG, [], 5, -(10**25), 1.5, None, True, {}, [[5]], "\ud800", {"os:abort": "planted:make"})
HIDDEN, MISSING = "cards_1.toml", "cards_2.toml"  # a file of the owner, and no file; cut off they are alike
_DIGEST = re.compile("[0-9a-f]{64}")
_PLANTED = "open('ran', 'a').write('imported')\ndef make(*a, **k): open('ran', 'a').write('called')\n"
_WATCH = f"""
import runpy, sys

def notice(event, arguments):
    if event == "open" and {HIDDEN!r} in str(arguments[0]):
        open("ran", "a").write(f"opened: {{arguments[0]}}\\n")

if __name__ == "__main__":
    sys.addaudithook(notice)
    sys.argv = sys.argv[2:]
    sys.path[:0] = {[str(ROOT / house) for house in ("", "agents", "lab", "table", "bridges")]!r}
    run = runpy.run_path if sys.argv[0].endswith(".py") else runpy.run_module
    run(sys.argv[0], run_name="__main__")
"""


class Trap:
    """A folder with a module that notices its import and a file of the owner, and a program that works there.

    Args:
        folder: The folder, which is made.
    """

    def __init__(self, folder: Path):
        folder.mkdir()
        self.folder, self._ran = folder, folder / "ran"
        (folder / "planted.py").write_text(_PLANTED)
        (folder / HIDDEN).write_text(f'name = "{SECRET}"\n')
        (folder / "watch.py").write_text(_WATCH)

    def texts(self, *, few: bool = False) -> tuple[str, ...]:
        """Names of code, and pairs of paths: of the file of the owner, then the same of no file."""
        folders = ("", f"{self.folder}/", "./", "open:")[: 1 if few else None]
        return (*CODE[: 2 if few else None], *(f"{before}{name}" for before in folders for name in (HIDDEN, MISSING)))

    def values(self, *, few: bool = False) -> tuple[Any, ...]:
        """The texts, and data of other shapes."""
        return (*self.texts(few=few), *SHAPES[: 3 if few else None])

    def command(self, program: str, *arguments: object) -> list[str]:
        """The command that runs a script of the repository, or a module, in the folder."""
        path = str(ROOT / program) if program.endswith(".py") else program
        return [sys.executable, str(self.folder / "watch.py"), "--", path, *map(str, arguments)]

    @contextmanager
    def running(self, program: str, *arguments: object, says: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
        """It runs: the process, and what follows `says` in the first line that has it."""
        printed = self.folder / "printed"
        with printed.open("w") as output:
            process = subprocess.Popen(
                self.command(program, *arguments), cwd=self.folder, stdout=output, stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip
        try:
            wait_for(lambda: says in printed.read_text() or process.poll() is not None)
            yield process, printed.read_text().partition(says)[2].split()[0]
        finally:
            process.kill()
            process.wait()

    def check(self, answers: Sequence[tuple[Any, str]], what: str) -> None:
        """AssertionError if something sent was imported, opened or told; `answers`: what was sent, what came back."""
        assert not self._ran.exists(), f"{what}: {self._ran.read_text()}"
        told = {}
        for sent, answer in answers:
            assert SECRET not in answer, f"{what}: {sent!r}"
            if isinstance(sent, str):
                told[sent] = answer
        for sent in filter(lambda sent: HIDDEN in sent, told):
            other = sent.replace(HIDDEN, MISSING)
            both = [_DIGEST.sub("", answer) for answer in (told[sent].replace(HIDDEN, MISSING), told[other])]
            refused = any('"error"' in answer for answer in both)  # else it has what is drawn, such as a token
            assert not refused or both[0] == both[1], f"{what}: tells whether {sent!r} exists"


def encoded(data: Any) -> str:
    """Plain data as JSON; Python itself writes no number of 5,000 digits."""
    return json.dumps(data).replace(json.dumps(LONG), "9" * 5000)


def changed(data: Any, values: Sequence[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Plain data with a value in the place of each part and of each key: what was changed, the value, the data."""
    for place in _places(data):
        for value in values:
            yield ".".join(map(str, place)), value, _with(data, place, value)
        if isinstance(place[-1], str):
            for value in filter(lambda value: isinstance(value, str), values):
                yield f"{'.'.join(map(str, place))} as a key", value, _with(data, place, value, as_key=True)


def _places(data: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield (*before, key)
        yield from _places(value, (*before, key))


def _with(data: Any, place: Sequence[Any], value: Any, *, as_key: bool = False) -> Any:
    made = copy.deepcopy(data)
    inner = made
    for key in place[:-1]:
        inner = inner[key]
    if as_key:
        inner[value] = inner[place[-1]]
    else:
        inner[place[-1]] = value
    return made
