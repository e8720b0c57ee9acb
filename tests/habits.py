"""Players of many habits, for tests that must reach all corners of a game."""

import numpy as np


class Habits:
    """Players who choose at random, each game with its own taste.

    Args:
        taste: (num_games, num_actions) float32, how much each game's players like each action: logits.
        generator: What they choose by.
    """

    def __init__(self, taste: np.ndarray, generator: np.random.Generator):
        self._taste = taste
        self._generator = generator

    def choose(self, mask: np.ndarray) -> np.ndarray:
        """(N,) a legal action each; -1 where the mask (N, num_actions) is empty."""
        noise = self._generator.gumbel(size=mask.shape).astype(np.float32)
        chosen = np.where(mask, self._taste + noise, -np.inf).argmax(1)
        return np.where(mask.any(1), chosen, -1)
