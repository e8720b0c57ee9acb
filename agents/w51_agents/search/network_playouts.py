"""Playouts by a network: it draws the actions of all seats, in many games at once."""

from collections.abc import Callable

import numpy as np

from w51_agents.policies.compiled import CompiledPolicy
from w51_agents.search.playouts import Playouts
from w51_env.engine.batch import Batch
from w51_env.engine.game import EXTERNAL, Game

# Streams, numbers of decisions and actions of a batch, and a compiled call that draws these (`CompiledPolicy.bind`).
_Draw = tuple[np.ndarray, np.ndarray, np.ndarray, Callable[[int], int]]


class NetworkPlayouts(Playouts):
    """Plays one action in each of many states; then a network plays all seats to the end.

    What it draws follows from the random stream of the state and from the number of decisions, as for bots. So two
    playouts from one state share random numbers (common random numbers).
    """

    def __init__(self, game: Game, policy: CompiledPolicy):
        super().__init__(game, EXTERNAL)
        self._policy = policy
        self._draws: dict[int, _Draw] = {}

    def _finish(self, batch: Batch) -> None:
        size = batch.num_games  # there is one batch of each size
        if size not in self._draws:
            arrays = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros(size, np.int64)
            self._draws[size] = (*arrays, self._policy.bind(batch.observation, batch.action_mask, *arrays))
        streams, decisions, actions, call = self._draws[size]
        streams[:] = batch.games["stream"]
        while (batch.seat >= 0).any():
            decisions[:] = batch.games["decisions"]
            call(0)
            batch.step(actions)
