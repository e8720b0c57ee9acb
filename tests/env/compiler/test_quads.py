"""Quads: each number as if it were computed alone, compiled or not."""

import numpy as np

from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.quads import SIZE, every, item_of, quad_of, where_above, where_equal


@kernel
def blend(one, two, factor):
    """The same for numbers and for quads."""
    return (one + factor * two - 3.0) / (abs(one) + 0.5)


@entry("tests_quads")
def fill(numbers, out):
    one = quad_of(numbers[0], numbers[1], numbers[2], numbers[3])
    two = quad_of(numbers[4], numbers[5], numbers[6], numbers[7])
    results = blend(one, two, 2)
    equal = where_equal(one, two, results, -1.0)
    above = where_above(one, 0.0, every(numbers[0]), two)
    for index in range(out.shape[1]):
        out[0, index] = item_of(results, index)
        out[1, index] = item_of(equal, index)
        out[2, index] = item_of(above, index)


def test_each_number_is_as_if_it_were_computed_alone():
    generator = np.random.default_rng(0)
    for _ in range(20):
        numbers = generator.normal(size=2 * SIZE)
        numbers[6], numbers[7] = numbers[2], 0.0
        out = np.empty((3, SIZE))
        fill(numbers, out)
        for one, two, column in zip(numbers[:SIZE].tolist(), numbers[SIZE:].tolist(), out.T.tolist(), strict=True):
            alone = (one + 2 * two - 3.0) / (abs(one) + 0.5)
            assert column == [alone, alone if one == two else -1.0, numbers[0] if one > 0 else two]


def test_not_a_number_is_neither_equal_nor_above():
    numbers, out = np.full(2 * SIZE, np.nan), np.empty((3, SIZE))
    fill(numbers, out)
    assert (out[1] == -1.0).all()
    assert np.isnan(out[2]).all()
