"""Progress of games on the standard error stream: a redrawn line on a terminal, else a line every 30 seconds."""

import sys
import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from w51_agents.console.terminal import StatusLine
from w51_lab.arena.spending import SpendingLimit

_REDRAW_SECONDS = 0.5
_LOG_SECONDS = 30.0
_MAX_BAR = 24


class Progress:
    """Counts games and shows how many are played, the time and what language models use, each with an estimate.

    Args:
        games: Number of all games.
        live: Redraw one line on a terminal; else print a line every 30 seconds, and after the first game of models.
        limit: Knows what language models have used; None: there are none.
    """

    def __init__(self, games: int, live: bool, limit: SpendingLimit | None = None):
        self._limit = limit
        self._games = games
        self._line = StatusLine(sys.stderr) if live else None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._played = 0
        self._stored = 0
        self._begun = time.monotonic()

    def advance(self, games: int, stored: bool = False) -> None:
        """Count games; `stored` ones were played before, and do not count for the time left."""
        is_first = self._played == self._stored and not stored
        self._played += games
        self._stored += games if stored else 0
        if is_first and self._line is None and self._limit is not None and self._limit.spent[1]:
            print(self.text(), file=sys.stderr, flush=True)

    def expect(self, games: int) -> None:
        """So many games seem to be needed in all."""
        self._games = max(self._played, games)

    def text(self) -> str:
        """The progress as text: `1,200 / 4,000 games, 0:00:20 elapsed, 0:00:47 left`; tokens and cost of all games."""
        elapsed = time.monotonic() - self._begun
        parts = [f"{self._played:,} / {self._games:,} games", f"{timedelta(seconds=round(elapsed))} elapsed"]
        if played := self._played - self._stored:
            left = elapsed / played * (self._games - self._played)
            parts.append(f"{timedelta(seconds=round(left))} left")
        cost, tokens = self._limit.spent if self._limit is not None else (0.0, 0.0)
        if self._played and tokens:
            rest = self._games / self._played
            parts.append(f"{tokens:,.0f} of about {tokens * rest:,.0f} tokens")
            parts += [f"cost {cost:,.2f} of about {cost * rest:,.2f}"] if cost else []
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
