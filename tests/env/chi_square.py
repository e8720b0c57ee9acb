"""The chi-square test, without SciPy."""

import math

import numpy as np


def p_value(observed: list[int] | np.ndarray, expected: list[float] | np.ndarray | None = None) -> float:
    """The p-value of counts against expected ones, by default equal ones (Wilson and Hilferty's approximation)."""
    observed = np.asarray(observed, float)
    expected = np.full_like(observed, observed.mean()) if expected is None else np.asarray(expected, float)
    return _upper_tail(float(((observed - expected) ** 2 / expected).sum()), len(observed) - 1)


def p_value_of_table(table: list[list[int]]) -> float:
    """The p-value of counts in rows and columns that may be independent of each other."""
    counts = np.asarray(table, float)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return _upper_tail(float(((counts - expected) ** 2 / expected).sum()), freedom)


def _upper_tail(statistic: float, freedom: int) -> float:
    spread = 2 / (9 * freedom)
    return 0.5 * math.erfc(((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(2 * spread))
