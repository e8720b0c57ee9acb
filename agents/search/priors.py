"""Who says, before a search, which actions are worth a thought and which one is to be taken when in doubt."""

from typing import Any, Protocol

import numpy as np

from agents.agent import Agent, AgentError
from agents.bots import BotAgent
from agents.search.candidates import Ladders
from w51_env.core.errors import nearest
from w51_env.core.game import Game
from w51_env.core.loops import RANDOM_BOT

_MOST = 12  #       actions that a network's policy leaves
_LEAST_CHANCE = 0.01  # of an action that it leaves, as a part of that of the likeliest


class Prior(Protocol):
    """Advice on decisions."""

    def reset(self, seed: int) -> None:
        """Begin anew."""

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        """For each decision the ids of the actions to think about, the prior's own choice first; the arguments are those of `act_batch`."""


class AgentPrior:
    """An agent that only chooses: bids are thinned out around its choice.

    Args:
        game: The game.
        agent: The agent.
    """

    def __init__(self, game: Game, agent: Agent):
        self._agent = agent
        self._ladders = Ladders(game)

    def reset(self, seed: int) -> None:
        """See `Prior.reset`."""
        self._agent.reset(seed)

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        """See `Prior.candidates`."""
        chosen = self._agent.act_batch(observations, action_masks).tolist()
        return [
            self._ladders.thin(np.flatnonzero(mask), choice) for mask, choice in zip(action_masks, chosen, strict=True)
        ]


class PolicyPrior:
    """A network's policy: its likeliest actions, in this order.

    Args:
        agent: An agent that knows how likely each action is.
    """

    def __init__(self, agent: Any):
        self._agent = agent

    def reset(self, seed: int) -> None:
        """See `Prior.reset`."""
        self._agent.reset(seed)

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        """See `Prior.candidates`."""
        found = []
        for chances in self._agent.probabilities(observations, action_masks):
            order = np.argsort(-chances, kind="stable")[:_MOST]
            found.append(order[(chances[order] > 0) & (chances[order] >= _LEAST_CHANCE * chances[order[0]])])
        return found


def rollout_bot(game: Game, name: str | None) -> str:
    """The bot that plays the playouts: the one of this name, or the game's best.

    Raises:
        AgentError: The game has no bot of this name.
    """
    if name is None:
        return game.bots[-1]
    if name not in game.bots:
        raise AgentError(
            f"rollout: {name!r}, but the bots of {game.id} are {', '.join(game.bots)}{nearest(name, game.bots)}"
        )
    return name


def make_prior(game: Game, name: str | None, rollout: str) -> Prior:
    """The prior of this name.

    Args:
        game: The game.
        name: A bot or a checkpoint; None: the bot of the playouts, or the game's best if that is `random`.
        rollout: The bot of the playouts.

    Raises:
        AgentError: Neither a bot nor a checkpoint that can play this game.
    """
    if name is None:
        name = game.bots[-1] if rollout == game.bots[RANDOM_BOT] else rollout
    if name in game.bots:
        return AgentPrior(game, BotAgent(game, name))
    from agents.policies.load import checkpoint_of, load_agent

    if not checkpoint_of(name, game).exists():
        known = ", ".join(game.bots)
        raise AgentError(
            f"prior: {name!r}, but a bot of {game.id} ({known}) or a checkpoint is needed{nearest(name, game.bots)}"
        )
    agent: Any = load_agent(game, name)
    if hasattr(agent, "probabilities"):
        agent.greedy = False  # so that it tells of its policy and not of its choice alone
        return PolicyPrior(agent)
    return AgentPrior(game, agent)
