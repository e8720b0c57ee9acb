"""The progress display of training runs, and stopping them with Ctrl-C."""

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Self

from rich.console import Console

from w51_env.agents.training.run import MatchRow
from w51_env.agents.training.trainer import Update
from w51_env.console.terminal import StatusLine

_SECONDS_BETWEEN_LINES = 10.0  #  where the output is no terminal
_BAR_WIDTH = 16


@contextmanager
def stop_on_signal(console: Console) -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed or SIGTERM received; a second signal stops at once."""
    stopped: list[int] = []
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        for other, handler in former.items():
            signal.signal(other, handler)
        if console.is_terminal:
            StatusLine(console.file).clear()
        console.print("Stopping after this update; press Ctrl-C again to stop at once.", style="yellow")

    for number in former:
        signal.signal(number, stop)
    try:
        yield lambda: bool(stopped)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


class ProgressDisplay:
    """Progress of runs, after each update: on a terminal one line for each run, else a line every 10 s for each.

    A context; the lines on the terminal are erased at its end.

    Args:
        console: Where it is shown.
        sizes: For each run, by the name that is shown: the decisions already made, and the total.
    """

    def __init__(self, console: Console, sizes: Mapping[str, tuple[int, int]]):
        self._console = console
        self._sizes = dict(sizes)
        self._width = max(map(len, sizes))
        self._status = StatusLine(console.file)
        self._begun = dict.fromkeys(sizes, time.monotonic())
        self._printed = dict(self._begun)
        self._lines = {
            name: f"{self._label(name)} {bar(start, total)}  starting ..." for name, (start, total) in sizes.items()
        }

    def __enter__(self) -> Self:
        self._draw()
        return self

    def __exit__(self, *error: object) -> None:
        if self._console.is_terminal:
            self._status.clear()

    def begin(self, name: str) -> None:
        """Measure the time of a run from now on, as its process has started only now."""
        self._begun[name] = self._printed[name] = time.monotonic()

    def update(self, name: str, update: Update, matches: Sequence[MatchRow]) -> None:
        """Show the state of a run after an update and its last evaluation."""
        now = time.monotonic()
        start, total = self._sizes[name]
        rate = (update.decisions - start) / max(now - self._begun[name], 1e-9)
        status = status_of(update, matches, total, rate)
        self._lines[name] = f"{self._label(name)} {bar(update.decisions, total)}  {status}"
        if self._console.is_terminal:
            self._draw()
        elif now - self._printed[name] >= _SECONDS_BETWEEN_LINES:
            self._printed[name] = now
            label = f"{name}: " if len(self._sizes) > 1 else ""
            self._print(f"{label}{update.decisions:,} / {total:,} decisions  {status}")

    def note(self, name: str, text: str) -> None:
        """Show a text instead of the progress of a run."""
        self._lines[name] = f"{self._label(name)} {text}"
        if self._console.is_terminal:
            self._draw()
        else:
            self._print(f"{name}: {text}")

    def print(self, text: str) -> None:
        """Print a line above the progress."""
        if self._console.is_terminal:
            self._status.clear()
        self._print(text)
        self._draw()

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True, markup=False)

    def _label(self, name: str) -> str:
        return name.ljust(self._width)

    def _draw(self) -> None:
        if self._console.is_terminal:
            self._status.show(*self._lines.values())


def bar(decisions: int, total: int) -> str:
    """A progress bar as text: `[####............]  25%`."""
    done = min(1.0, decisions / total)
    filled = int(_BAR_WIDTH * done)
    return f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {done:4.0%}"


def status_of(update: Update, matches: Sequence[MatchRow], total: int, rate: float) -> str:
    """Throughput, time left and results of the learner in one line, the most important first.

    Args:
        update: The last update.
        matches: The matches of the last evaluation.
        total: Decisions of the whole run.
        rate: Decisions per second, evaluations included.
    """
    left = max(0, total - update.decisions) / max(rate, 1e-9)
    parts = [f"{rate:,.0f}/s", f"{duration(left)} left"]
    parts.append(f"win rate {update.win_rate:.1%}" if update.games else "no game finished yet")
    parts += [f"{row.win_rate:.1%} against {row.against} ({row.players} players)" for row in matches]
    parts += [f"return {update.mean_return:+.3f}"] * bool(update.games) + [f"entropy {update.entropy:.2f}"]
    return "  ".join(parts)


def duration(seconds: float) -> str:
    """A time as text: `1:05:00`, or `42 s`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
