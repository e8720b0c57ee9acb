"""The random numbers: Philox-2x32-10 as published, what is drawn from it is uniform; streams of seeds are numpy's."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.env.chi_square import p_value
from w51_env.compiler.compile import entry
from w51_env.engine import rng
from w51_env.engine.numpy_streams import write_streams

MIN_P_VALUE = 1e-3  # a p-value below this fails; counters are fixed, so a test that passes goes on passing


@entry("tests")
def random_bits(streams, counters, out):
    for index in range(len(out)):
        out[index] = rng.random_bits(streams[0], counters[index])


@entry("tests")
def random_below(streams, counters, out, bound):
    for index in range(len(out)):
        out[index] = rng.random_below(streams[index], counters[0], bound)


@entry("tests")
def derive_seeds(seeds, out):
    for index in range(len(out)):
        out[index] = rng.derive_seed(seeds[0], index)


@entry("tests")
def shuffle_each(rows, counters, used, count):
    for index in range(len(rows)):
        used[index] = rng.shuffle(rows[index], count, np.uint64(index), counters[0])


@entry("tests")
def streams_of(seed, streams):
    write_streams(seed[0], streams)


def one(number: int) -> np.ndarray:
    return np.array([number], np.uint64)


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [  # kat_vectors of Random123, philox2x32 10
        ((0x00000000, 0x00000000), 0x00000000, (0xFF1DAE59, 0x6CD10DF2)),
        ((0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFF, (0x2C3F628B, 0xAB4FD7AD)),
        ((0x243F6A88, 0x85A308D3), 0x13198A2E, (0xDD7CE038, 0xF62A4C12)),
    ],
)
def test_it_is_philox_2x32_with_10_rounds(counter: tuple[int, int], key: int, expected: tuple[int, int]):
    """The stream is the key and the second word of the counter; the first output word is the high half."""
    out = np.zeros(1, np.uint64)
    random_bits(one(counter[1] << 32 | key), one(counter[0]), out)
    assert (int(out[0]) >> 32, int(out[0]) & 0xFFFFFFFF) == expected


def test_every_bit_is_set_half_the_time():
    count = 20_000
    out = np.zeros(count, np.uint64)
    random_bits(one(51), np.arange(count, dtype=np.uint64), out)
    for bit in range(64):
        ones = int(((out >> np.uint64(bit)) & np.uint64(1)).sum())
        assert abs(ones - count / 2) < 4 * np.sqrt(count / 4), f"bit {bit}"


@pytest.mark.parametrize("bound", [2, 3, 5, 6, 26, 71])
def test_random_below_is_uniform(bound: int):
    out = np.zeros(20_000, np.int64)
    random_below(np.arange(len(out), dtype=np.uint64), one(3), out, number=bound)
    assert out.min() == 0
    assert out.max() == bound - 1
    assert p_value(np.bincount(out, minlength=bound)) > MIN_P_VALUE


def test_derived_seeds_are_all_different_and_those_of_neighbouring_seeds_too():
    seeds = np.zeros((50, 1000), np.uint64)
    for seed in range(50):
        derive_seeds(one(seed), seeds[seed])
    assert len(np.unique(seeds)) == seeds.size


def test_a_shuffle_brings_every_order_equally_often():
    rows = np.tile(np.arange(5, dtype=np.int8), (60_000, 1))
    used = np.zeros(len(rows), np.uint64)
    shuffle_each(rows, one(7), used, number=4)  # the fifth is not to be touched
    np.testing.assert_array_equal(rows[:, 4], 4)
    np.testing.assert_array_equal(used, 7 + 3)  # a draw for each place but the first
    orders = Counter(map(tuple, rows[:, :4].tolist()))
    assert set(orders) == set(itertools.permutations(range(4)))
    assert p_value(list(orders.values())) > MIN_P_VALUE


def test_the_uses_of_one_stream_do_not_overlap():
    starts = [int(use) for use in (rng.SET_UP, rng.RESAMPLE, rng.POLICY, rng.EPISODE)]
    assert starts == sorted(starts)
    assert min(np.diff(starts)) >= 2**16  # decisions are counted in 16 bits


@given(st.integers(0, 2**64 - 1), st.integers(1, 20))
@example(2**32 - 1, 3)
@example(2**32, 3)
@example(2**63, 3)
@example(2**64 - 1, 3)
def test_streams_are_those_of_numpys_default_generator(seed: int, count: int):
    streams = np.empty(count, np.uint64)
    streams_of(one(seed), streams)
    np.testing.assert_array_equal(streams, np.random.default_rng(seed).integers(0, 2**64, count, np.uint64))
