"""Streams of seeds are those of numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from w51_env.compiler.compile import entry
from w51_env.engine.numpy_streams import write_streams


@entry("tests")
def streams_of(seed, streams):
    write_streams(seed[0], streams)


def of_seed(seed: int, count: int) -> np.ndarray:
    streams = np.empty(count, np.uint64)
    streams_of(np.array([seed], np.uint64), streams)
    return streams


@given(st.integers(0, 2**64 - 1), st.integers(1, 20))
def test_streams_are_those_of_numpys_default_generator(seed: int, count: int):
    assert (of_seed(seed, count) == np.random.default_rng(seed).integers(0, 2**64, count, np.uint64)).all()


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1])
def test_seeds_at_the_ends_of_words(seed: int):
    assert (of_seed(seed, 3) == np.random.default_rng(seed).integers(0, 2**64, 3, np.uint64)).all()
