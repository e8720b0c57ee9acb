"""Bots outside a batch: the kernels that play inside it, called on observations and action masks."""

from collections.abc import Callable
from functools import partial

import numpy as np

from w51_env.compiler.compile import rows
from w51_env.engine import loops
from w51_env.engine.errors import OptionError, nearest
from w51_env.engine.game import Game
from w51_env.engine.layout import Layout
from w51_env.engine.slots import make_legal


class Bot:
    """One bot of a game.

    Args:
        game: The game with its rules bound.
        name: One of `game.bots`.

    Attributes:
        index: Its index in `game.bots`, as `Batch(controllers=...)` takes it.

    Raises:
        OptionError: The game has no bot of this name.
    """

    def __init__(self, game: Game, name: str):
        if not isinstance(name, str) or name not in game.bots:
            reason = (isinstance(name, str) and game.why_absent(name)) or nearest(name, game.bots)
            raise OptionError(f"bot: {name!r}, but {game.id} has {', '.join(game.bots)}{reason}")
        self.game = game
        self.name = name
        self.index = game.bots.index(name)
        self._legal = rows(make_legal(1, len(game.actions)), "actions")

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; NO_ACTION (-1) where the mask is empty.

        Args:
            observations: (N, layout.size) int8, or its float32 view, of the seat to move.
            action_masks: (N, num_actions), not 0 where an action is legal.
            bits: (N,) uint64, random bits for each decision.
        """
        actions = np.empty(len(bits), np.int64)
        obs = np.ascontiguousarray(self.game.layout.to_int8(observations))
        masks = np.ascontiguousarray(action_masks, np.int8)
        self.bind(obs, masks, np.ascontiguousarray(bits, np.uint64), actions)()
        return actions

    def bind(self, observations: np.ndarray, action_masks: np.ndarray, *arrays: np.ndarray) -> Callable[[], int]:
        """A call that chooses with these arrays, which are read at each call; as of `choose`, contiguous.

        Args:
            observations: (N, layout.size) int8.
            action_masks: (N, num_actions) int8.
            *arrays: (N,) uint64, the random bits; (N,) int64, where the actions are written.
        """
        entry = loops.build(self.game.name, self.game.kernels).choose
        bound = entry.bind(self.game.rules, rows(observations), rows(action_masks), self._legal, *arrays)
        return partial(bound, self.index)


class HeuristicFeatures:
    """Heuristic features of observations: what the game's heuristic bot computes from them, as numbers for learners.

    Raises:
        OptionError: The game has no heuristic features.
    """

    def __init__(self, game: Game):
        if game.heuristic_features is None:
            raise OptionError(f"heuristic features: {game.id} has none")
        self.layout: Layout = game.heuristic_features
        self._game = game

    def compute(self, observations: np.ndarray) -> np.ndarray:
        """(N, layout.size) int8, from (N, game.layout.size) int8 observations."""
        features = np.empty((len(observations), self.layout.size), np.int8)
        self.bind(np.ascontiguousarray(observations, np.int8), features)(len(observations))
        return features

    def bind(self, observations: np.ndarray, features: np.ndarray) -> Callable[[int], int]:
        """A call that writes the features of the first observations, as many as it says; int8 arrays as of `compute`,
        which are read and written at each call.
        """
        write = loops.build(self._game.name, self._game.kernels).heuristic_features
        return write.bind(self._game.rules, rows(observations), rows(features))
