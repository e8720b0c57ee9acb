"""The bots of a game as agents: `random`, `heuristic`. They call the compiled kernels that play inside a batch."""

from typing import Any

import numpy as np

from w51_agents.agent import BatchAgent, Infos
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game


class CompiledAgent(BatchAgent):
    """Plays by compiled code, which draws actions by 64 random bits each.

    Args:
        player: What chooses: a `w51_env.engine.bots.Bot`, or an object with its method `choose`.
    """

    stateless = True

    def __init__(self, player: Any):
        self._player = player
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids; `infos` is not used."""
        bits = self._generator.integers(0, 2**64, len(observations), np.uint64)
        return self._player.choose(observations, action_masks, bits)


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
