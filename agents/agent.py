"""What an agent is."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from w51_env.core.errors import W51Error


class AgentError(W51Error):
    """An agent that cannot be made or cannot play this game."""


class Agent(Protocol):
    """A player of one game, in any seat and in any number of games at once.

    Its choices depend on what it is shown and on the seed of `reset` only. `info` and `infos` are those of the environment
    that asks; an agent must do without.
    """

    def reset(self, seed: int) -> None:
        """Begin anew: the same seed and the same questions give the same actions."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        """An action id for one decision.

        Args:
            observation: (layout.size,) int8, of the seat to move.
            action_mask: (num_actions,) int8 or bool, not 0 where an action is legal.
            info: What the environment tells beside it.
        """

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """(N,) integers, an action id for each decision.

        Args:
            observations: (N, layout.size) int8.
            action_masks: (N, num_actions) int8 or bool.
            infos: One for each, or None.
        """


@runtime_checkable
class MixedAgent(Agent, Protocol):
    """An agent that draws its actions, each by itself, and knows how likely each one is."""

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """(N, num_actions) floats, of each action at each decision; the arguments are those of `act_batch`."""


def needs_determinizer(agent: Any) -> bool:
    """Whether an agent needs `info["determinizer"]`: it has an attribute `needs_determinizer` that is true.

    Raises:
        AgentError: The agent has the attribute's old name, `needs_worlds`.
    """
    if getattr(agent, "needs_worlds", False):
        raise AgentError(
            f"{type(agent).__name__}.needs_worlds: renamed needs_determinizer; info['worlds'] is now info['determinizer']"
        )
    return bool(getattr(agent, "needs_determinizer", False))


class BatchAgent:
    """An agent that answers many questions at once; one is a batch of one."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        """See `Agent.act`."""
        return int(self.act_batch(observation[None], action_mask[None], None if info is None else [info])[0])

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """See `Agent.act_batch`."""
        raise NotImplementedError


class SingleAgent:
    """An agent that answers one question; many are answered one after the other."""

    def reset(self, seed: int) -> None:
        """See `Agent.reset`; one that neither draws nor remembers has nothing to do."""

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        """See `Agent.act`."""
        raise NotImplementedError

    def act_batch(
        self, observations: np.ndarray, action_masks: np.ndarray, infos: Sequence[dict[str, Any]] | None = None
    ) -> np.ndarray:
        """See `Agent.act_batch`."""
        told = [None] * len(observations) if infos is None else infos
        return np.array([self.act(*question) for question in zip(observations, action_masks, told, strict=True)])


class OneByOne(SingleAgent):
    """An agent that has no `act_batch`, with one."""

    def __init__(self, agent: Any):
        self._agent = agent
        self.needs_determinizer = needs_determinizer(agent)

    def reset(self, seed: int) -> None:
        """See `Agent.reset`."""
        self._agent.reset(seed)

    def act(self, observation: np.ndarray, action_mask: np.ndarray, info: dict[str, Any] | None = None) -> int:
        """See `Agent.act`."""
        return self._agent.act(observation, action_mask, info)
