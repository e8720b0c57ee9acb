"""What an agent reports of one decision: its action, the probabilities of its policy, its value, what its search found.

Agents offer these by methods that `PolicyAgent` and `SearchAgent` have. `insight` uses those that it finds:

- `explain(observation, action_mask, info)`: the action with the utilities of the candidates (`SearchAgent.explain`);
- `policy(observations, action_masks)`, else `probabilities`: (N, num_actions);
- `values(observations, action_masks)`: (N,), the expected reward of the seat to move.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from w51_env.agents.agent import Agent, check_actions
from w51_env.core.game import Game

_LEAST_PROBABILITY = 0.001  # of an action that is reported


@dataclass(frozen=True)
class Choice:
    """What an agent reports of one action.

    Attributes:
        action: The action id.
        probability: Probability of the action in the agent's policy; None: not offered.
        utility: Mean utility of the action in the playouts of a search, 0 to 1; None: not searched.
        error: Standard error of `utility`; None if there are fewer than two playouts.
        playouts: Number of playouts that began with the action.
    """

    action: int
    probability: float | None = None
    utility: float | None = None
    error: float | None = None
    playouts: int = 0


@dataclass(frozen=True)
class Insight:
    """What an agent reports of one decision. Nothing in it is hidden from the seat to move.

    Attributes:
        agent: Name of the agent.
        action: The action that it chooses.
        value: Its estimate of the reward of the seat to move, in the units it was trained on; None: not offered.
        choices: The actions that it reports on, best first; empty if it offers nothing.
    """

    agent: str
    action: int
    value: float | None = None
    choices: tuple[Choice, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self)


def insight(
    name: str, agent: Agent, game: Game, observation: np.ndarray, mask: np.ndarray, info: dict[str, Any] | None = None
) -> Insight:
    """Let an agent decide, and collect what it offers of this decision.

    Args:
        name: Name of the agent.
        agent: The agent; the action is that of `act`.
        game: The game with its rules bound.
        observation: (layout.size,) int8, of the seat to move.
        mask: (num_actions,) int8, its legal actions.
        info: With a `determinizer` for an agent that needs one.

    Raises:
        InvalidActionError: The agent chose an action that is not legal.
    """
    offered: Any = agent
    choices: list[Choice] = []
    if hasattr(agent, "explain"):
        action, candidates, samples = offered.explain(observation, mask, info)
        choices = _searched(candidates, samples)
    else:
        probabilities = getattr(agent, "policy", getattr(agent, "probabilities", None))
        if probabilities is not None:
            choices = _likeliest(probabilities(observation[None], mask[None])[0])
        action = agent.act(observation, mask, info)
    value = float(offered.values(observation[None], mask[None])[0]) if hasattr(agent, "values") else None
    return Insight(name, int(check_actions(name, np.array([action]), mask[None], game)[0]), value, tuple(choices))


def _likeliest(probabilities: np.ndarray) -> list[Choice]:
    order = np.argsort(-probabilities, kind="stable")
    likely = order[probabilities[order] >= _LEAST_PROBABILITY]
    return [Choice(int(action), float(probabilities[action])) for action in likely]


def _searched(candidates: np.ndarray, samples: np.ndarray) -> list[Choice]:
    """The candidates that were played, best first."""
    found = []
    for action, column in zip(candidates.tolist(), samples.T, strict=True):
        played = column[~np.isnan(column)]
        if count := len(played):
            error = float(played.std(ddof=1) / count**0.5) if count > 1 else None
            found.append(Choice(action, None, float(played.mean()), error, count))
    return sorted(found, key=lambda choice: -(choice.utility or 0))
