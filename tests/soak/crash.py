"""Crash consistency: training and tournaments die or fail at a chosen system call, are resumed, and end the same.

The calls are those that change files in the folder of the run: opening to write, renaming, removing, making folders,
changing modes, and flushing to disk. Python reports them before they happen (audit events), and the process then kills
itself, gets an error, or gets a signal. Writes themselves are cut by a limit on the size of files.
"""

import errno
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.soak.forks import Forks
from tests.soak.record import Budget, ProofError

FILE_EVENTS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.fsync"}
MAX_SECONDS = 120  #  for one program, which takes a few
DIED = 137  #  exit status after kill -9, as a shell reports it


@dataclass(frozen=True)
class Fault:
    """What happens to a process.

    Attributes:
        kind: `kill`, `disk full`, `read-only`, `sigterm`, `two ctrl-c`; or, with a limit on the size of files, `torn
            write` (killed within a write) and `file too large` (an error within a write).
        at: Number of the system call, from 0; for the last two kinds the limit in bytes.
        where: The call, the folder and the kind of file, as in `os.rename replays/*.json`: faults at equal places are
            alike. For the last two kinds the limit as a part of the largest file.
    """

    kind: str
    at: int
    where: str = ""


AT_CALLS = ("kill", "disk full", "read-only", "sigterm", "two ctrl-c")
AT_BYTES = ("torn write", "file too large")
_ERRORS = {"disk full": errno.ENOSPC, "read-only": errno.EROFS}


@dataclass(frozen=True)
class Job:
    """A program whose work is kept in a folder.

    Attributes:
        name: For messages.
        begin, resume: The arguments of a new start, and of one that continues, given the folder.
        main: Runs the program with arguments; ends with SystemExit.
        outcome: What must be equal at the end, read from the folder.
        has_begun: Whether the folder can be resumed.
    """

    name: str
    main: Callable[[list[str]], None]
    begin: Callable[[Path], list[str]]
    resume: Callable[[Path], list[str]]
    outcome: Callable[[Path], Any]
    has_begun: Callable[[Path], bool]


def crash(jobs: list[Job], trials: int | None, minutes: float | None, seed: int, workers: int = 1) -> dict[str, Any]:
    """Every fault at every call until the time is up: first one fault of each kind at each place, then all others.

    Args:
        jobs: The programs.
        trials: Number of faults; None: all.
        minutes: Time limit.
        seed: Order of the faults, which is random otherwise.
        workers: Faults at a time.

    Returns:
        Counts of places, of faults by kind, and what the programs did: died, ended with an error message, or ended
        well.

    Raises:
        ProofError: Work was lost, the end differs, or a traceback was printed.
    """
    folder = Path(tempfile.mkdtemp(prefix="soak_"))
    references = {}
    faults: list[tuple[Job, Fault]] = []
    for job in jobs:
        calls, sizes = _reference(job, folder / job.name)
        references[job.name] = job.outcome(folder / job.name)
        faults += [(job, Fault(kind, at, where)) for kind in AT_CALLS for at, where in enumerate(calls)]
        faults += [(job, Fault(kind, at, where)) for kind in AT_BYTES for at, where in sizes.items()]
    faults, places = _each_place_first(faults, seed)
    counts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    forks = Forks(workers)
    budget = Budget("crash", minutes, min(trials or len(faults), len(faults)), "faults")

    def count(at_end: bool = False) -> None:
        for fault, _, end in forks.ended(at_end):
            ends[end] += 1
            counts[fault.kind] += 1
            budget.advance(1)

    for number, (job, fault) in enumerate(faults[:trials]):
        if budget.over:
            break
        trial = folder / str(number) / "trial"
        forks.begin(fault, partial(_try, job, fault, trial, references[job.name]))
        count()
    count(at_end=True)
    shutil.rmtree(folder)
    return {
        "possible": len(faults),
        "possible_places": places,
        "places": min(places, counts.total()),
        "faults": dict(sorted(counts.items())),
        "ends": dict(sorted(ends.items())),
    }


def _each_place_first(faults: list[tuple[Job, Fault]], seed: int) -> tuple[list[tuple[Job, Fault]], int]:
    """Faults in random order, but one of each kind at each place of each program first; and how many these are."""
    random.Random(seed).shuffle(faults)
    seen: Counter[tuple[str, str, str]] = Counter()
    turns = []
    for job, fault in faults:
        place = (job.name, fault.kind, fault.where)
        turns.append(min(seen[place], 1))
        seen[place] += 1
    return [fault for turn in (0, 1) for fault, own in zip(faults, turns, strict=True) if own == turn], len(seen)


def _reference(job: Job, folder: Path) -> tuple[list[str], dict[int, str]]:
    """Run to the end undisturbed; the places of the calls, and sizes of files at which a write may be cut."""
    folder.mkdir()
    ended = _in_child(job, job.begin(folder), folder, None)
    if ended.status != 0:
        raise ProofError(f"{job.name} failed undisturbed: {ended.output}")
    largest = max(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    parts = {largest * part // 32: f"{(part + 3) // 4} / 8" for part in range(1, 33)}
    return ended.calls, {1: "1", 100: "100", **parts}


def _try(job: Job, fault: Fault, folder: Path, reference: Any) -> str:
    """One fault and one resumption; how the first process ended. The folder is kept if this fails."""
    folder.mkdir(parents=True)
    first = _in_child(job, job.begin(folder), folder, fault)
    where = f"{job.name}, {fault.kind} at {fault.at:,}"
    if "Traceback" in first.output and fault.kind != "two ctrl-c":
        raise ProofError(f"{where}: a traceback instead of a message:\n{first.output}")
    if job.has_begun(folder):
        second = _in_child(job, job.resume(folder), folder, None)
    else:  # so early that there is nothing to continue: the user starts again, which uses the same folder
        second = _in_child(job, job.begin(folder), folder, None)
    if second.status != 0:
        raise ProofError(f"{where}: cannot be resumed, status {second.status}:\n{second.output}")
    if job.outcome(folder) != reference:
        raise ProofError(f"{where}: the resumed program ended differently from an undisturbed one; see {folder}")
    shutil.rmtree(folder)
    return {0: "ended well", DIED: "died"}.get(first.status, f"status {first.status}")


# ---- processes


@dataclass(frozen=True)
class Ended:
    """A process that has ended.

    Attributes:
        status: Exit status; `DIED` after a signal.
        calls: Places of the system calls that change files.
        output: What it printed.
    """

    status: int
    calls: list[str]
    output: str


def _in_child(job: Job, arguments: list[str], folder: Path, fault: Fault | None) -> Ended:
    """Run a program in a fork of this process, which has imported everything and started no thread."""
    counted, counter = os.pipe()
    output = folder.parent / "output.txt"
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(counted)
            descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            for number in (1, 2):
                os.dup2(descriptor, number)
            sys.stdout = sys.stderr = os.fdopen(1, "w", closefd=False)
            status = _main(job, arguments, folder, fault, counter)
        except BaseException:  # noqa: BLE001 - the fork must not return into the parent's code
            traceback.print_exc()
        finally:
            with suppress(OSError):  # a limit on the size of files is one of the output's too
                sys.stdout.flush()
            os._exit(status)
    os.close(counter)
    late = threading.Timer(MAX_SECONDS, os.kill, (child, signal.SIGALRM))
    late.start()
    with os.fdopen(counted, "rb") as pipe:
        calls = pipe.read().decode().splitlines()
    _, code = os.waitpid(child, 0)
    late.cancel()
    late.join()
    status = os.waitstatus_to_exitcode(code)
    if status == -signal.SIGALRM:
        raise ProofError(f"{job.name}, {fault}: did not end in {MAX_SECONDS} s")
    return Ended(DIED if status < 0 else status, calls, output.read_text("utf-8", "replace"))


def _main(job: Job, arguments: list[str], folder: Path, fault: Fault | None, counter: int) -> int:
    if fault is not None and fault.kind in AT_BYTES:
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.at, fault.at))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if fault.kind == "torn write" else signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    else:
        sys.addaudithook(Faults(folder, fault, counter))
        flush = os.fsync

        def fsync(descriptor: int) -> None:
            sys.audit("os.fsync", descriptor)
            flush(descriptor)

        os.fsync = fsync  # type: ignore[assignment]
    try:
        job.main(arguments)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


class Faults:
    """An audit hook that counts calls that change files in a folder, and causes a fault at one of them.

    Args:
        folder: The folder.
        fault: None: only counts.
        counter: A pipe that gets a line for each call, its place.
    """

    def __init__(self, folder: Path, fault: Fault | None, counter: int):
        self._folder = str(folder.resolve())
        self._fault = fault
        self._counter = counter
        self._count = 0
        self._process = os.getpid()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in FILE_EVENTS or os.getpid() != self._process or not self._changes(event, arguments):
            return
        os.write(self._counter, f"{event} {self._place(arguments[0])}\n".encode())
        number, self._count = self._count, self._count + 1
        fault = self._fault
        if fault is None or number < fault.at:
            return
        if fault.kind in _ERRORS:  # from this call on
            raise OSError(_ERRORS[fault.kind], os.strerror(_ERRORS[fault.kind]))
        if number == fault.at:
            if fault.kind == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            elif fault.kind == "sigterm":
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                os.kill(os.getpid(), signal.SIGINT)
        elif number == fault.at + 1 and fault.kind == "two ctrl-c":
            os.kill(os.getpid(), signal.SIGINT)

    def _changes(self, event: str, arguments: tuple[Any, ...]) -> bool:
        """Whether a call changes a file in the folder."""
        if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return False
        if event == "os.remove" and self._fault is not None and self._fault.kind == "disk full":
            return False  # files can be removed where a disk is full
        return self._path(arguments[0]).startswith(self._folder)

    @staticmethod
    def _path(target: Any) -> str:
        """The path of a call's first argument, a path or a descriptor; empty if it has none."""
        if isinstance(target, int):
            try:
                return str(Path(f"/proc/self/fd/{target}").readlink())
            except OSError:
                return ""
        return os.fsdecode(target) if isinstance(target, str | bytes | os.PathLike) else ""

    def _place(self, target: Any) -> str:
        """The folder and the kind of file, as `replays/*.json`."""
        path = Path(self._path(target)).relative_to(self._folder)
        return str(path.parent / f"*{path.suffix}")
