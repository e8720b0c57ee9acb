"""A network trained by self-play as an agent."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.agent import BatchAgent
from agents.bots import BotAgent
from agents.policies.inputs import Inputs
from agents.policies.network import ActorCritic, load_network
from w51_env.core.game import Game

_ROWS = 8192  #  observations a network is shown at a time, to bound memory


class ActorCriticAgent(BatchAgent):
    """The policy of a checkpoint that `train.py` wrote with `trainer: selfplay`.

    Args:
        game: The game it shall play.
        network: The checkpoint, a safetensors file; or a network, which must not change any more.
        greedy: Take the likeliest action (default); else draw from the policy.

    Raises:
        AgentError: No such file, a damaged one, one of another kind, or one for other observations or actions.
    """

    def __init__(self, game: Game, network: str | Path | ActorCritic, *, greedy: bool = True):
        self.greedy = greedy
        self._network = network if isinstance(network, ActorCritic) else load_network(game, Path(network))
        self._advisor = BotAgent(game, self._network.advisor) if self._network.advisor else None
        self._inputs = Inputs(game, self._network.reckoning)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self._generator = np.random.default_rng(seed)
        if self._advisor is not None:
            self._advisor.reset(seed)

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """See `Agent.act_batch`."""
        scores = self._logits(observations, action_masks)
        if not self.greedy:
            scores = scores + self._generator.gumbel(size=scores.shape)
        return scores.argmax(axis=1)

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """See `MixedAgent.probabilities`."""
        logits = self._logits(observations, action_masks)
        if self.greedy:
            return np.eye(logits.shape[1])[logits.argmax(axis=1)]
        chances = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True)

    def _logits(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, actions) float32."""
        logits = np.empty(action_masks.shape, np.float32)
        for start in range(0, len(observations), _ROWS):
            part = slice(start, start + _ROWS)
            masks = np.asarray(action_masks[part], bool)
            advice = (
                None
                if self._advisor is None
                else torch.as_tensor(self._advisor.act_batch(observations[part], masks.view(np.int8)))
            )
            with torch.no_grad():
                logits[part] = self._network(
                    torch.as_tensor(self._inputs.of(observations[part])), torch.as_tensor(masks), advice
                )[0].numpy()
        return logits
