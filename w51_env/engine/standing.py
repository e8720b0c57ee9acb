"""The standing: what each seat would score if a game ended now."""

from functools import cache

import numpy as np

from w51_env.compiler.compile import Entry, blocks, entry
from w51_env.engine.errors import OptionError
from w51_env.engine.events import log_dtype
from w51_env.engine.game import Game, Kernel


class Standing:
    """The points of all seats if a game ended in its present state, with all that is hidden turned over.

    Args:
        game: The game with its rules bound.

    Raises:
        OptionError: The game counts no points before its end.
    """

    def __init__(self, game: Game):
        if (end_game := game.kernels.end_game) is None:
            raise OptionError(f"standing: {game.id} counts no points before its end")
        self._num_players = game.num_players
        self._end_all = _build(game.name, end_game)
        self._rules = game.rules
        self._log = np.zeros(1, log_dtype(game.max_events))  # off

    def scores(self, states: np.ndarray) -> np.ndarray:
        """(N, num_players) int16, from (N,) records of the state, which are not changed."""
        return self.ended(states)["scores"][:, : self._num_players]

    def ended(self, states: np.ndarray) -> np.ndarray:
        """(N,) records: the states as they would be if each game ended now."""
        ended = np.empty(states.shape, states.dtype)
        blocks(ended)[:] = blocks(states.view(np.ndarray))
        self._end_all(self._rules, ended, self._log)
        return ended


@cache
def _build(name: str, end_game: Kernel) -> Entry:
    @entry(name)
    def end_all(rules, games, log):
        """End each game that is not over."""
        for index in range(games.shape[0]):
            if games[index].over == 0:
                end_game(rules[0], games[index], log[0])

    return end_all
