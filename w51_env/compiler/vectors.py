"""What compiled code does with many numbers in one instruction (`primitives.py`), where a loop would do one by one.

Sums are taken in the same order everywhere, so they have the same bytes on all processors.
"""

from typing import Any

import numpy as np

from w51_env.compiler import LANES
from w51_env.compiler.compile import kernel, operation

_WORD = 64  # bits


@operation
def nonzero_bits(numbers: Any, start: int) -> Any:
    """uint64: bit k says whether numbers[start + k] is not 0. `numbers`: integers (n,), n not below start + 64."""
    bits = np.packbits(numbers[start : start + _WORD] != 0, bitorder="little")
    return bits.view("<u8")[0]


@operation
def lowest_bit(bits: Any) -> int:
    """The place of the lowest bit that is set, of a uint64 above 0."""
    return (int(bits) & -int(bits)).bit_length() - 1


@kernel
def list_nonzero(numbers, places, count):
    """List, after `count` places, those of the numbers that are not 0; returns how many are listed then.

    Of observations and masks a tenth is not 0: a loop over all numbers would take twice as long, and self-play 1.17
    times as long.
    """
    size = numbers.shape[0]
    for start in range(0, size, _WORD):
        left = size - start
        if left >= _WORD:
            bits = nonzero_bits(numbers, start)
        elif size >= _WORD:
            bits = nonzero_bits(numbers, size - _WORD) >> np.uint64(_WORD - left)
        else:
            bits = np.uint64(0)
            for place in range(left):
                bits |= np.uint64(numbers[place] != 0) << np.uint64(place)
        while bits != 0:
            places[count] = start + lowest_bit(bits)
            bits &= bits - np.uint64(1)
            count += 1
    return count


@operation
def dot_of_lanes(matrix: Any, row: int, others: Any, other: int) -> Any:
    """The dot product of rows of two float32 matrices; of matrix columns beyond a multiple of LANES, none count."""
    count = matrix.shape[1] // LANES * LANES
    sums = np.zeros(LANES, np.float32)
    for product in (matrix[row, :count] * others[other, :count]).reshape(-1, LANES):
        sums += product
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    return sums[0]


@kernel
def dot(matrix, row, others, other):
    """The dot product of rows of two float32 matrices, of as many columns as the first one has."""
    total = dot_of_lanes(matrix, row, others, other)
    for column in range(matrix.shape[1] // LANES * LANES, matrix.shape[1]):
        total += matrix[row, column] * others[other, column]
    return total
