"""Worker threads that step a batch together with the calling thread.

The caller and the workers that are awake take the games of a step in chunks (`chunks.py`). A worker stays in compiled
code, without the interpreter lock, for a while after its last chunk: waking a thread takes about as long as stepping
some hundred games. Then it sleeps. The caller never waits for a worker that has taken no chunk, so a slow worker, or
one that did not survive a fork, costs speed only.
"""

import queue
import threading
import weakref
from collections.abc import Callable
from functools import partial

from w51_env.compiler.compile import JIT_DISABLED, Entry
from w51_env.engine.buffers import Buffers
from w51_env.engine.chunks import CALLER, make_progress

_MIN_CHUNK = 32  # games; a thread with fewer costs more time than it saves


class WorkerPool:
    """Workers for one loop over one set of buffers.

    Args:
        loop: A compiled loop. Its arguments are those of a step, `progress` and the worker's number.
        buffers: The buffers, which are the same at every call.
        threads: Number of threads, the caller included; fewer are used where all would cost more than they save.

    Attributes:
        count: Number of workers beside the caller.
        run_alone: Runs the loop without waking workers; as `run`, and faster, if there are none.
    """

    def __init__(self, loop: Entry, buffers: Buffers, threads: int):
        count = len(buffers.games)
        if threads > 1:
            buffers.settings["chunk"] = max(_MIN_CHUNK, count // (16 * threads))
        self.count = 0 if JIT_DISABLED else min(threads - 1, count // (2 * _MIN_CHUNK))
        self._wake = [queue.SimpleQueue[bool]() for _ in range(self.count)]
        self._progress = make_progress(1 + len(self._wake), count)
        self._asleep = [True] * len(self._wake)
        run = loop.bind(*buffers.step_arguments, self._progress)
        for worker, wake in enumerate(self._wake):
            shared = (run, wake, self._asleep, worker)
            threading.Thread(target=_serve, args=shared, name="w51_env", daemon=True).start()
        self._finalizer = weakref.finalize(self, _dismiss, self._wake)
        self.run_alone: Callable[[], int] = partial(run, CALLER)

    def run(self) -> int:
        """Run the loop over all games and return the caller's result of it."""
        for worker, wake in enumerate(self._wake):
            if self._asleep[worker]:
                self._asleep[worker] = False
                wake.put(True)
        return self.run_alone()

    def close(self) -> None:
        """End the worker threads."""
        self._finalizer()


def _serve(run: Callable[[int], int], wake: queue.SimpleQueue, asleep: list, worker: int) -> None:
    while wake.get():
        run(1 + worker)
        asleep[worker] = True


def _dismiss(wakes: list[queue.SimpleQueue]) -> None:
    for wake in wakes:
        wake.put(False)
