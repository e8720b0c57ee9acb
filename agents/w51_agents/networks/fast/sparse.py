"""Sums of rows of a matrix that a list names, for compiled layers that play and that learn.

A list of inputs, units or actions is two arrays, places and factors, which `add_rows` reads.
"""

import numpy as np

from w51_env.compiler.compile import kernel

UNROLLED = 8  # rows of a matrix that are added at once, so that sums stay in registers


@kernel
def add_rows(matrix, places, factors, bounds, sums, row, width):
    """Add to a row of `sums` the rows of a matrix that a list names within bounds, times their factors."""
    start, stop = bounds
    for at in range(start, stop, UNROLLED):
        one, two, three, four = places[at], places[at + 1], places[at + 2], places[at + 3]
        five, six, seven, eight = places[at + 4], places[at + 5], places[at + 6], places[at + 7]
        a, b, c, d = factors[at], factors[at + 1], factors[at + 2], factors[at + 3]
        e, f, g, h = factors[at + 4], factors[at + 5], factors[at + 6], factors[at + 7]
        for unit in range(width):
            sums[row, unit] = (
                sums[row, unit] + a * matrix[one, unit] + b * matrix[two, unit]
                + c * matrix[three, unit] + d * matrix[four, unit] + e * matrix[five, unit]
                + f * matrix[six, unit] + g * matrix[seven, unit] + h * matrix[eight, unit]
            )  # fmt: skip


@kernel
def fill_up(places, factors, stop):
    """End a list with rows that count nothing, up to a multiple of UNROLLED."""
    for extra in range(stop, stop + UNROLLED - 1):
        places[extra], factors[extra] = 0, np.float32(0.0)
