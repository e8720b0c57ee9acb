"""Memory that the ranks of one machine share, in which they sum what each of them computed."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import torch
from torch import Tensor

_FOLDER = "/dev/shm"


class SharedTerms:
    """Terms of one shape of all ranks, in memory that each can read.

    There are two places for each term, by turns: a rank may write the next one while another still reads.

    Args:
        memory: Of `shared_numbers`.
        shape: Terms of all ranks, and numbers of each.
        meet: Returns when all ranks have called it.
    """

    def __init__(self, memory: Tensor, shape: tuple[int, ...], meet: Callable[[], None]):
        self._places = memory.view(2, *shape)
        self._meet = meet
        self._turn = 0

    def written(self, terms: Tensor, first: int) -> Tensor:
        """(K, size), those of all ranks, of those of this one, the first of which has this number."""
        place, self._turn = self._places[self._turn], 1 - self._turn
        place[first : first + len(terms)] = terms
        self._meet()
        return place


def shared_numbers(group: Any, count: int) -> Tensor | None:
    """(count,) float32, the same memory in all ranks; None where they cannot share any.

    Args:
        group: The `Ranks`.
        count: The numbers.
    """
    path, memory = "", None
    if group.writes:
        with suppress(OSError):
            handle, path = mkstemp(prefix="w51-sums-", dir=_FOLDER)  # only this user can read it
            try:
                os.posix_fallocate(handle, 0, 4 * count)  # else too little space is known only when it is written
            finally:
                os.close(handle)
    (name, *_) = group.texts(path)
    with suppress(RuntimeError, OSError):
        if name and Path(name).stat().st_size == 4 * count:
            memory = torch.from_file(name, shared=True, size=count)
    is_missing = group.any(memory is None)
    if path:
        Path(path).unlink()
    return None if is_missing else memory
