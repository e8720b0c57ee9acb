"""The processes of `w51 train --processes N`: they are started, watched, stopped together, and none is left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import INTERRUPTED
from w51_agents.system.processes import end_group, name_of_signal, usable_cores
from w51_agents.system.stopping import stop_signals
from w51_agents.training.registry import trainer_spec
from w51_agents.training.settings import TrainingConfig
from w51_lab.arena.workers import end_with

RENDEZVOUS = "W51_RENDEZVOUS"  #  as of `w51_agents.training.ranks`, which imports PyTorch
PARENT = "W51_PARENT"  #  the process that watches
_GRACE_SECONDS = 5.0  #  after which ranks that one has left are killed
_LOOK_SECONDS = 0.1


def run_processes(count: int) -> int:
    """Run this command again in so many processes; the exit status.

    They meet by a file of a folder that nobody else can read, and listen at the loopback interface alone.

    Raises:
        AgentError: One of them was killed or has failed; the message has the command that continues, if there is one.
    """
    with TemporaryDirectory(prefix="w51-train-") as folder, ExitStack() as stack:
        ranks: list[subprocess.Popen[bytes]] = []
        stopped = stack.enter_context(_relayed(ranks))
        for number in range(count):
            errors = None if number == 0 else stack.enter_context(_errors_of(Path(folder), number).open("wb"))
            rank = subprocess.Popen(
                [sys.executable, *sys.orig_argv[1:]],
                env={**os.environ, **_environment(Path(folder), number, count)},
                stdin=subprocess.DEVNULL,
                stdout=None if number == 0 else subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
            stack.callback(end_group, rank)
            ranks.append(rank)
        first = _first_that_fails(ranks)
        if first is None:
            return 0
        _wait(ranks, _GRACE_SECONDS if ranks[first].returncode > 0 else 0.0)
        if stopped and ranks[0].returncode in (0, INTERRUPTED, *(-number for number in stopped), -signal.SIGTERM, None):
            return INTERRUPTED
        if (ranks[0].returncode or 0) > 0 and ranks[first].returncode > 0:
            return ranks[0].returncode  # it has said why
        raise AgentError(_why(Path(folder), first, ranks))


def processes_by_itself(config: TrainingConfig | None) -> int:
    """How many processes a training gets that nobody has told a number of processes or threads; 1: it has threads."""
    is_command = Path(sys.argv[0]).name in ("w51", "train.py")  # which can be started again
    if config is None or config.threads is not None or sys.platform != "linux" or not is_command:
        return 1
    if "WORLD_SIZE" in os.environ:  # `torchrun` has started this one
        return 1
    return min(usable_cores(), trainer_spec(config.trainer).processes(config))


def is_first_process() -> bool:
    """Whether this process is to start the others; AgentError if another program has started some already."""
    if RENDEZVOUS in os.environ:
        return False
    if int(os.environ.get("WORLD_SIZE") or 1) > 1 and "RANK" in os.environ:
        raise AgentError("--processes: torchrun has started this process as one of several; leave the option out")
    return True


def end_with_parent() -> None:
    """In a rank: end when the process that watches is gone."""
    if PARENT in os.environ:
        threading.Thread(target=end_with, args=(int(os.environ[PARENT]),), daemon=True).start()


def _environment(folder: Path, number: int, count: int) -> dict[str, str]:
    """As `torchrun` sets it."""
    numbers = {"RANK": number, "LOCAL_RANK": number, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count}
    known = {name: str(value) for name, value in numbers.items()}
    return known | {RENDEZVOUS: f"file://{folder}/meeting", PARENT: str(os.getpid())}


def _errors_of(folder: Path, number: int) -> Path:
    return folder / f"errors {number}"


def _first_that_fails(ranks: list[subprocess.Popen[bytes]]) -> int | None:
    """Wait until all have ended; or the number of the first that ends otherwise than well."""
    while True:
        ended = [rank.poll() for rank in ranks]
        failed = [number for number, status in enumerate(ended) if status]
        if failed:
            return min(failed, key=lambda number: (ranks[number].returncode > 0, number))
        if None not in ended:
            return None
        time.sleep(_LOOK_SECONDS)


def _wait(ranks: list[subprocess.Popen[bytes]], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(rank.poll() is None for rank in ranks):
        time.sleep(_LOOK_SECONDS)


def _why(folder: Path, number: int, ranks: list[subprocess.Popen[bytes]]) -> str:
    """What a rank has said last, or which signal has killed it; and how to go on."""
    status = ranks[number].returncode
    said = _errors_of(folder, number).read_text("utf-8", "replace").strip() if number else ""
    how = f"was killed by {name_of_signal(-status)}" if status < 0 else f"has ended with status {status}"
    text = f"process {number} of {len(ranks)} {how}, and the others were ended"
    if status > 0 and said:
        return f"{text}: {said.splitlines()[-1].removeprefix('error: ')}"
    resumption = folder / "resumption"
    if resumption.exists():
        text += f"; the last checkpoint is intact, continue with: {resumption.read_text('utf-8')}"
    return text


@contextmanager
def _relayed(ranks: list[subprocess.Popen[bytes]]) -> Iterator[list[int]]:
    """Inside, a signal that asks to stop is one for all ranks, which stop after their update; a list of these."""
    stopped: list[int] = []

    def relay(number: int, frame: FrameType | None) -> None:
        stopped.append(number)
        for rank in ranks:
            if rank.poll() is None:
                rank.send_signal(signal.SIGTERM if number == signal.SIGINT else number)

    former = {number: signal.signal(number, relay) for number in (signal.SIGINT, *stop_signals())}
    try:
        yield stopped
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
