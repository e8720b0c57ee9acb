"""Playouts by a network: it draws the actions of all seats, in many games at once."""

from collections.abc import Callable

import numpy as np

from w51_agents.networks.fast.compiled import CompiledPolicy
from w51_agents.search.playouts import PlayerPlayouts
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game

_SEAT_BITS = np.uint64(40)  # the bits of a random stream from here on say who has each seat

# Streams, numbers of decisions and actions of a batch, and a compiled call that draws these (`CompiledPolicy.bind`).
_Draw = tuple[np.ndarray, np.ndarray, np.ndarray, Callable[[int], int]]


class NetworkPlayouts(PlayerPlayouts):
    """Playouts by a network that reads observations alone: its arrays are bound once for each size of a batch."""

    def __init__(self, game: Game, policy: CompiledPolicy):
        super().__init__(game, policy)
        self._policy = policy
        self._draws: dict[int, _Draw] = {}

    def _choose(self, batch: Batch) -> np.ndarray:
        """An action for each game of a batch; the array is used again for the next ones."""
        size = batch.num_games  # there is one batch of each size
        if size not in self._draws:
            arrays = np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros(size, np.int64)
            self._draws[size] = (*arrays, self._policy.bind(batch.observation, batch.action_mask, *arrays))
        streams, decisions, actions, call = self._draws[size]
        streams[:] = batch.games["stream"]
        decisions[:] = batch.games["decisions"]
        call(0)
        return actions


class PopulationPlayouts(NetworkPlayouts):
    """Plays one action in each of many states; then each seat is the network or a bot.

    Which of both follows from the random stream of the state and from the seat.

    Attributes:
        bot_quarters: (num_players,) in how many quarters of the playouts each seat is the bot, 0 to 4; 2 at first.
    """

    def __init__(self, game: Game, policy: CompiledPolicy, bot: str):
        super().__init__(game, policy)
        self._bot = Bot(game, bot)
        self.bot_quarters = np.full(game.num_players, 2)

    def _choose(self, batch: Batch) -> np.ndarray:
        actions, streams = super()._choose(batch), batch.games["stream"].astype(np.uint64)
        seats = batch.seat.astype(np.int64).clip(0)
        drawn = (streams >> (_SEAT_BITS + 2 * seats.astype(np.uint64))) & np.uint64(3)
        rows = np.flatnonzero((drawn < self.bot_quarters[seats]) & (batch.seat >= 0))
        if len(rows):
            bits = streams[rows] ^ batch.games["decisions"][rows].astype(np.uint64)
            actions[rows] = self._bot.choose(batch.observation[rows], batch.action_mask[rows], bits)
        return actions
