"""Vectors of compiled code: the numbers that are not 0, and dot products, as plain Python finds them."""

import numpy as np
import pytest

from w51_env.compiler import LANES
from w51_env.compiler.compile import JIT_DISABLED, entry
from w51_env.compiler.vectors import dot, dot_of_lanes, list_nonzero


@entry("tests")
def list_all(numbers, places):
    return list_nonzero(numbers, places, 1)


@entry("tests")
def write_dots(matrix, others, results):
    for row in range(matrix.shape[0]):
        results[row] = dot(matrix, row, others, row)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("size", [0, 1, 7, 63, 64, 65, 100, 127, 128, 185, 681])
def test_numbers_that_are_not_0_are_listed_in_their_order(size, dtype):
    generator = np.random.default_rng(size)
    for share in (0.0, 0.1, 1.0):
        numbers = generator.integers(-128, 128, size).astype(dtype) * (generator.random(size) < share).astype(dtype)
        expected = np.flatnonzero(numbers)
        for kind in (np.int64, np.int32):
            places = np.full(size + 1, -7, kind)
            assert list_all(numbers, places) == 1 + len(expected)
            assert places[0] == -7  # what was listed before stays
            np.testing.assert_array_equal(places[1 : 1 + len(expected)], expected)


@pytest.mark.parametrize("size", [1, LANES - 1, LANES, LANES + 1, 128, 5 * LANES + 17])
def test_dot_products_are_right_and_have_the_bytes_of_plain_python(size):
    generator = np.random.default_rng(size)
    matrix = generator.normal(size=(20, size)).astype(np.float32)
    others = generator.normal(size=(20, size + 3)).astype(np.float32)
    results = np.zeros(20, np.float32)
    write_dots(matrix, others, results)
    assert results == pytest.approx((matrix.astype(float) * others[:, :size]).sum(1), abs=1e-4)
    if size % LANES == 0:
        plain = dot_of_lanes if JIT_DISABLED else dot_of_lanes.py_func
        assert [plain(matrix, row, others, row) for row in range(20)] == results.tolist()
