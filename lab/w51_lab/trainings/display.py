"""The progress display of a training run, and stopping them with Ctrl-C."""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Self

from rich.console import Console

from w51_agents.console.terminal import StatusLine, print_line
from w51_agents.system.stopping import is_repeated, leave_terminal, stop_signals
from w51_agents.training.ranks import ranks
from w51_agents.training.run import Run
from w51_agents.training.run_facts import MatchRow
from w51_agents.training.trainer import Update
from w51_env.engine.victory import decided_by
from w51_lab.report.values import result_of, result_text

_SECONDS_BETWEEN_LINES = 10.0  #  where the output is no terminal
_BAR_WIDTH = 16


@contextmanager
def stop_on_signal(console: Console) -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed, or a signal received that asks to stop.

    A second Ctrl-C or SIGTERM stops at once.
    """
    stopped: list[int] = []
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, *stop_signals())}

    def stop(number: int, frame: FrameType | None) -> None:
        leave_terminal()
        for other in {signal.SIGINT, number}:
            if not is_repeated(other):
                signal.signal(other, former[signal.Signals(other)])
        if not stopped:
            if console.is_terminal:
                StatusLine(console.file).clear()
            console.print("Stopping after this update; press Ctrl-C again to stop at once.", style="yellow")
        stopped.append(number)

    for number in former:
        signal.signal(number, stop)
    try:
        yield lambda: bool(stopped)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


class ProgressDisplay:
    """Progress of a run, after each update: on a terminal one line that is redrawn, else a line every 10 s.

    A context; the line on the terminal is erased at its end.
    """

    def __init__(self, console: Console, start: int, total: int, decides: str = "win"):
        self._console, self._decides = console, decides
        self._start, self._total = start, total
        self._status = StatusLine(console.file)
        self._begun = self._printed = time.monotonic()

    def __enter__(self) -> Self:
        self._draw(self._start, "starting ...")
        return self

    def __exit__(self, *error: object) -> None:
        if self._console.is_terminal:
            self._status.clear()

    def update(self, update: Update, matches: Sequence[MatchRow]) -> None:
        """Show the state of the run after an update and its last evaluation."""
        now = time.monotonic()
        rate = (update.decisions - self._start) / max(now - self._begun, 1e-9)
        status = status_of(update, matches, self._total, rate, self._decides)
        self._draw(update.decisions, status)
        if not self._console.is_terminal and now - self._printed >= _SECONDS_BETWEEN_LINES:
            self._printed = now
            text = f"{update.decisions:,} / {self._total:,} decisions  {status}"
            print_line(self._console, text)

    def _draw(self, decisions: int, status: str) -> None:
        if self._console.is_terminal:
            self._status.show(f"training {bar(decisions, self._total)}  {status}")


def bar(decisions: int, total: int) -> str:
    """A progress bar as text: `[####............]  25%`."""
    done = min(1.0, decisions / total)
    filled = int(_BAR_WIDTH * done)
    return f"[{'#' * filled}{'.' * (_BAR_WIDTH - filled)}] {done:4.0%}"


def status_of(update: Update, matches: Sequence[MatchRow], total: int, rate: float, decides: str = "win") -> str:
    """Throughput, time left and results of the learner in one line, the most important first."""
    left = max(0, total - update.decisions) / max(rate, 1e-9)
    count = ranks().count
    parts = [f"{rate:,.0f}/s" + f" of {count} processes" * (count > 1), f"{duration(left)} left"]
    won = (
        f"mean score {result_text(decides)(update.mean_score)}"
        if decides == "payoff"
        else f"win rate {update.win_rate:.1%}"
    )
    parts += [won] * bool(update.games)  # in pure self-play no game has a learner
    parts += [f"{_result(row)} against {row.against} ({row.players} players)" for row in matches]
    parts += [f"return {update.mean_return:+.3f}"] * bool(update.games)
    parts += [f"entropy {update.losses['entropy']:.2f}"] * ("entropy" in update.losses)
    return "  ".join(parts)


def _result(row: MatchRow) -> str:
    return ("" if row.decides == "win" else f"{result_of(row.decides)} ") + result_text(row.decides)(row.result)


def duration(seconds: float) -> str:
    """A time as text: `1:05:00`, or `42 s`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def train_and_save(run: Run, resumption: str, console: Console) -> None:
    """Train to the end or until Ctrl-C, with a progress display; write the checkpoint and the curves."""
    from w51_lab.trainings.curves import draw_curves

    progress = ProgressDisplay(console, run.trainer.decisions, run.config.decisions, decided_by(run.game))
    with stop_on_signal(console) as stopped, progress:
        run.train(progress.update, stopped)
    lines = []
    if run.updates and ranks().writes:
        draw_curves(run)
        throughput = run.trainer.decisions / max(run.seconds, 1e-9)
        lines.append(
            f"Trained for {run.trainer.decisions:,} decisions in {run.seconds:.0f} s: {throughput:,.0f} decisions/s"
        )
    if not run.complete:
        lines.append(f"Interrupted. The checkpoint is saved; continue with: {resumption}")
    for line in lines:
        print_line(console, line)


def print_files(folder: Path, console: Console) -> None:
    """Print the names of the files in the folder of a run, or of several runs."""
    print_line(console, f"All files   {', '.join(sorted(path.name for path in folder.glob('[!.]*')))} in {folder}")
