"""The standing: what each seat would score if a game ended now."""

from collections.abc import Callable
from functools import cache

import numpy as np

from w51_env.compiler.compile import Entry, blocks, entry
from w51_env.engine.errors import OptionError
from w51_env.engine.events import log_dtype
from w51_env.engine.game import Game, Kernel


class Standing:
    """The points of all seats if a game ended in its present state, with all that is hidden turned over.

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

    def bind(self, states: np.ndarray) -> Callable[[], np.ndarray]:
        """A call that returns (N,) records: these (N,) states as they would be if each game ended now.

        The states are read at each call, and not changed; the records are overwritten by the next one.
        """
        ended = np.empty(states.shape, states.dtype)
        given, copies = blocks(states.view(np.ndarray)), blocks(ended)
        end_all = self._end_all.bind(self._rules, ended, self._log)

        def call() -> np.ndarray:
            copies[:] = given
            end_all(0)
            return ended

        return call

    def ended(self, states: np.ndarray) -> np.ndarray:
        """What a call of `bind` returns, for these states as they are now."""
        return self.bind(states)()

    def scores(self, states: np.ndarray) -> np.ndarray:
        """(N, num_players) int16, of `ended`."""
        return self.ended(states)["scores"][:, : self._num_players]


@cache
def _build(name: str, end_game: Kernel) -> Entry:
    @entry(name)
    def end_all(rules, games, log):
        """End each game that is not over."""
        for index in range(games.shape[0]):
            if games[index].over == 0:
                end_game(rules[0], games[index], log[0])

    return end_all
