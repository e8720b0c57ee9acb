"""Agents that are asked at the decisions of a training: those that are imitated, and base policies.

A network that sees only what its seat observes, and learns in several kinds of games from a teacher each, learns the
mean of its teachers, weighted by how likely each kind is after what it has seen (policy distillation, Rusu et al.,
arXiv:1511.06295; kickstarting, Schmitt et al., arXiv:1803.03835).
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.infos import reads_past
from w51_agents.agent.interface import Agent, AgentError, probabilities_of
from w51_agents.named.registry import make_agent
from w51_agents.networks.layers import gather_legal
from w51_agents.training.plan import PlannedGames, rows_of

_ROWS = 16_384  #  decisions that an agent is asked at once, to bound memory


class BotActions:
    """The actions of one bot at the decisions of all games, as a base policy.

    Raises:
        OptionError: A game has no such bot.
    """

    def __init__(self, name: str, planned: Sequence[PlannedGames]):
        self._bots, self._rows = [BotAgent(games.game, name) for games in planned], rows_of(planned)

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(T, N) int64, the actions that the bot would take; arguments as of `Teachers`."""
        actions = np.empty(masks.shape[:2], np.int64)
        _ask(self._bots, self._rows, BotAgent.act_batch, (observations, masks), actions)
        return actions


class Teachers:
    """The probabilities of teachers' actions at the decisions of all games.

    Args:
        planned: The games; the `teacher` of each is imitated.
        default: The agent that is imitated where they have none; None: nobody.

    Raises:
        AgentError, OptionError: An agent that does not exist, or does not play these games.
    """

    def __init__(self, planned: Sequence[PlannedGames], default: str | None):
        self._agents: list[Agent | None] = []
        for games in planned:
            name = games.teacher or default
            agent = None if name is None else make_agent(name, games.game)
            if reads_past(agent):
                raise AgentError(f"teacher {name!r}: it remembers; a teacher decides by the observation alone")
            self._agents.append(agent)
        self._rows = rows_of(planned)

    def __call__(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(T, N, actions) float32, for each decision the probabilities of its teacher, or 0 where there is none.

        Args:
            observations: (T, N, size) int8.
            masks: (T, N, actions) bool.
        """
        probabilities = np.zeros(masks.shape, np.float32)
        _ask(self._agents, self._rows, probabilities_of, (observations, masks), probabilities)
        return probabilities


def _ask(
    agents: Sequence[Agent | None],
    rows: Sequence[slice],
    ask: Callable[..., np.ndarray],
    decisions: tuple[np.ndarray, np.ndarray],
    answers: np.ndarray,
) -> None:
    """Write what `ask(agent, observations, masks)` says of decisions, (T, N, ...) each, into (T, N, ...) answers."""
    for agent, of_agent in zip(agents, rows, strict=True):
        if agent is None:
            continue
        agent.reset(0)  # draws depend on these decisions alone, not on earlier calls
        steps = max(1, _ROWS // (of_agent.stop - of_agent.start))
        for start in range(0, len(answers), steps):
            part = slice(start, start + steps), of_agent
            seen, legal = decisions[0][part], decisions[1][part].astype(np.int8)
            said = ask(agent, seen.reshape(-1, seen.shape[2]), legal.reshape(-1, legal.shape[2]))
            answers[part] = said.reshape(answers[part].shape)


def imitation_loss(logits: Tensor, targets: Tensor, legal: Tensor) -> Tensor:
    """Cross-entropy to the teachers' probabilities, a mean over all decisions; 0 for those without a teacher.

    Args:
        logits: (B, K), of the legal actions.
        targets: (B, actions).
        legal: (B, K) int64, as of `Minibatch.legal`.
    """
    return -(gather_legal(targets, legal, fill=0.0) * torch.log_softmax(logits, 1)).sum(1).mean()
