"""A network trained by self-play as an agent."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.agent import BatchAgent
from agents.selfplay.network import load_network
from w51_env.core.game import Game

_ROWS = 8192  #  observations a network is shown at a time, to bound memory


class NetworkAgent(BatchAgent):
    """The policy of a checkpoint that `train.py` wrote with `trainer: selfplay`.

    Args:
        game: The game it shall play.
        path: The checkpoint, a safetensors file.
        greedy: Take the likeliest action (default); else draw from the policy.

    Raises:
        AgentError: No such file, a damaged one, one of another kind, or one for other observations or actions.
    """

    def __init__(self, game: Game, path: str | Path, *, greedy: bool = True):
        self.greedy = greedy
        self._network = load_network(game, Path(path))
        self.reset(0)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None) -> np.ndarray:
        """See `Agent.act_batch`."""
        actions = np.empty(len(observations), np.int64)
        for start in range(0, len(observations), _ROWS):
            part = slice(start, start + _ROWS)
            logits, _ = self._network(torch.as_tensor(observations[part]), torch.as_tensor(np.asarray(action_masks[part], bool)))
            scores = logits.numpy()
            if not self.greedy:
                scores = scores + self._generator.gumbel(size=scores.shape)
            actions[part] = scores.argmax(axis=1)
        return actions
