"""Random policies of many kinds, for tests that must reach all corners of a game."""

import numpy as np


class RandomPolicies:
    """Draws actions at random, with other logits for each game of a batch.

    Args:
        logits: (num_games, num_actions) float32, before the mask.
        generator: Source of the random numbers.
    """

    def __init__(self, logits: np.ndarray, generator: np.random.Generator):
        self._logits = logits
        self._generator = generator

    def choose(self, mask: np.ndarray) -> np.ndarray:
        """(N,) a legal action for each game; -1 where the mask (N, num_actions) is empty."""
        noise = self._generator.gumbel(size=mask.shape).astype(np.float32)
        chosen = np.where(mask, self._logits + noise, -np.inf).argmax(1)
        return np.where(mask.any(1), chosen, -1)
