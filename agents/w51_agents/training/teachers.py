"""Agents that are imitated: in each kind of games one that is good there.

A network that sees only what its seat observes, and learns in several kinds of games from a teacher each, learns the
mean of its teachers, weighted by how likely each kind is after what it has seen (policy distillation, Rusu et al.,
arXiv:1511.06295; kickstarting, Schmitt et al., arXiv:1803.03835).
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from w51_agents.agent import AgentError, probabilities_of
from w51_agents.registry import make_agent
from w51_agents.training.seats import EnvGroup

_ROWS = 16_384  #  decisions that a teacher is asked at once, to bound memory


class GamesOfKinds(Protocol):
    """Games of several kinds, each in the rows of its own."""

    groups: list[EnvGroup]
    rows: list[slice]


class Teachers:
    """The probabilities of teachers' actions at the decisions of all games.

    Args:
        names: For each group of the games the agent that is imitated, or None.
        games: The games.

    Raises:
        AgentError, OptionError: An agent that does not exist, or does not play these games.
    """

    def __init__(self, names: Sequence[str | None], games: GamesOfKinds):
        named = zip(names, games.groups, strict=True)
        self._agents = [None if name is None else make_agent(name, group.game) for name, group in named]
        for name, agent in zip(names, self._agents, strict=True):
            if getattr(agent, "needs_memory", False):
                raise AgentError(f"teacher {name!r}: it remembers; a teacher decides by the observation alone")
        self._rows = games.rows

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(T, N, actions) float32, for each decision the probabilities of its teacher, or 0 where there is none.

        Args:
            observations: (T, N, size) int8.
            masks: (T, N, actions) bool.
        """
        probabilities = np.zeros(masks.shape, np.float32)
        for agent, rows in zip(self._agents, self._rows, strict=True):
            if agent is None:
                continue
            agent.reset(0)  # draws depend on these decisions alone, not on earlier calls
            steps = max(1, _ROWS // (rows.stop - rows.start))
            for start in range(0, len(masks), steps):
                part = slice(start, start + steps), rows
                seen, legal = observations[part], masks[part].astype(np.int8)
                flat = probabilities_of(agent, seen.reshape(-1, seen.shape[2]), legal.reshape(-1, legal.shape[2]))
                probabilities[part] = flat.reshape(legal.shape)
        return probabilities


def imitation_loss(logits: Tensor, targets: Tensor, legal: Tensor) -> Tensor:
    """Cross-entropy to the teachers' probabilities, a mean over all decisions; 0 for those without a teacher.

    Args:
        logits: (B, K), of the legal actions.
        targets: (B, actions).
        legal: (B, K) int64, as of `Minibatch.legal`.
    """
    num_actions = targets.shape[1]
    wanted = targets.gather(1, legal.clamp_max(num_actions - 1)).masked_fill(legal == num_actions, 0.0)
    return -(wanted * torch.log_softmax(logits, 1)).sum(1).mean()
