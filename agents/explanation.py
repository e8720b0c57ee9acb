"""What an agent reports of one decision: its action, the probabilities of its policy, its value, what its search found.

Agents offer these by methods that `PolicyAgent` and `SearchAgent` have. `explain` uses those that it finds:

- `explain(observation, action_mask, info)`: the action with the utilities of the candidates (`SearchAgent.explain`);
- `policy(observations, action_masks)`, else `probabilities`: (N, num_actions);
- `values(observations, action_masks)`: (N,), the expected reward of the seat to move.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from w51_env.agents.agent import Agent, check_actions, needs_determinizer, needs_view
from w51_env.agents.registry import make_agent
from w51_env.core.game import Game
from w51_env.render.replay_page import Report
from w51_env.replays.frames import Frame
from w51_env.system.agent_seeds import agent_seed
from w51_env.views.language import Words

_LEAST_PROBABILITY = 0.001  # of an action that is reported
_ROWS = 8  #                  actions of a report at most


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
class Explanation:
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


def explain(
    name: str, agent: Agent, game: Game, observation: np.ndarray, mask: np.ndarray, info: dict[str, Any] | None = None
) -> Explanation:
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
    return Explanation(name, int(check_actions(name, np.array([action]), mask[None], game)[0]), value, tuple(choices))


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


def report_of(found: Explanation, frame: Frame, words: Words) -> Report:
    """An explanation of a frame's decision as texts in a language."""
    texts = {action["id"]: action["text"] for action in frame.view(frame.seat, words).actions}
    rows = []
    for choice in found.choices[:_ROWS]:
        mark = "▸ " if choice.action == found.action else ""
        label, fraction = "", 0.0
        if choice.probability is not None:
            label, fraction = words.decimal(choice.probability, ".1%"), choice.probability
        elif choice.utility is not None:
            spread = f" ± {words.decimal(choice.error, '.3f')}" if choice.error is not None else ""
            label, fraction = words.decimal(choice.utility, ".3f") + spread, choice.utility
        rows.append((label, fraction, mark + texts[choice.action]))
    searched = any(choice.utility is not None for choice in found.choices)
    value = ""
    if found.value is not None:
        value = words("insight.value", value=words.decimal(found.value, "+.3f"))
    elif searched:
        value = words("insight.playouts", playouts=sum(choice.playouts for choice in found.choices))
    title = words("insight.chooses", agent=found.agent, action=texts[found.action])
    return Report(title, value, rows)


class HintAgent:
    """An agent that decides single frames; the same frame and seed give the same decision.

    Args:
        name: Name of the agent, as in evaluate.py.
        game: The game with its rules bound.
        seed: Seed of its draws.
        trust: Load pickled models, which can run any code.

    Raises:
        AgentError: The agent is unknown, or cannot play this game.
    """

    def __init__(self, name: str, game: Game, seed: int, *, trust: bool = False):
        self.name = name
        self.agent: Agent = make_agent(name, game, trust=trust)
        self._seed = seed

    def decide(self, frame: Frame) -> Explanation:
        """What the agent does in a frame, with what it reports of the decision."""
        own = int(np.random.SeedSequence([self._seed, frame.number]).generate_state(1)[0])
        self.agent.reset(agent_seed(self.agent, own, "decision", self._seed, frame.number))
        info: dict[str, Any] = {"determinizer": frame.determinizer()} if needs_determinizer(self.agent) else {}
        if needs_view(self.agent):
            info["view"] = frame.view(frame.seat)
        return explain(self.name, self.agent, frame.game, frame.observation.copy(), frame.mask.copy(), info or None)
