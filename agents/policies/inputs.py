"""What a network reads of observations."""

from collections.abc import Sequence

import numpy as np

from w51_env.agents.policies.item_inputs import ItemInputs
from w51_env.core.bots import HeuristicFeatures
from w51_env.core.errors import OptionError
from w51_env.core.game import Game


class NetworkInputs:
    """Observations as a network reads them: without hidden slices, with heuristic features or features of items.

    Args:
        game: The game it plays.
        heuristic_features: Append the heuristic features, which are computed from the whole observation.
        hidden_slices: Names of slices of the observation that are set to 0.
        items: Inputs of a network for any items, as `ItemInputs`; the last ones are the facts and features of items.

    Attributes:
        layout: The layout of the observations.
        items: The inputs of a network for any items; None: it reads observations.
        hidden: The slices that are set to 0.
        size: Number of inputs.
        dtype: int8, with `items` int16.

    Raises:
        OptionError: The game has no heuristic features, no slice of a name, or no items.
    """

    def __init__(
        self, game: Game, heuristic_features: bool = False, hidden_slices: Sequence[str] = (), items: bool = False
    ):
        self.layout = game.layout
        self._features = HeuristicFeatures(game) if heuristic_features else None
        self.items = ItemInputs(game) if items else None
        self._shown = self.items.num_inputs if self.items else game.layout.size
        self._end = self._shown + (self._features.layout.size if self._features else 0)
        self.size = self._end + (self.items.size - self._shown if self.items else 0)
        self.dtype = np.dtype(np.int16 if items else np.int8)
        for name in hidden_slices:
            if name not in game.layout:
                raise OptionError(f"hidden_slices: {name!r}, but {game.id} has {', '.join(game.layout)}")
        self.hidden = [game.layout[name].slice for name in hidden_slices]

    @property
    def contain_observations(self) -> bool:
        """Whether the first inputs are the observations, unchanged."""
        return self.items is None and not self.hidden

    @property
    def are_observations(self) -> bool:
        """Whether the inputs are the observations, unchanged."""
        return self.contain_observations and self.size == self._shown

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(N, size) of `dtype`, from (N, layout.size) int8 observations."""
        if self.are_observations:
            return observations
        inputs = np.empty((len(observations), self.size), self.dtype)
        self.write(observations, inputs)
        return inputs

    def write(self, observations: np.ndarray, inputs: np.ndarray) -> None:
        """Write the inputs of (N, layout.size) int8 observations to (N, size) of `dtype`."""
        shown = observations
        if self.hidden:
            shown = observations.copy()
            for part in self.hidden:
                shown[:, part] = 0
        if self.items is None:
            inputs[:, : self._shown] = shown
        else:
            self.items.write(shown, inputs)
        if self._features is not None:
            inputs[:, self._shown : self._end] = self._features.compute(observations)
