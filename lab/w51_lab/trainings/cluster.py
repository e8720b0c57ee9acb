"""Trainings on a Ray cluster, a core each: legs of one checkpoint, so that a machine that dies loses no more.

A leg is a task: it gets the files of a run, goes on with it for a while, and returns the files as they are then. Only
the process that waits for it writes to the folder of the run, so the machines need no folder in common.
"""

import socket
import time
from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from w51_agents.agent.interface import AgentError
from w51_agents.system.errors import needs_extra
from w51_agents.system.files import hold_folder, release_folder, write_atomic
from w51_agents.system.json_text import JsonObject
from w51_agents.training.config import config_data, parse_config
from w51_agents.training.run_facts import STATE
from w51_agents.training.settings import TrainingConfig
from w51_agents.training.threads import use_threads
from w51_lab.arena.ray_process import RETRIES, RayProcess, result_of
from w51_lab.arena.workers import one_thread
from w51_lab.trainings.continued_runs import run_of

with needs_extra("a cluster needs Ray", "ray"):
    import ray

_WAIT_SECONDS = 1.0


class Leg(NamedTuple):
    """What a leg returns: the machine, the files of the run by their names in its folder, and how far it has come."""

    machine: str
    files: dict[str, bytes]
    decisions: int
    is_complete: bool


def train_on_cluster(
    runs: Mapping[Path, TrainingConfig],
    address: str,
    allow: list[str],
    on_leg: Callable[[Path, Leg], None],
    should_stop: Callable[[], bool],
) -> bool:
    """Train the run of each folder to its end; False if `should_stop` asked to end before.

    Args:
        runs: The config of each, by its folder.
        address: As of `RayProcess`.
        allow: Names of code in the configs that may be imported.
        on_leg: Called after each leg, when the files are written.
        should_stop: Asked now and then; legs under way are lost.

    Raises:
        AgentError: There is no cluster, a run cannot go on, or another process has its folder.
    """
    process = RayProcess(address)
    try:
        for folder, config in runs.items():
            folder.mkdir(parents=True, exist_ok=True)
            hold_folder(folder, "run")
            process.call(_submit, str(folder), config_data(config), allow, _files_in(folder))
        left = dict(runs)
        while left and not should_stop():
            for name, leg in process.call(_ended):
                folder = Path(name)
                if isinstance(leg, AgentError):
                    raise leg
                _write(folder, leg.files)
                on_leg(folder, leg)
                if leg.is_complete:
                    del left[folder]
                else:
                    process.call(_submit, name, config_data(runs[folder]), allow, leg.files)
        return not left
    finally:
        process.close()
        for folder in runs:
            release_folder(folder)


def _files_in(folder: Path) -> dict[str, bytes]:
    """The files of a run; none if it has no checkpoint yet."""
    if not (folder / STATE).is_file():
        return {}
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files, the state last: what it does not know of is written anew from it."""
    for name, content in sorted(files.items(), key=lambda item: item[0] == STATE):
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise AgentError(f"run {folder}: a machine has sent a file {name!r} elsewhere")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, partial(Path.write_bytes, data=content))


# ---- in the process that is connected to the cluster


_running: dict[Any, str] = {}


def _submit(name: str, *arguments: Any) -> None:
    task: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(_leg)
    _running[task.remote(Path(name).name, *arguments)] = name


def _ended() -> list[tuple[str, Leg | AgentError]]:
    """The folders whose legs have ended within a moment, and what these returned."""
    ended, _ = ray.wait(list(_running), num_returns=len(_running), timeout=_WAIT_SECONDS)
    return [(_running.pop(reference), result_of(reference, "training on the cluster")) for reference in ended]


# ---- the machines of the cluster


def _leg(name: str, config: JsonObject, allow: list[str], files: dict[str, bytes]) -> Leg:
    """Go on with a run until the next checkpoint is due, in a folder of this machine."""
    one_thread()
    use_threads(1)
    settings = parse_config(config, "of the cluster", allow)
    until = time.monotonic() + 60 * settings.checkpoint_minutes
    with TemporaryDirectory(prefix="w51-leg-") as temporary, chdir(temporary):
        folder = Path(settings.runs if not Path(settings.runs).is_absolute() else "runs") / name
        _write(folder, files) if files else None
        with run_of(settings.model_copy(update={"runs": str(folder.parent)}), folder, allow) as run:
            run.train(lambda update, matches: None, lambda: time.monotonic() > until)
            files = _files_in(run.folder)
            return Leg(socket.gethostname(), files, run.trainer.decisions, run.complete)
