"""Worlds played to the end by bots, many in one compiled call."""

from dataclasses import dataclass

import numpy as np

from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.loops import NO_ACTION

_GAMES_AT_ONCE = 1024


@dataclass(frozen=True)
class Ends:
    """How games ended.

    Attributes:
        scores: (N, num_players) int16, final totals.
        ranks: (N, num_players) int8, from 1.
    """

    scores: np.ndarray
    ranks: np.ndarray

    def __getitem__(self, rows: slice) -> "Ends":
        return Ends(self.scores[rows], self.ranks[rows])


class Playouts:
    """Plays one action in each of many worlds, and bots go on from there to the end.

    Args:
        game: The game with its rules bound.
        bot: The name of the bot that plays all seats.
    """

    def __init__(self, game: Game, bot: str):
        self._game = game
        self._bot = bot
        self._batches: dict[int, Batch] = {}

    def play(self, worlds: np.ndarray, actions: np.ndarray) -> Ends:
        """How each world ends.

        Args:
            worlds: (N,) structured, states; they are not changed.
            actions: (N,) integers, a legal action of the seat to move; NO_ACTION (-1) where the game is over.

        Raises:
            IllegalActionError: An action is not legal.
        """
        players = self._game.num_players
        ends = Ends(np.empty((len(worlds), players), np.int16), np.empty((len(worlds), players), np.int8))
        for start in range(0, len(worlds), _GAMES_AT_ONCE):
            part = slice(start, min(start + _GAMES_AT_ONCE, len(worlds)))
            self._play(worlds[part], actions[part], ends[part])
        return ends

    def _play(self, worlds: np.ndarray, actions: np.ndarray, ends: Ends) -> None:
        count = len(worlds)
        batch = self._batch(count)
        whole = f"V{self._game.record.itemsize}"  # as one block, not field by field
        batch.games.view(whole)[:count] = worlds.view(whole)
        batch.games["over"][count:] = 1
        batch.refresh()
        padded = np.full(batch.num_games, NO_ACTION, np.int64)
        padded[:count] = actions
        padded[batch.seat < 0] = NO_ACTION
        batch.step(padded)
        ends.scores[:] = batch.games["scores"][:count, : self._game.num_players]
        ends.ranks[:] = batch.games["ranks"][:count, : self._game.num_players]

    def _batch(self, count: int) -> Batch:
        """A batch of at least so many games, all seats of which are the bot's. Of few sizes, each made once."""
        size = min(_GAMES_AT_ONCE, 1 << max(4, (count - 1).bit_length()))
        if size not in self._batches:
            controllers = [self._bot] * self._game.num_players
            self._batches[size] = Batch(
                self._game, size, seed=0, controllers=controllers, autoreset="disabled", observe=False, keep_final=False
            )
        return self._batches[size]
