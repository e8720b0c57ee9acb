"""Progress of games on the standard error stream: a redrawn line on a terminal, else a line every 30 seconds."""

import sys
import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from w51_agents.console.terminal import StatusLine

_REDRAW_SECONDS = 0.5
_LOG_SECONDS = 30.0
_MAX_BAR = 24


class Progress:
    """Counts games and shows how many are played, the elapsed time and an estimate of the time left.

    Args:
        games: Number of all games.
        live: Redraw one line on a terminal; else print a line every 30 seconds.
    """

    def __init__(self, games: int, live: bool):
        self._games = games
        self._line = StatusLine(sys.stderr) if live else None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._played = 0
        self._stored = 0
        self._begun = time.monotonic()

    def advance(self, games: int, stored: bool = False) -> None:
        """Count games; `stored` ones were played before, and do not count for the time left."""
        self._played += games
        self._stored += games if stored else 0

    def text(self) -> str:
        """The progress as text: `1,200 / 4,000 games, 0:00:20 elapsed, 0:00:47 left`."""
        elapsed = time.monotonic() - self._begun
        parts = [f"{self._played:,} / {self._games:,} games", f"{timedelta(seconds=round(elapsed))} elapsed"]
        if played := self._played - self._stored:
            left = elapsed / played * (self._games - self._played)
            parts.append(f"{timedelta(seconds=round(left))} left")
        return ", ".join(parts)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()
        if self._line is not None:
            self._line.clear()

    def _repeat(self) -> None:
        while not self._stopped.wait(_REDRAW_SECONDS if self._line is not None else _LOG_SECONDS):
            if self._line is None:
                print(self.text(), file=sys.stderr, flush=True)
            else:
                text = self.text()
                self._line.show(f"{self._bar(self._line.columns - len(text) - 1)} {text}")

    def _bar(self, columns: int) -> str:
        length = max(0, min(columns, _MAX_BAR))
        done = length * self._played // self._games
        return "━" * done + "─" * (length - done)
