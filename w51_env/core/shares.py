"""Which games each of several threads works on.

A round goes over all games once. Each worker has a range of its own and takes shares from it, the same in every round, so that
it finds them in its own cache: a line that another core has touched takes longer to reach than a game to step. When its range
is used up it helps with the others'. Worker 0 is the caller; it opens a round and sees its end.

`progress` (see `make_progress`) is what the workers share: int64, each worker's numbers on a cache line of their own.
"""

import numpy as np

from w51_env.core.atomic import atomic_add, atomic_load, atomic_store
from w51_env.core.compile import kernel

CALLER = 0
NO_GAME = -1

_LINE = 8  # int64 numbers on a cache line
# The first line has how many games are finished; then each worker's line: its next game, and the game it reported.
_FINISHED, _NEXT, _REPORTED = 0, _LINE, _LINE + 1


def make_progress(workers: int, count: int) -> np.ndarray:
    """The numbers of `workers` before their first round: none of `count` games is left to take."""
    return np.full(_LINE * (1 + workers), count, np.int64)


@kernel
def count_workers(progress):
    return progress.shape[0] // _LINE - 1


@kernel
def open_round(progress, count):
    """By the caller, when the last round is over: all games are to be taken."""
    workers = count_workers(progress)
    for worker in range(workers):
        progress[_REPORTED + _LINE * worker] = NO_GAME
    atomic_store(progress, _FINISHED, 0)
    for worker in range(workers):
        atomic_store(progress, _NEXT + _LINE * worker, count * worker // workers)


@kernel
def take_share(progress, count, worker, share):
    """(start, stop): the games to work on next; both are `count` if none is left to take."""
    workers = count_workers(progress)
    for turn in range(workers):
        owner = (worker + turn) % workers
        stop = count * (owner + 1) // workers
        if atomic_load(progress, _NEXT + _LINE * owner) < stop:
            start = atomic_add(progress, _NEXT + _LINE * owner, share)
            if start < stop:
                return start, min(start + share, stop)
    return count, count


@kernel
def finish_share(progress, start, stop):
    """These games are done."""
    atomic_add(progress, _FINISHED, stop - start)


@kernel
def round_is_over(progress, count):
    """All games are done."""
    return atomic_load(progress, _FINISHED) == count


@kernel
def report(progress, worker, index):
    """Tell the caller of a game. Of many the first is kept, however they are shared out."""
    position = _REPORTED + _LINE * worker
    if progress[position] == NO_GAME or index < progress[position]:
        progress[position] = index


@kernel
def least_reported(progress):
    """By the caller, when the round is over: the first game that was reported, or NO_GAME."""
    least = NO_GAME
    for worker in range(count_workers(progress)):
        index = progress[_REPORTED + _LINE * worker]
        if index != NO_GAME and (least == NO_GAME or index < least):
            least = index
    return least
