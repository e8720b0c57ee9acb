"""Who won a game, from its final ranks."""

import numpy as np


def wins_of(ranks: np.ndarray) -> np.ndarray:
    """Wins of each seat: 1 / k for each of the k winners, 0 for all others.

    Args:
        ranks: (..., seats) integers, the final ranks: 1 is best, 0 is an empty seat.

    Returns:
        (..., seats) float64. Its mean over games is the win rate.
    """
    first = ranks == 1
    return first / np.maximum(first.sum(axis=-1, keepdims=True), 1)
