"""Compiled code of layers for learning: inputs that are mostly 0, and outputs for legal actions alone (`layers`).

A list of inputs, units or actions is two arrays, places and factors, which `add_rows` reads.
"""

from typing import NamedTuple

import numpy as np

from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.vectors import dot, list_nonzero

UNROLLED = 8  # rows of a matrix that are added at once, so that sums stay in registers


class Lists(NamedTuple):
    """A list of inputs for each row, one after the other.

    Attributes:
        bounds: (rows, 2) int64, where it begins and ends.
        places: (most,) int32.
        factors: (most,) float32.
    """

    bounds: np.ndarray
    places: np.ndarray
    factors: np.ndarray

    @classmethod
    def of(cls, rows: int, most: int) -> "Lists":
        """Memory for the lists of so many rows, as long as `most` in all."""
        return cls(np.empty((rows, 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32))


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


@entry("policy")
def write_units(inputs, weights, biases, lists, units):
    """Write the units of a layer with ReLU for each row of inputs, and its list."""
    bounds, places, factors = lists.bounds, lists.places, lists.factors
    width, start = units.shape[1], 0
    for row in range(inputs.shape[0]):
        stop = list_nonzero(inputs[row], places, start)
        for index in range(start, stop):
            factors[index] = np.float32(inputs[row, places[index]])
        fill_up(places, factors, stop)
        for unit in range(width):
            units[row, unit] = biases[unit]
        add_rows(weights, places, factors, (start, stop), units, row, width)
        for unit in range(width):
            units[row, unit] = max(units[row, unit], np.float32(0.0))
        bounds[row, 0], bounds[row, 1] = start, stop
        start = stop + UNROLLED - 1


@entry("policy")
def write_unit_gradients(lists, units, by_units, by_row, by_weights, by_biases):
    """Add to the gradients of weights and biases, with the lists of `write_units`; `by_row` is memory for a row."""
    bounds, places, factors = lists.bounds, lists.places, lists.factors
    width = units.shape[1]
    for row in range(bounds.shape[0]):
        for unit in range(width):
            by_row[unit] = by_units[row, unit] if units[row, unit] > 0 else np.float32(0.0)
            by_biases[unit] += by_row[unit]
        for index in range(bounds[row, 0], bounds[row, 1]):
            place, factor = places[index], factors[index]
            for unit in range(width):
                by_weights[place, unit] += factor * by_row[unit]


@entry("policy")
def most_legal(masks, legal):
    """The most legal actions of a row; `legal` is memory for all actions."""
    most = 0
    for row in range(masks.shape[0]):
        most = max(most, list_nonzero(masks[row], legal, 0))
    return most


@entry("policy")
def list_legal(masks, legal, places):
    """Write the legal actions of each row, after them the number of actions; `legal` is memory for all actions."""
    for row in range(masks.shape[0]):
        count = list_nonzero(masks[row], legal, 0)
        for index in range(places.shape[1]):
            places[row, index] = legal[index] if index < count else masks.shape[1]


@entry("policy")
def write_logits(features, weights, biases, places, logits):
    """Write the logits of the actions that `list_legal` has listed."""
    for row in range(places.shape[0]):
        for index in range(places.shape[1]):
            action = places[row, index]
            if action < weights.shape[0]:
                logits[row, index] = biases[action] + dot(weights, action, features, row)


@entry("policy")
def write_logit_gradients(features, weights, places, by_logits, *written):
    """Add to the gradients of features, weights and biases, from those of the logits; before them memory for a list."""
    legal, factors, by_features, by_weights, by_biases = written
    width = features.shape[1]
    for row in range(places.shape[0]):
        count = 0
        while count < places.shape[1] and places[row, count] < weights.shape[0]:
            action, factor = places[row, count], by_logits[row, count]
            legal[count], factors[count] = action, factor
            by_biases[action] += factor
            for unit in range(width):
                by_weights[action, unit] += factor * features[row, unit]
            count += 1
        fill_up(legal, factors, count)
        add_rows(weights, legal, factors, (0, count), by_features, row, width)
