"""Machine code of entries: kept and freed alone, loaded without Numba, with arrays that share memory."""

from pathlib import Path

import numpy as np
import pytest

from tests.core.scripts import run
from w51_env import make_vec
from w51_env.core import rng
from w51_env.core.compile import JIT_DISABLED, entry, rows

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT nothing is compiled")


# An entry whose kernel allocates an array, which takes Numba's runtime, and one whose kernel does not.
ALLOCATES = """
import sys
import numpy as np
from w51_env.core.compile import entry, kernel, scratch

memory = scratch(3, np.int64)

@kernel
def total(number):
    values = VALUES
    values[:] = number
    return values.sum()

@entry("memory")
def total_of(numbers):
    return total(numbers[0])

print(total_of(np.array([5])), "numba" in sys.modules)
"""


def test_code_that_is_no_longer_needed_is_freed_alone():
    for number in range(3):

        @entry(f"tests_{number}")
        def add(numbers):
            numbers[0] += 1

        numbers = np.zeros(1, np.int64)
        add(numbers)
        assert numbers == 1
        del add


def test_code_is_loaded_without_numba_unless_a_kernel_allocates(tmp_path: Path):
    for values, needs_numba in (("memory()", False), ("np.empty(3, np.int64)", True)):
        script = ALLOCATES.replace("VALUES", values)
        assert run(script, W51_ENV_CACHE=str(tmp_path))[0] == "15 True"  # it compiles
        assert run(script, W51_ENV_CACHE=str(tmp_path)) == (f"15 {needs_numba}", "")


@entry("tests")
def write_ten(games, values, row):
    games[1].place[2] = 10
    values[1].numbers[0] = row


def test_records_and_rows_share_memory_with_the_array():
    games = np.zeros(3, np.dtype([("place", "i1", (4,))]))
    numbers = np.zeros((2, 5), np.int16)
    write_ten(games, rows(numbers, "numbers"), number=7)
    assert games["place"].tolist() == [[0] * 4, [0, 0, 10, 0], [0] * 4]
    assert numbers.tolist() == [[0] * 5, [7, 0, 0, 0, 0]]


def test_equal_batches_share_their_dtypes_so_that_calls_take_the_fast_way():
    first, second = (make_vec("warehouse51_v0", 1) for _ in range(2))
    for one, other in zip(first._buffers.step_arguments, second._buffers.step_arguments, strict=True):
        assert one.dtype is other.dtype


def test_a_kernel_in_code_of_numba_is_refused_by_name():
    import numba

    def uniform():
        return rng.random_bits(np.uint64(1), np.uint64(2))

    with pytest.raises((TypeError, numba.TypingError), match="kernel random_bits"):
        numba.njit(uniform)()
