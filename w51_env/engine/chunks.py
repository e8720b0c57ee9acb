"""Chunks of games: how several threads divide the games of a batch among themselves.

A round covers all games once. Each worker has a range of games, the same in every round, and takes chunks from it:
these games are then in the cache of its core, and moving a cache line between cores takes longer than stepping a game.
A worker with no games left takes chunks from the ranges of others. Worker 0 is the caller; it opens a round and detects
its end.

The workers share `progress` (`make_progress`): int64, the numbers of each worker on a cache line of their own. The
atomic operations on it are plain ones with the JIT off, when there are no worker threads; compiled code has its own
(`compiler.primitives`).
"""

from typing import Any

import numpy as np

from w51_env.compiler.compile import kernel, operation

CALLER = 0
NO_GAME = -1

_LINE = 8  # int64 numbers on a cache line
# The first line holds the number of finished games and what the round does; each worker's line holds its next game and
# the game it reported.
_FINISHED, _COMMAND = 0, 1
_NEXT = _LINE
_REPORTED = _LINE + 1


def make_progress(workers: int, count: int) -> np.ndarray:
    """`progress` of `workers` before their first round: none of the `count` games is left to take."""
    return np.full(_LINE * (1 + workers), count, np.int64)


@operation
def atomic_add(array: Any, index: int, amount: int) -> int:
    """array[index] += amount, atomically; returns the value before. `array`: int64 (n,)."""
    before = int(array[index])
    array[index] += amount
    return before


@operation
def atomic_load(array: Any, index: int) -> int:
    """array[index] as last written by any thread. `array`: int64 (n,)."""
    return int(array[index])


@operation
def atomic_store(array: Any, index: int, value: int) -> None:
    """array[index] = value; other threads read it only after everything written before. `array`: int64 (n,)."""
    array[index] = value


@kernel
def count_workers(progress):
    """Number of workers, the caller included."""
    return progress.shape[0] // _LINE - 1


@kernel
def open_round(progress, count, command):
    """Begin a round, in which all games are to be taken. Called by worker 0 when the last round is over."""
    workers = count_workers(progress)
    progress[_COMMAND] = command
    for worker in range(workers):
        progress[_REPORTED + _LINE * worker] = NO_GAME
    atomic_store(progress, _FINISHED, 0)
    for worker in range(workers):
        atomic_store(progress, _NEXT + _LINE * worker, count * worker // workers)


@kernel
def command_of_round(progress):
    """What the open round does, for a worker that has taken a chunk of it."""
    return progress[_COMMAND]


@kernel
def take_chunk(progress, count, worker, chunk):
    """(start, stop): at most `chunk` games to process next; both are `count` if none is left."""
    workers = count_workers(progress)
    for turn in range(workers):
        owner = (worker + turn) % workers
        stop = count * (owner + 1) // workers
        if atomic_load(progress, _NEXT + _LINE * owner) < stop:
            start = atomic_add(progress, _NEXT + _LINE * owner, chunk)
            if start < stop:
                return start, min(start + chunk, stop)
    return count, count


@kernel
def finish_chunk(progress, start, stop):
    """Record that these games are processed."""
    atomic_add(progress, _FINISHED, stop - start)


@kernel
def round_is_over(progress, count):
    """Whether all games are processed."""
    return atomic_load(progress, _FINISHED) == count


@kernel
def report(progress, worker, index):
    """Report a game, or NO_GAME, to the caller. Only the first of a worker's reported games is kept."""
    position = _REPORTED + _LINE * worker
    if index != NO_GAME and (progress[position] == NO_GAME or index < progress[position]):
        progress[position] = index


@kernel
def first_reported(progress):
    """The first game that any worker reported, or NO_GAME. Called by worker 0 when the round is over."""
    first = NO_GAME
    for worker in range(count_workers(progress)):
        index = progress[_REPORTED + _LINE * worker]
        if index != NO_GAME and (first == NO_GAME or index < first):
            first = index
    return first
