"""`response:NAME`, a local best response: each decision is searched by playouts in which NAME has all seats.

The responder knows the policy of the others, not what is hidden from its seat. What it wins is a lower bound of what
a best response wins: it looks one decision ahead, and then plays as NAME does (Lisy and Bowling, "Equilibrium
approximation quality of current no-limit poker bots", AAAI workshop on computer poker, 2017).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.infos import history_rows, needs_memory
from w51_agents.agent.interface import Agent, AgentError, probabilities_of
from w51_agents.search.playouts import Outcomes, Player, PlayerPlayouts, Playouts
from w51_agents.search.priors import Prior
from w51_agents.search.response_settings import parse_response
from w51_agents.search.search_agent import Parts, SearchAgent
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env.engine.bots import Bot
from w51_env.engine.game import Game
from w51_env.engine.options import REWARDS

_MOST, _MIN_PROBABILITY = 12, 0.01  # candidates; of one, relative to the likeliest
_PASS, _MIN_OF_PASS = "pass", 0.001  # an action of this name is one from here on


def make_response(spec: str, game: Game, make: Callable[[str, Game], Agent]) -> SearchAgent:
    """The response of a name.

    Args:
        spec: `response:AGENT`, and settings after it.
        game: The game it plays.
        make: Makes the agent that it responds to.

    Raises:
        AgentError: The name is none of a response, or the agent cannot play from the middle of a game.
    """
    name, settings = parse_response(spec)
    agent: Any = make(name, game)
    if needs_memory(agent) or history_rows(agent) or getattr(agent, "needs_determinizer", False):
        raise AgentError(f"agent {spec!r}: {name} reads more than an observation, and cannot play playouts")
    search = SearchSettings(playouts=settings.playouts, margin=settings.margin, z_threshold=0.0)
    return ResponseAgent(game, search, _parts(game, agent))


class ResponseState(SearchState):
    """A decision of a response, which maximises what the game pays: the win, or a payoff that is no part of one."""

    z_certain = 2.5  # a fifth fewer playouts, and as much won

    def utilities(self, outcomes: Outcomes) -> np.ndarray:
        if self.game.options["reward"] in REWARDS:
            return super().utilities(outcomes)
        self.budget.spend(len(outcomes.scores))
        return outcomes.scores.astype(np.float64)


class ResponseAgent(SearchAgent):
    """A search among copies of an agent that it knows."""

    stateless = True
    state_of_search = ResponseState
    round_size = 64  # so that it stops early: many searches run together and share the calls


def _parts(game: Game, agent: Any) -> Parts:
    player = _player(game, agent)
    playouts = Playouts(game, player.name) if isinstance(player, Bot) else PlayerPlayouts(game, player)
    return Parts(player, playouts, Likeliest(game, agent))


def _player(game: Game, agent: Any) -> Player:
    """What plays as an agent does, by compiled code where there is some."""
    if isinstance(agent, BotAgent):
        return agent.bot
    if hasattr(agent, "agents") and hasattr(agent, "rows"):
        return MimicPlayer(agent, [_player(game, part) for part in agent.agents])
    if (network := getattr(agent, "network", None)) is not None:
        from w51_agents.networks.fast.compiled import CompiledPolicy, is_compilable

        if is_compilable(network):
            return CompiledPolicy(agent.game, network, agent.shown.size, agent.tilt, agent.greedy)
    return AgentPlayer(agent)


class AgentPlayer:
    """Plays as an agent does, whose draws follow from random bits: equal bits, equal actions.

    Args:
        agent: The agent. One that tells no probabilities is asked for its actions.
    """

    def __init__(self, agent: Any):
        self._agent = agent

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `Player.choose`."""
        cumulative = probabilities_of(self._agent, observations, action_masks).astype(np.float64).cumsum(axis=1)
        quantiles = (_mixed(bits) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return (cumulative <= (quantiles * cumulative[:, -1])[:, None]).sum(axis=1)


class MimicPlayer:
    """Plays as a mimic does.

    Args:
        agent: The mimic, whose `rows` say which of its agents decides where.
        players: What plays as each of its agents.
    """

    def __init__(self, agent: Any, players: list[Player]):
        self._agent, self._players = agent, players

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `Player.choose`."""
        actions = np.empty(len(bits), np.int64)
        for number, rows in self._agent.rows(observations):
            actions[rows] = self._players[number].choose(observations[rows], action_masks[rows], bits[rows])
        return actions


def _mixed(bits: np.ndarray) -> np.ndarray:
    """(N,) uint64: bits that differ in few places become numbers that have nothing in common (SplitMix64)."""
    with np.errstate(over="ignore"):
        mixed = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


class Likeliest(Prior):
    """The likeliest actions of an agent in order; of an agent that only chooses, bids around its choice.

    Args:
        game: The game.
        agent: The agent.
    """

    def __init__(self, game: Game, agent: Any):
        super().__init__(game, agent)
        self._passes = [action for action, each in enumerate(game.actions) if each.name == _PASS]

    def candidates(self, observations: np.ndarray, action_masks: np.ndarray) -> list[np.ndarray]:
        policy = getattr(self._agent, "policy", None)
        if policy is None:
            return super().candidates(observations, action_masks)
        rows = np.asarray(policy(observations, action_masks))
        return [self._of_row(row) for row in rows]

    def _of_row(self, row: np.ndarray) -> np.ndarray:
        order = np.argsort(-row, kind="stable")[:_MOST]
        least = row[order[0]] * np.where(np.isin(order, self._passes), _MIN_OF_PASS, _MIN_PROBABILITY)
        return order[(row[order] > 0) & (row[order] >= least)]
