"""What a record must have, and what its numbers may be."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from w51_env.compiler.compile import entry

Range = tuple[int, int] | None  # least and greatest value; None: any

VALID = -1  # instead of the index of a field that contradicts others


@entry("limits")
def outside(values, lows, highs, count):  # type: ignore[no-untyped-def]
    """How many numbers in the first `count` rows of `values` are not in lows..highs, one for each column."""
    wrong = 0
    for row in range(count):
        for column in range(lows.shape[0]):
            wrong += (values[row, column] < lows[column]) | (values[row, column] > highs[column])
    return wrong


class Limits:
    """The ranges of a record as arrays, so that all fields of all states are compared at once.

    Args:
        record: The structured dtype.
        ranges: The range of each field. A field that has one is int8 or int16.

    Attributes:
        names: The names of the fields, by index.
        ranges: The range of each field that has one.

    Raises:
        ValueError: A field is missing or unknown.
    """

    def __init__(self, record: np.dtype, ranges: Mapping[str, Range]):
        self.names = record.names or ()
        if set(ranges) != set(self.names):
            raise ValueError(f"ranges: {', '.join(set(ranges) ^ set(self.names))} missing or unknown")
        self.ranges = {name: ends for name in self.names if (ends := ranges[name]) is not None}
        bases = {record[name].base for name in self.ranges}
        self._ends = [(base, *self._arrays(record, base)) for base in sorted(bases, key=str)]

    def _arrays(self, record: np.dtype, base: np.dtype) -> tuple[np.ndarray, np.ndarray]:
        """(itemsize / size of base,): the least and the greatest values; those of the type itself in other fields."""
        lows, highs = np.empty(1, record), np.empty(1, record)
        for array, end in ((lows, np.iinfo(base).min), (highs, np.iinfo(base).max)):
            array.view(base)[:] = end
        for name, (low, high) in self.ranges.items():
            if record[name].base == base:
                lows[name], highs[name] = low, high
        return lows.view(base), highs.view(base)

    def bind(self, states: np.ndarray) -> list[Callable[[int], int]]:
        """For (N,) contiguous states functions (K) -> how many numbers of the first K are not in their ranges."""
        return [outside.bind(states.view(base).reshape(-1, lows.size), lows, highs) for base, lows, highs in self._ends]

    def violation(self, states: np.ndarray) -> str:
        """The first number out of its range, for a message; empty if there is none."""
        for name, (low, high) in self.ranges.items():
            wrong = (states[name] < low) | (states[name] > high)
            if wrong.any():
                index = np.unravel_index(wrong.argmax(), wrong.shape)
                return f"[{index[0]}]: {name} is {states[name][index]}, but {low} to {high} is allowed"
        return ""


def check_record(name: str, record: np.dtype, needed: Sequence[str]) -> None:
    """ValueError if a field is missing, or for padding: numpy does not copy it, so bytes of equal states differ."""
    missing = [field for field in needed if field not in (record.names or ())]
    if missing:
        raise ValueError(f"{name} lacks {', '.join(missing)}")
    fields: Any = record.fields or {}
    sizes = {field: part[0].itemsize for field, part in fields.items()}
    padding = record.itemsize - sum(sizes.values())
    at_end = record.itemsize - max(part[1] + part[0].itemsize for part in fields.values())
    unused = (at_end + sizes.get("unused", 0)) % record.alignment
    if padding > at_end:
        raise ValueError(f"{name} has padding between fields: order them by the size of their numbers, largest first")
    if padding:
        field = f"needs ('unused', 'i1', ({unused},)) as its last field" if unused else "needs no field 'unused'"
        raise ValueError(f"{name} has padding at its end: it {field}")
