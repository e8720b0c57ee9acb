"""Committed entries of the benchmark, for tests."""

from pathlib import Path

import pytest

from benchmarks.entries import EARLIER, known


def played_anew(name: str) -> Path:
    """The file of an entry of this version of the protocol; skips the test until it is played anew."""
    if (path := known()[name]).parent == EARLIER:
        pytest.skip(f"the entry {name} is of an earlier version: python -m benchmarks.entries {name}")
    return path
