"""Playouts: bots play many states to the end in one compiled call."""

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple, Protocol

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


class Outcomes(NamedTuple):
    """Results of games that are over.

    Attributes:
        scores: (N, num_players) int16, final scores.
        ranks: (N, num_players) int8, final ranks from 1.
    """

    scores: np.ndarray
    ranks: np.ndarray


class Player(Protocol):
    """What chooses actions: a `w51_env.engine.bots.Bot`, or the policy of a network."""

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision, as `Bot.choose`."""


def batches_by_size(make: Callable[[int], Batch]) -> Callable[[int], Batch]:
    """A function that returns a batch of at least some number of games; few sizes exist, and each is made once."""
    made = cache(make)
    return lambda count: made(1 << max(4, (count - 1).bit_length()))


class Playouts:
    """Plays one action in each of many states; then a bot plays all seats to the end.

    Args:
        game: The game.
        bot: Name of the bot; "external" in a subclass that plays on by itself (`_finish`).
        history: Events that are kept of a playout.
    """

    def __init__(self, game: Game, bot: str, history: int = 0):
        self._game = game
        settings: dict[str, Any] = {"autoreset": "disabled", "observe": bot == EXTERNAL, "keep_final": False}
        settings["history"] = history
        self._batch = batches_by_size(partial(Batch, game, seed=0, controllers=[bot] * game.num_players, **settings))

    def play(self, leaves: LeafBatch) -> Outcomes:
        """The outcome of one playout from each leaf.

        Raises:
            IllegalActionError: An action is not legal.
        """
        players, count = self._game.num_players, len(leaves.states)
        outcomes = Outcomes(np.empty((count, players), np.int16), np.empty((count, players), np.int8))
        for part in self._parts(count):
            batch, size = self._loaded(leaves.states[part]), part.stop - part.start
            batch.step(np.where(batch.seat[:size] >= 0, leaves.actions[part], NO_ACTION))
            self._finish(batch)
            outcomes.scores[part] = batch.final_scores[:size]
            outcomes.ranks[part] = batch.final_ranks[:size]
        return outcomes

    def choices(self, states: np.ndarray) -> np.ndarray:
        """(N,) int64: NO_ACTION, as what bots choose within a step is not known before."""
        return np.full(len(states), NO_ACTION, np.int64)

    def _parts(self, count: int) -> Iterator[slice]:
        """The rows that are played together."""
        for start in range(0, count, _GAMES_PER_CALL):
            yield slice(start, min(start + _GAMES_PER_CALL, count))

    def _loaded(self, states: np.ndarray) -> Batch:
        """A batch whose first games are in these states."""
        batch = self._batch(len(states))
        batch.load(states)
        return batch

    def _finish(self, batch: Batch) -> None:
        """Play all games to the end. Bots have done so within the step."""
