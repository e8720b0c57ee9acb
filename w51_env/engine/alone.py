"""A lock for calls of which only one may run at a time."""

import threading

from w51_env.engine.errors import BatchInUseError


class Alone:
    """A context that one call of a batch at a time can enter; BatchInUseError for another, from any thread.

    Compiled code runs without the interpreter lock, so two calls at once would write to the same memory. Calls that are
    made at every step use the lock itself: `acquire(False)`, False if another call runs, and `release()`.
    """

    __slots__ = ("acquire", "release")

    def __init__(self) -> None:
        lock = threading.Lock()
        self.acquire, self.release = lock.acquire, lock.release

    def __enter__(self) -> None:
        if not self.acquire(False):
            raise in_use()

    def __exit__(self, *error: object) -> None:
        self.release()


def in_use() -> BatchInUseError:
    """The error of a call while another one runs."""
    return BatchInUseError(
        "batch: in use by another thread, or it was when this process was forked; "
        "make a batch for each thread and each process"
    )
