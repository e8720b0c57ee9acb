"""How a run shows itself while it goes on, and how it is asked to stop."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from agents.training.run import MatchRow, Run
from agents.training.trainer import Update

_SECONDS_BETWEEN_LINES = 10.0  #  where the output is no terminal


@contextmanager
def stop_on_signal(console: Console) -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C (or a polite kill) came; a second one interrupts at once."""
    stopped: list[int] = []
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        for other, handler in former.items():
            signal.signal(other, handler)
        console.print("Stopping after this update; again to stop at once.", style="yellow")

    for number in former:
        signal.signal(number, stop)
    try:
        yield lambda: bool(stopped)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def progress_display(run: Run, console: Console) -> Iterator[Callable[[Update, Sequence[MatchRow]], None]]:
    """A line that shows how training stands; on a terminal it is redrawn, else printed now and then."""
    columns = (
        TextColumn("training"),
        BarColumn(bar_width=16),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
    )
    printed = begun = time.monotonic()
    start = run.trainer.decisions
    with Progress(*columns, console=console, disable=not console.is_terminal, refresh_per_second=4) as progress:
        task = progress.add_task("training", total=run.config.decisions, completed=start, text="")

        def show(update: Update, matches: Sequence[MatchRow]) -> None:
            nonlocal printed
            now = time.monotonic()
            text = tell(update, matches, run.config.decisions, (update.decisions - start) / max(now - begun, 1e-9))
            progress.update(task, completed=min(update.decisions, run.config.decisions), text=text)
            if not console.is_terminal and now - printed >= _SECONDS_BETWEEN_LINES:
                printed = now
                console.print(text, highlight=False, soft_wrap=True)

        yield show


def tell(update: Update, matches: Sequence[MatchRow], total: int, pace: float) -> str:
    """How training stands, in a line; `pace` is in decisions a second, all pauses counted in."""
    left = max(0, total - update.decisions) / max(pace, 1e-9)
    parts = [
        f"{update.decisions:,} / {total:,} decisions",
        f"{pace:,.0f}/s",
        f"return {update.mean_return:+.3f}",
        f"entropy {update.entropy:.2f}",
        f"win rate {update.win_rate:.1%}",
    ]
    parts += [f"{row.win_rate:.1%} of {row.players} against {row.against}" for row in matches]
    return ", ".join([*parts, f"{duration(left)} left"])


def duration(seconds: float) -> str:
    """Such as `1:05:00`, or `42 s`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
