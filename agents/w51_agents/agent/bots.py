"""The bots of a game as agents: `random`, `heuristic`. They call the compiled kernels that play inside a batch."""

from collections.abc import Callable
from typing import Any

import numpy as np

from w51_agents.agent.interface import BatchAgent, Infos
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game


class CompiledAgent(BatchAgent):
    """Plays by compiled code, which draws actions by 64 random bits each.

    Args:
        player: What chooses: a `w51_env.engine.bots.Bot`, or an object with its method `choose`.
    """

    stateless = allows_threads = True

    def __init__(self, player: Any):
        self._player = player
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids; `infos` is not used."""
        return self._player.choose(observations, action_masks, self._bits(len(observations)))

    def bind_choice(
        self, observations: np.ndarray, action_masks: np.ndarray, listed: np.ndarray, actions: np.ndarray
    ) -> Callable[[np.ndarray], None]:
        """A call that decides with these arrays, which are read and written at each call.

        Args:
            observations: (N, layout.size) int8.
            action_masks: (N, num_actions) int8.
            listed: (1 + N,) int64, the number of decisions to make, and which; the call gets these, too.
            actions: (N,) int64, where the actions are written.
        """
        if not getattr(self._player, "reads_observations", False):

            def ask(rows: np.ndarray) -> None:
                actions[rows] = self.act_batch(observations[rows], action_masks[rows])

            return ask
        bits = np.zeros(len(actions), np.uint64)
        arrays = bits, np.zeros(len(actions), np.uint64), actions
        call = self._player.bind(observations, action_masks, *arrays, rows=listed)

        def choose(rows: np.ndarray) -> None:
            bits[rows] = self._bits(len(rows))
            call(0)

        return choose

    def _bits(self, count: int) -> np.ndarray:
        return self._generator.bit_generator.random_raw(count)


class BotAgent(CompiledAgent):
    """A bot of the game.

    Args:
        game: The game with its rules bound.
        name: One of `game.bots`.

    Raises:
        OptionError: The game has no bot of this name.
    """

    stateless = True

    def __init__(self, game: Game, name: str):
        self.bot = Bot(game, name)
        super().__init__(self.bot)
