"""The progress display of a training run, and stopping it with Ctrl-C."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from rich.console import Console

from w51_env.agents.terminal import StatusLine
from w51_env.agents.training.run import MatchRow, Run
from w51_env.agents.training.trainer import Update

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


@contextmanager
def progress_display(run: Run, console: Console) -> Iterator[Callable[[Update, Sequence[MatchRow]], None]]:
    """Yield a function that shows the progress after an update: one line on a terminal, else a line every 10 s."""
    printed = begun = time.monotonic()
    start, total = run.trainer.decisions, run.config.decisions
    line = StatusLine(console.file)
    if console.is_terminal:
        line.show(f"{bar(start, total)}  first update ...")

    def show(update: Update, matches: Sequence[MatchRow]) -> None:
        nonlocal printed
        now = time.monotonic()
        rate = (update.decisions - start) / max(now - begun, 1e-9)
        if console.is_terminal:
            line.show(f"{bar(update.decisions, total)}  {status_of(update, matches, total, rate)}")
        elif now - printed >= _SECONDS_BETWEEN_LINES:
            printed = now
            text = f"{update.decisions:,} / {total:,} decisions  {status_of(update, matches, total, rate)}"
            console.print(text, highlight=False, soft_wrap=True, markup=False)

    try:
        yield show
    finally:
        if console.is_terminal:
            line.clear()


def bar(decisions: int, total: int) -> str:
    """A progress bar as text: `training [####............]  25 %`."""
    done = min(1.0, decisions / total)
    filled = int(_BAR_WIDTH * done)
    return f"training [{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {done:4.0%}"


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
