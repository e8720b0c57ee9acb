"""Whose a victory is."""

import numpy as np


def victory_shares(ranks: np.ndarray) -> np.ndarray:
    """(..., seats) float64: 1 / k for each of k winners, 0 for all others; of (..., seats) final ranks, in which 1 is best and 0 is no seat."""
    first = ranks == 1
    return first / np.maximum(first.sum(axis=-1, keepdims=True), 1)
