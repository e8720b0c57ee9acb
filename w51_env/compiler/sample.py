"""Kernels that use what the compiler offers, with which a process tries a Numba that nobody tried (`trial.py`)."""

import numpy as np

from w51_env.compiler import LANES
from w51_env.compiler.compile import entry, kernel, late, rows, scratch, scratch_records, words_of
from w51_env.compiler.vectors import dot, list_nonzero

_RECORD = np.dtype([("number", "i1"), ("wide", "i8"), ("values", "i2", (2, 3))], align=True)
_numbers, _records = scratch(4, np.int64), scratch_records(2, _RECORD)


@late("sample")
def _add(record, amount):
    record.values[1, amount] += amount
    return record.number


@kernel
def _total(record, times):
    numbers, other = _numbers(), _records()[1]
    for index in range(numbers.shape[0]):
        numbers[index] = times if index < 3 else 0
    other.wide = np.uint64(numbers[0] + numbers[3]) >> np.uint64(1)
    return _add(record, 2) + record.values[1, 2] + other.wide + words_of(other)[1] % 8


@entry("sample")
def _run(records, listed, matrix, number):
    places = listed[0].values
    count = list_nonzero(listed[1].values, places, 0)
    return 1000 * _total(records[1], number) + 100 * count + places[1] + int(dot(matrix, 0, matrix, 1))


def check() -> None:
    """Compile and call them.

    Raises:
        ArithmeticError: The result is wrong.
    """
    records = np.zeros(2, _RECORD)
    listed = np.zeros((2, 70), np.int16)
    matrix = np.ones((2, LANES + 1), np.float32)
    records["number"], listed[1, [3, 69]] = 7, 1
    found, expected = _run(records, rows(listed), matrix, number=6), 1000 * (7 + 2 + 3 + 3) + 200 + 69 + LANES + 1
    if found != expected or records["values"][1, 1, 2] != 2:
        raise ArithmeticError(f"{found} in place of {expected}")
