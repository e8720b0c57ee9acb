"""Threads that help to step a batch.

The games of a step are taken in shares (see `core.shares`) by the caller and by helpers that are awake. A helper stays in
compiled code, without the interpreter lock, for a while after its last share, because waking a thread takes about as long
as stepping some hundred games; then it sleeps. The caller never waits for a helper that has taken nothing, so a slow one,
or one that a fork left behind, costs speed only.
"""

import queue
import threading
import weakref
from collections.abc import Callable

import numpy as np

from w51_env.core.compile import JIT_DISABLED
from w51_env.core.shares import CALLER, make_progress


class Team:
    """`threads - 1` helpers for one loop over one set of buffers.

    Args:
        loop: A compiled loop whose last two arguments are `progress` and the worker's number.
        arguments: All its other arguments; buffers, so the same at every call.
        count: Games it loops over.
        threads: The caller and the helpers.
    """

    def __init__(self, loop: Callable[..., int], arguments: tuple, count: int, threads: int):
        self._loop = loop
        self._arguments = arguments
        self._bells = [queue.SimpleQueue[bool]() for _ in range(0 if JIT_DISABLED else threads - 1)]
        self._progress = make_progress(1 + len(self._bells), count)
        self._asleep = [True] * len(self._bells)
        for helper, bell in enumerate(self._bells):
            work = (loop, arguments, self._progress, bell, self._asleep, helper)
            threading.Thread(target=_help, args=work, name="w51_env", daemon=True).start()
        self._finalizer = weakref.finalize(self, _dismiss, self._bells)

    def run(self) -> int:
        """Run the loop over all games and return what it returns to the caller."""
        for helper, bell in enumerate(self._bells):
            if self._asleep[helper]:
                self._asleep[helper] = False
                bell.put(True)
        return self._loop(*self._arguments, self._progress, CALLER)

    def close(self) -> None:
        """End the helpers."""
        self._finalizer()


def _help(
    loop: Callable[..., int], arguments: tuple, progress: np.ndarray, bell: queue.SimpleQueue, asleep: list, helper: int
) -> None:
    while bell.get():
        loop(*arguments, progress, 1 + helper)
        asleep[helper] = True


def _dismiss(bells: list[queue.SimpleQueue]) -> None:
    for bell in bells:
        bell.put(False)
