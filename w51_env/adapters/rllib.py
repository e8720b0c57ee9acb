"""RLlib, new API stack: all seats of one game as the agents of a `MultiAgentEnv`.

Observations have the form that RLlib's `ActionMaskingTorchRLModule` takes. Agents: `player_0`, `player_1`, ...
"""

from typing import Any

import gymnasium
import numpy as np

from w51_env.adapters import spaces
from w51_env.engine.batch import Batch
from w51_env.engine.errors import IllegalActionError
from w51_env.engine.event_log import check_rows
from w51_env.engine.game import Game
from w51_env.engine.options import check_seed

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:  # Ray alone has its own error for what RLlib needs beside it
    raise ImportError("RLlib is not installed; it comes with: pip install 'w51_env[rllib]'") from error


class RLlibEnv(MultiAgentEnv):
    """A game whose agents act one after another: `reset` and `step` return the observation of the agent to move.

    Observation: `{"observations": float32 (layout.size,), "action_mask": float32 (num_actions,)}`. Rewards come at the
    end of the game, for all agents, with their last observations and masks of ones: RLlib computes a value there, too.

    Args:
        config: As RLlib passes it: `game`, the id of a registered game or a `Game` (default `warehouse51_v1`);
            `illegal_action`, `lose` (default: RLlib's check of an environment plays an unmasked action) or `raise`;
            `history`, a number of events, K: not 0 adds `history`, int16 (K, 6), to observations
            (docs/observations.md#history); all else are options of the game.

    Raises:
        OptionError: An unknown game or option, or a value that is not allowed.
    """

    def __init__(self, config: dict[str, Any] | None = None):
        super().__init__()
        options = dict(config or {})
        game: Game | str = options.pop("game", "warehouse51_v1")
        illegal_action = options.pop("illegal_action", "lose")
        self._history = check_rows("history", options.pop("history", 0), 0)
        self.game = spaces.bind(game, options, type(self))
        self.batch = Batch(self.game, 1, autoreset="disabled", illegal_action=illegal_action, history=self._history)
        self.possible_agents: list = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.agents = self.possible_agents.copy()
        mask = gymnasium.spaces.Box(0.0, 1.0, (len(self.game.actions),), np.float32)
        space = gymnasium.spaces.Dict(
            {"observations": spaces.observation_space(self.game, spaces.OBSERVATION_DTYPE), "action_mask": mask}
        )
        self.observation_spaces = dict.fromkeys(
            self.possible_agents, spaces.with_history(space, self.game, self._history)
        )  # fmt: skip
        self.action_spaces = {agent: spaces.action_space(self.game) for agent in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        """Begin a game: that of `seed`, or the next one if it is None. `options` are not used."""
        self.batch.reset(None if seed is None else check_seed("seed", seed))
        return self._to_move(), {}

    def step(self, action_dict: dict[Any, Any]) -> tuple[dict, dict, dict, dict, dict]:
        """Play the action of the agent to move.

        Raises:
            IllegalActionError: Not one action of the agent to move, or an illegal one if `illegal_action` is `raise`.
                The game has not changed.
            GameOverError: The game is over, or not begun.
        """
        seat = int(self.batch.seat[0])
        if seat >= 0 and list(action_dict) != [f"player_{seat}"]:
            raise IllegalActionError(f"actions of {', '.join(action_dict) or 'nobody'}, but player_{seat} is to move")
        action = next(iter(action_dict.values()), -1)
        self.batch.step(np.array([spaces.action_id(action, self.game)]))
        over = bool(self.batch.done[0])
        ended = dict.fromkeys([*(self.possible_agents if over else []), "__all__"], over)
        observations = self._to_move()
        if over:
            mask, finals = np.ones(len(self.game.actions), np.int8), self.batch.final_observation[0]
            agents = enumerate(self.possible_agents)
            observations = {agent: self._observation(at, finals[at], mask) for at, agent in agents}
        rewards = dict(zip(self.possible_agents, self.batch.rewards[0].tolist(), strict=True))
        paid = rewards if over else dict.fromkeys(action_dict, 0.0)
        return observations, paid, ended, {"__all__": False}, {}

    def _to_move(self) -> dict[str, dict[str, np.ndarray]]:
        seat, batch = int(self.batch.seat[0]), self.batch
        return {f"player_{seat}": self._observation(seat, batch.observation[0], batch.action_mask[0])}

    def _observation(self, seat: int, observation: np.ndarray, mask: np.ndarray) -> dict[str, np.ndarray]:
        past = {"history": self.batch.history(viewer=seat)[0][0].copy()} if self._history else {}
        return {
            "observations": spaces.as_dtype(self.game, observation, spaces.OBSERVATION_DTYPE),
            "action_mask": mask.astype(np.float32),
            **past,
        }
