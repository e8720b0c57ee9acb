"""Processes: how they begin, without the working directory on the import path, how they end, cores and open files.

Python puts the working directory first on the path of a process that `multiprocessing` spawns, until the path of the
caller replaces it. A file there with the name of a module of the standard library would run, and may be untrusted.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path

from w51_agents.system.errors import reason_of
from w51_agents.system.stopping import started_deaf
from w51_env.engine.errors import FileError

_VARIABLE, _VALUE = "PYTHONSAFEPATH", "w51_env"  #  any value works; this one tells ours from the user's
_lock = threading.Lock()
_CGROUP = Path("/sys/fs/cgroup")


def spawn_context() -> SpawnContext:
    """The context of `multiprocessing` for all processes of this package.

    They are spawned, because a fork would copy the threads of PyTorch and Numba half.

    Raises:
        FileError: They cannot share a lock, as where `/dev/shm` cannot be written.
    """
    context = _Context()
    try:
        with _safe_path():
            resource_tracker.ensure_running()  # a process, too, which the first lock or process would start
            context.Lock()
    except (OSError, ImportError) as error:  # an ImportError where the system has no such locks
        reason = f"/dev/shm, in which processes share locks, cannot be written: {reason_of(error)}"
        raise FileError(f"workers: {reason}; play in one process, with --workers 1") from None
    return context


def kill_group(leader: int) -> None:
    """Kill the process group of a leader that was not waited for, so that its id is still its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def end_group(process: subprocess.Popen) -> None:
    """Kill a process that leads its group, and the group; it is waited for last, as until then its id is its own."""
    if process.returncode is None:
        kill_group(process.pid)
        process.kill()
        process.wait()


def open_files(more: int) -> tuple[int, int]:
    """How many files this process has open, and how many it may; that is raised for `more`, as far as is allowed.

    Where there is no such limit, as on Windows, it may open `sys.maxsize`.
    """
    try:
        import resource
    except ImportError:
        return 0, sys.maxsize
    used = sum(1 for _ in Path("/dev/fd").iterdir())
    allowed, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < used + more:
        allowed = used + more if hard == resource.RLIM_INFINITY else min(used + more, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return used, sys.maxsize if allowed == resource.RLIM_INFINITY else allowed


def exit_status(pid: int, seconds: float = 1.0) -> int | None:
    """The exit status of a child that ends within some time, negative for a signal; None if it goes on.

    The child is not waited for, so its id stays its own.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # it was waited for
            return None
        if ended is not None:
            return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        if time.monotonic() > until:
            return None
        time.sleep(0.005)


def name_of_signal(number: int) -> str:
    """`signal SIGKILL`; real-time signals have a number only."""
    try:
        return f"signal {signal.Signals(number).name}"
    except ValueError:
        return f"signal {number}"


class _Process(SpawnProcess):
    def start(self) -> None:
        with _safe_path():
            super().start()

    def run(self) -> None:
        if os.environ.get(_VARIABLE) == _VALUE:  # the scripts that this process starts need the folder they are in
            del os.environ[_VARIABLE]
        super().run()


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _safe_path() -> Iterator[None]:
    """A process that is started inside has neither the working directory nor a script's folder on its path."""
    with _lock:
        is_ours = not os.environ.get(_VARIABLE)
        if is_ours:
            os.environ[_VARIABLE] = _VALUE
        try:
            with started_deaf():
                yield
        finally:
            if is_ours:
                del os.environ[_VARIABLE]


def usable_cores() -> int:
    """Cores by affinity and, in a container, by its quota of processor time; at least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return cores if quota is None else max(1, min(cores, int(quota)))


def load_note() -> str | None:
    """A sentence for the start of long work if other processes keep the cores busy; None if they do not."""
    cores, load = usable_cores(), os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load < cores:
        return None
    return (
        f"This machine is loaded: about {load:.0f} other processes want its cores, and this one may use {cores}; "
        f"it will take about {(load + cores) / cores:.1f} times as long."
    )


def _quota() -> float | None:
    """Cores' worth of processor time of the control group (versions 2 and 1), or None without a limit."""
    for read in (_quota_v2, _quota_v1):
        try:
            return read()
        except (OSError, ValueError):
            continue
    return None


def _quota_v2() -> float | None:
    quota, period = (_CGROUP / "cpu.max").read_text("ascii").split()
    return None if quota == "max" else int(quota) / int(period)


def _quota_v1() -> float | None:
    quota, period = (int((_CGROUP / "cpu" / f"cpu.cfs_{name}_us").read_text("ascii")) for name in ("quota", "period"))
    return None if quota < 0 else quota / period
