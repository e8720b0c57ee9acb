"""Signals that ask a program to stop: Ctrl-C, and what the system, a closed terminal or a batch system send."""

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_REPEATED = ("SIGHUP", "SIGUSR1")  # of a terminal that closes come two, so a second one is no impatience
_NAMES = ("SIGTERM", *_REPEATED)  # Windows has not all


def stop_signals() -> tuple[signal.Signals, ...]:
    """The signals beside Ctrl-C, but for those that are ignored, as `nohup` has it."""
    known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    return tuple(number for number in known if signal.getsignal(number) != signal.SIG_IGN)


def is_repeated(number: int) -> bool:
    """Whether a signal may come twice though it is meant once."""
    return signal.Signals(number).name in _REPEATED


def leave_terminal() -> None:
    """Let output go nowhere that would go to a terminal that was closed: to write there is an error."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, descriptor)
                os.close(nowhere)


@contextmanager
def stopped_as_by_ctrl_c() -> Iterator[None]:
    """Inside, the other signals do what Ctrl-C does: KeyboardInterrupt, or what a server does; not in a thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = {number: signal.getsignal(number) for number in stop_signals()}

    def stop(number: int, frame: FrameType | None) -> None:
        leave_terminal()
        for other in filter(is_repeated, former):
            signal.signal(other, signal.SIG_IGN)
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # of a program in the background
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    for number in former:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def started_deaf() -> Iterator[None]:
    """A process that is started inside does not end by what a terminal or a batch system sends to all processes.

    Its parent, which gets that too, ends it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, filter(is_repeated, stop_signals()))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
