"""Playouts: bots play many states to the end in one compiled call."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.game import EXTERNAL, NO_ACTION, Game

_GAMES_PER_CALL = 1024


class LeafBatch(NamedTuple):
    """States from which playouts start.

    Attributes:
        states: (N,) structured; they are not changed.
        actions: (N,) int64, the first action, legal for the seat to move; NO_ACTION (-1) where the game is over.
    """

    states: np.ndarray
    actions: np.ndarray

    @classmethod
    def join(cls, leaves: Iterable["LeafBatch"]) -> "LeafBatch":
        """One batch of several, in their order."""
        leaves = list(leaves)
        if len(leaves) == 1:
            return leaves[0]
        return cls(*(np.concatenate(parts) for parts in zip(*leaves, strict=True)))


class Outcomes(NamedTuple):
    """Results of games that are over.

    Attributes:
        scores: (N, num_players) int16, final scores.
        ranks: (N, num_players) int8, final ranks from 1.
    """

    scores: np.ndarray
    ranks: np.ndarray

    def part(self, rows: slice) -> "Outcomes":
        """The outcomes of some games, as views."""
        return Outcomes(self.scores[rows], self.ranks[rows])


class BatchOfSize:
    """Batches of at least some number of games; few sizes exist, and each is made once.

    Args:
        make: Makes a batch of a size.
    """

    def __init__(self, make: Callable[[int], Batch]):
        self._make = make
        self._batches: dict[int, Batch] = {}

    def __call__(self, count: int) -> Batch:
        size = 1 << max(4, (count - 1).bit_length())
        if size not in self._batches:
            self._batches[size] = self._make(size)
        return self._batches[size]


class Playouts:
    """Plays one action in each of many states; then a bot plays all seats to the end.

    Args:
        game: The game with its rules bound.
        bot: Name of the bot; "external" in a subclass that plays on by itself (`_finish`).
    """

    def __init__(self, game: Game, bot: str):
        self._game = game
        settings: dict[str, Any] = {"autoreset": "disabled", "observe": bot == EXTERNAL, "keep_final": False}
        self._batch = BatchOfSize(partial(Batch, game, seed=0, controllers=[bot] * game.num_players, **settings))

    def play(self, leaves: LeafBatch) -> Outcomes:
        """The outcome of one playout from each leaf.

        Raises:
            IllegalActionError: An action is not legal.
        """
        players, count = self._game.num_players, len(leaves.states)
        outcomes = Outcomes(np.empty((count, players), np.int16), np.empty((count, players), np.int8))
        for start in range(0, count, _GAMES_PER_CALL):
            chunk = slice(start, min(start + _GAMES_PER_CALL, count))
            self._play(leaves.states[chunk], leaves.actions[chunk], outcomes.part(chunk))
        return outcomes

    def _play(self, states: np.ndarray, actions: np.ndarray, outcomes: Outcomes) -> None:
        count = len(states)
        batch = self._batch(count)
        batch.load(states)
        batch.step(np.where(batch.seat[:count] >= 0, actions, NO_ACTION))
        self._finish(batch)
        outcomes.scores[:] = batch.final_scores[:count]
        outcomes.ranks[:] = batch.final_ranks[:count]

    def _finish(self, batch: Batch) -> None:
        """Play all games to the end. Bots have done so within the step."""
