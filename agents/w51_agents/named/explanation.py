"""Explanations of decisions: the action of an agent, with probabilities, a value or the utilities of a search.

Agents offer these by methods that `PolicyAgent` and `SearchAgent` have. `explain_decision` uses those that it finds:

- `explain(observation, action_mask, info)`: the action with the utilities of the candidates (`SearchAgent.explain`);
- `policy(observations, action_masks)`, else `probabilities`: (N, num_actions);
- `values(observations, action_masks)`: (N,), the expected reward of the seat to move;
- `belief(observation, action_mask)`: whom it believes to play with: for each other seat, 1 being the next one clockwise
  from the seat to move, the probability of each style of player by its name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from w51_agents.agent.interface import Agent, check_actions
from w51_agents.networks.load import WIN, value_unit
from w51_env.engine.game import Game


@dataclass(frozen=True)
class Choice:
    """What an agent reports of one action.

    Attributes:
        action: The action id.
        probability: Probability of the action in the agent's policy; None: not offered.
        utility: Mean utility of the action in the playouts of a search, 0 to 1; None: not searched.
        error: Standard error of `utility`; None if there are fewer than two playouts.
        playouts: Number of playouts that began with the action.
        points: Mean final score of the seat in them; None: not counted.
        lead_error: Standard error of what the first choice leads by, of pairs of playouts; None: none, or not paired.
    """

    action: int
    probability: float | None = None
    utility: float | None = None
    error: float | None = None
    playouts: int = 0
    points: float | None = None
    lead_error: float | None = None


@dataclass(frozen=True)
class Limit:
    """How high a seat may go for the lot on the table.

    Attributes:
        highest: Action id of the highest bid that is no worse than a pass; None: no bid is.
        passed: Part of the wins after a pass, 0 to 1.
        bids: Some bids, the least first: action id, part of the wins after it, and standard error of what it is better
            or worse by than a pass.
    """

    highest: int | None
    passed: float
    bids: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True)
class Explanation:
    """An agent's explanation of one decision. It contains nothing that is hidden from the seat to move.

    Attributes:
        agent: Name of the agent.
        action: The action that it chooses.
        value: Its estimate of the reward of the seat to move, in the units it was trained on; None: not offered.
        choices: The actions that it reports on, best first; empty if it offers nothing.
        unit: What `value` is, as of `value_unit`; None if it is not known.
        belief: For each other seat, 1 being the next one clockwise, the probability of each style of player by its
            name; empty: not offered.
        limit: How high the seat may go for the lot; None: not offered, or there is no lot to bid for.
        is_whole: More time would change nothing.
    """

    agent: str
    action: int
    value: float | None = None
    choices: tuple[Choice, ...] = ()
    unit: str | None = None
    belief: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    limit: Limit | None = None
    is_whole: bool = True

    def likeliest(self) -> "Explanation":
        """The same, but the action of an agent that draws its actions is the likeliest one."""
        if not self.choices or self.choices[0].probability is None:
            return self
        return replace(self, action=self.choices[0].action)

    def chance(self, num_players: int) -> float | None:
        """The chance to win that the agent expects for the seat to move, 0 to 1; None if `value` is something else."""
        if self.value is None or self.unit != WIN:
            return None
        return min(1.0, max(0.0, self.value + 1 / num_players))  # its reward is the win less an equal share


def explain_decision(
    name: str, agent: Agent, game: Game, observation: np.ndarray, mask: np.ndarray, info: dict[str, Any] | None = None
) -> Explanation:
    """Let an agent decide and explain the decision.

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
    explains: Any = agent  # the optional methods
    choices: list[Choice] = []
    if hasattr(agent, "explain"):
        action, candidates, samples = explains.explain(observation, mask, info)
        choices = _searched(candidates, samples)
    else:
        probabilities = getattr(agent, "policy", getattr(agent, "probabilities", None))
        if probabilities is not None:
            choices = _likeliest(probabilities(observation[None], mask[None])[0], mask)
        action = agent.act(observation, mask, info)
    value = float(explains.values(observation[None], mask[None])[0]) if hasattr(agent, "values") else None
    [action] = check_actions(name, np.array([action]), mask[None], game)
    belief = explains.belief(observation, mask) if hasattr(agent, "belief") else {}
    return Explanation(name, int(action), value, tuple(choices), value_unit(name, game), belief)


def _likeliest(probabilities: np.ndarray, mask: np.ndarray) -> list[Choice]:
    """All legal actions, the likeliest first."""
    order = np.argsort(-probabilities, kind="stable")
    return [Choice(int(action), float(probabilities[action])) for action in order[mask[order] != 0]]


def _searched(candidates: np.ndarray, samples: np.ndarray) -> list[Choice]:
    """The candidates that were played, best first."""
    choices = []
    for action, column in zip(candidates.tolist(), samples.T, strict=True):
        played = column[~np.isnan(column)]
        if count := len(played):
            error = float(played.std(ddof=1) / count**0.5) if count > 1 else None
            choices.append(Choice(action, None, float(played.mean()), error, count))
    return sorted(choices, key=lambda choice: -(choice.utility or 0))
