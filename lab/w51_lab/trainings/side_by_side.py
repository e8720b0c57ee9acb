"""Many runs on the cores of this machine, a process with one thread each; the results are as one after the other."""

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from w51_agents.agent.interface import AgentError
from w51_agents.system.json_text import JsonObject
from w51_agents.system.processes import spawn_context, usable_cores
from w51_agents.system.stopping import stop_signals
from w51_agents.training.config import config_data, parse_config
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.threads import use_threads
from w51_lab.arena.workers import end_with, one_thread
from w51_lab.trainings.continued_runs import run_of
from w51_lab.trainings.curves import draw_curves

_SECONDS_BETWEEN_LINES = 10.0
_LOOK_SECONDS = 0.5


def train_side_by_side(
    runs: Mapping[Path, TrainingConfig],
    allow: list[str],
    show: Callable[[Path, int], None],
    should_stop: Callable[[], bool],
) -> bool:
    """Train the run of each folder to its end; False if `should_stop` asked to end before.

    Args:
        runs: The config of each, by its folder.
        allow: Names of code in the configs that may be imported.
        show: Called now and then with the folder of a run and its decisions.
        should_stop: Asked now and then; the runs then save and end.

    Raises:
        AgentError: A run cannot go on, or its process was killed.
    """
    context = spawn_context()
    stop, seen = context.Event(), context.Queue()
    pool = ProcessPoolExecutor(min(usable_cores(), len(runs)), context, _start, (os.getpid(), stop, seen))
    try:
        tasks = [pool.submit(_train, str(folder), config_data(config), allow) for folder, config in runs.items()]
        while wait(tasks, _LOOK_SECONDS, FIRST_EXCEPTION).not_done and not any(map(_has_failed, tasks)):
            if should_stop():
                stop.set()
            while not seen.empty():
                folder, decisions = seen.get()
                show(Path(folder), decisions)
        stop.set()  # where one has failed, the others save and end
        completed = [task.result() for task in tasks]
        return all(completed)
    except BrokenProcessPool:
        raise AgentError("a training was killed, perhaps for lack of memory; the same command goes on") from None
    except KeyboardInterrupt:  # again, while they save
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def _has_failed(task: Any) -> bool:
    return task.done() and task.exception() is not None


# ---- in the process of a run


_shared: Any = None


def _start(parent: int, *shared: Any) -> None:
    global _shared
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    for number in (signal.SIGINT, *stop_signals()):
        signal.signal(number, signal.SIG_IGN)  # the parent says when to stop
    _shared = shared
    one_thread()
    use_threads(1)


def _train(name: str, config: JsonObject, allow: list[str]) -> bool:
    """Train a run, or go on with it; whether it is complete."""
    stop, seen = _shared
    shown = time.monotonic()

    def show(update: Any, matches: Any) -> None:
        nonlocal shown
        if time.monotonic() - shown > _SECONDS_BETWEEN_LINES:
            seen.put((name, update.decisions))
            shown = time.monotonic()

    with run_of(parse_config(config, "of a run", allow), Path(name), allow) as run:
        run.train(show, stop.is_set)
        if run.updates:
            draw_curves(run)
        if run.complete:
            seen.put((name, run.trainer.decisions))
        return run.complete
