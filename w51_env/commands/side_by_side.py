"""Training runs side by side: one process each, one progress display, one stop for all; then their evaluation."""

import logging
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from rich.console import Console

from w51_env.agents.training.run import Run
from w51_env.agents.training.settings import TrainingConfig
from w51_env.arena.evaluation import BaselineMatches
from w51_env.commands.training_display import ProgressDisplay, stop_on_signal
from w51_env.core.errors import W51Error
from w51_env.report.curves import draw_curves
from w51_env.report.evaluation import evaluate
from w51_env.system.processes import spawn_context

_SECONDS_BETWEEN_LOOKS = 0.2  #  at signals, while no process reports anything
_SECONDS_TO_END = 10.0


@dataclass
class _Worker:
    """The process of a run, as the first process sees it.

    Attributes:
        process, connection: The process and the connection to it; None once the process has closed it.
        folder: Folder of the run, once it is made.
        complete: Whether the run was trained to its end and evaluated.
        error: What ended it early.
    """

    process: SpawnProcess
    connection: Connection | None
    folder: Path | None = None
    complete: bool = False
    error: str | None = None


@dataclass
class SideBySide:
    """Runs that were trained side by side.

    Attributes:
        folders: Folder of each run that was begun, by name.
        complete: Whether all runs are trained and evaluated.
        errors: What ended runs early; each error once.
    """

    folders: dict[str, Path] = field(default_factory=dict)
    complete: bool = False
    errors: list[str] = field(default_factory=list)


def train_side_by_side(configs: Mapping[str, TrainingConfig], console: Console) -> SideBySide:
    """Train and evaluate each config in a process of its own, and show the progress of all.

    Ctrl-C, SIGTERM or an error in one stops all after their current update, with their checkpoints; a second Ctrl-C
    stops all at once. If this process is killed, the others stop after their current update.

    Args:
        configs: The configs, by the names that are shown.
        console: Where the progress is shown.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed a second time.
    """
    workers = {name: _start(config) for name, config in configs.items()}
    sizes = {name: (0, config.decisions) for name, config in configs.items()}
    try:
        with stop_on_signal(console) as stopped, ProgressDisplay(console, sizes) as display:
            _watch(workers, display, stopped)
    finally:
        for worker in workers.values():
            worker.process.terminate()
        for worker in workers.values():
            worker.process.join(_SECONDS_TO_END)
    return SideBySide(
        {name: worker.folder for name, worker in workers.items() if worker.folder is not None},
        all(worker.complete for worker in workers.values()),
        list(dict.fromkeys(worker.error for worker in workers.values() if worker.error is not None)),
    )


def _start(config: TrainingConfig) -> _Worker:
    context = spawn_context()
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(config, theirs), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _watch(workers: Mapping[str, _Worker], display: ProgressDisplay, stopped: Callable[[], bool]) -> None:
    """Show what the processes report until all have ended."""
    names = {worker.connection: name for name, worker in workers.items()}
    notes: set[str] = set()
    told_to_stop = False
    while open_connections := [worker.connection for worker in workers.values() if worker.connection is not None]:
        for connection in wait(open_connections, _SECONDS_BETWEEN_LOOKS):
            name = names[connection]  # type: ignore[index]
            _receive(name, workers[name], display, notes)
        if not told_to_stop and (stopped() or any(worker.error for worker in workers.values())):
            told_to_stop = True
            for worker in workers.values():
                if worker.connection is not None:
                    with suppress(OSError):
                        worker.connection.send("stop")


def _receive(name: str, worker: _Worker, display: ProgressDisplay, notes: set[str]) -> None:
    """Take one report of a process."""
    assert worker.connection is not None
    try:
        report: tuple[Any, ...] = worker.connection.recv()
    except (EOFError, OSError):
        worker.connection = None
        worker.process.join(_SECONDS_TO_END)
        if worker.process.exitcode != 0 and worker.error is None:
            worker.error = f"{name}: its process ended with status {worker.process.exitcode}"
        return
    match report:
        case "begun", folder:
            worker.folder = folder
            display.begin(name)
        case "update", update, matches:
            display.update(name, update, matches)
        case "note", text:
            display.note(name, text)
        case "log", text:  # all processes may log the same
            if text not in notes:
                notes.add(text)
                display.print(text)
        case "complete", _:
            worker.complete = True
            display.note(name, "trained and evaluated")
        case "error", text:
            worker.error = text


def _work(config: TrainingConfig, connection: Connection) -> None:
    """Train and evaluate in this process; report everything through the connection, which is also told when to stop."""

    def report(kind: str, *facts: object) -> None:
        with suppress(OSError):  # the first process is gone: `poll` is true from then on, so the run is saved and ends
            connection.send((kind, *facts))

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes; the first one decides
    logging.getLogger("w51_env").addHandler(_Reporting(report))
    try:
        with Run.begin(config, BaselineMatches) as run:
            report("begun", run.folder)
            run.train(lambda update, matches: report("update", update, matches), connection.poll)
            if run.updates:
                draw_curves(run)
            if run.complete:
                report("note", "playing against the bots ...")
                evaluate(run, Console(quiet=True))
                report("complete", True)
    except W51Error as error:
        report("error", str(error))
    except OSError as error:
        report("error", f"a file could not be written: {error}")


class _Reporting(logging.Handler):
    """Reports what is logged."""

    def __init__(self, report: Callable[..., None]):
        super().__init__()
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        self._report("log", record.getMessage())
