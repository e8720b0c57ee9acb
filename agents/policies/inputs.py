"""What a network is shown: the observation, and beside it, if it is to, what the game's scripted player reckons."""

import numpy as np

from w51_env.core.bots import HeuristicFeatures
from w51_env.core.game import Game


class Inputs:
    """The inputs of a network.

    Args:
        game: The game it plays.
        reckoning: Whether the game's reckoning is among them.

    Attributes:
        size: How many there are.

    Raises:
        OptionError: The game has no reckoning.
    """

    def __init__(self, game: Game, reckoning: bool):
        self._features = HeuristicFeatures(game) if reckoning else None
        self.size = game.layout.size + (self._features.layout.size if self._features else 0)

    def of(self, observations: np.ndarray) -> np.ndarray:
        """(N, size) int8, from observations (N, layout.size) int8."""
        if self._features is None:
            return observations
        return np.concatenate([observations, self._features.compute(observations)], axis=1)
