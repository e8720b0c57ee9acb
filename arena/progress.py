"""How far a tournament has come: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_SECONDS = 30.0  #  between two lines


class LiveProgress:
    """A bar that is gone when all is played."""

    def __init__(self, games: int, console: Console):
        left = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
        self._bar = Progress(
            TextColumn("playing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("games"),
            *left,
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("games", total=games)

    def advance(self, games: int) -> None:
        """So many games more are there."""
        self._bar.advance(self._task, games)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


class PlainProgress:
    """Lines on the standard error stream, for logs."""

    def __init__(self, games: int):
        self._games = games
        self._played = 0
        self._begun = self._told = time.monotonic()

    def advance(self, games: int) -> None:
        """So many games more are there."""
        self._played += games
        now = time.monotonic()
        if now - self._told >= _SECONDS:
            self._told = now
            left = timedelta(seconds=round((now - self._begun) / self._played * (self._games - self._played)))
            print(f"{self._played:,} / {self._games:,} games, {left} left", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass
