"""Whether a call of a batch may go on: its games can be played, and no other call runs."""

import threading
from collections.abc import Callable

from w51_env.engine.errors import NOT_BEGUN, BatchInUseError, GameOverError, W51Error

REFUSED = "the states in games were refused; call reset, load or restore first, or refresh once they are right"
IN_USE = (
    "batch: in use by another thread, or it was when this process was forked; "
    "make a batch for each thread and each process"
)
ENDLESS = "the games came to no decision; call reset, load or restore first"


class Gate:
    """A context that one call at a time can enter; BatchInUseError for another, from any thread.

    Compiled code runs without the interpreter lock, so two calls at once would write to the same memory. Calls that are
    made at every step use functions: `enter(False)`, then `release()`; False if they must end with `refusal`.

    Attributes:
        closed: Why the games cannot be played or shown; None: they can. `open` and `close` change it.
        acquire, release: Of the lock, also for calls that need no games which can be played.
        enter: `acquire` while `closed` is None, else a function that returns False.
    """

    __slots__ = ("acquire", "closed", "enter", "release")

    def __init__(self) -> None:
        lock = threading.Lock()
        self.acquire, self.release = lock.acquire, lock.release
        self.closed: str | None
        self.enter: Callable[[bool], bool]
        self.close(NOT_BEGUN)

    def open(self) -> None:
        """The games can be played."""
        self.closed, self.enter = None, self.acquire

    def close(self, reason: str) -> None:
        """The games cannot be played or shown."""
        self.closed, self.enter = reason, lambda _: False

    def playable(self, call: str) -> "Gate":
        """The context of a call that needs games which can be played; GameOverError if they cannot."""
        if self.closed is not None:
            raise self.refusal(call)
        return self

    def not_refused(self, call: str) -> "Gate":
        """The same for a call that is possible before the first reset, too."""
        return self if self.closed is NOT_BEGUN else self.playable(call)

    def refusal(self, call: str) -> W51Error:
        """The error of a call that could not enter."""
        return BatchInUseError(IN_USE) if self.closed is None else GameOverError(f"{call}: {self.closed}")

    def __enter__(self) -> None:
        if not self.acquire(False):
            raise BatchInUseError(IN_USE)

    def __exit__(self, *error: object) -> None:
        self.release()
