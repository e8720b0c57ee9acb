"""`response:NAME`, a local best response: each decision is searched by playouts in which NAME has all seats.

The responder knows the policy of the others, not what is hidden from its seat. What it wins is a lower bound of what
a best response wins: it looks one decision ahead, and then plays as NAME does (Lisy and Bowling, "Equilibrium
approximation quality of current no-limit poker bots", AAAI workshop on computer poker, 2017).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from w51_agents.agent.infos import reads_past
from w51_agents.agent.interface import Agent, AgentError
from w51_agents.search.agent_playouts import agent_playouts
from w51_agents.search.playouts import Outcomes
from w51_agents.search.priors import Likeliest
from w51_agents.search.response_settings import parse_response
from w51_agents.search.search_agent import Parts, SearchAgent
from w51_agents.search.search_settings import SearchSettings
from w51_agents.search.search_state import SearchState
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game
from w51_env.engine.options import REWARDS


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
    if reads_past(agent) or getattr(agent, "needs_determinizer", False):
        raise AgentError(f"agent {spec!r}: {name} reads more than an observation, and cannot play playouts")
    search = SearchSettings(playouts=settings.playouts, margin=settings.margin, z_threshold=0.0)
    prior = Likeliest(game, agent, settings.least_pass)
    return ResponseAgent(game, search, Parts(*agent_playouts(game, agent), prior))


class ResponseState(SearchState):
    """A decision of a response, which maximises what the game pays: the win, or a payoff that is no part of one."""

    tolerance: float | None = 0.02  # some 0.9 points of chance: half the playouts, and as much won

    def utilities(self, outcomes: Outcomes) -> np.ndarray:
        if self.game.options["reward"] in REWARDS:
            return super().utilities(outcomes)
        self.budget.spend(len(outcomes.scores))
        return outcomes.scores.astype(np.float64)


class ResponseAgent(SearchAgent):
    """A search among copies of an agent that it knows."""

    stateless = True
    round_size = 64  # so that it stops early: many searches run together and share the calls
    games_together = 64  # in a block of a tournament

    def _state(self, determinizer: Determinizer, candidates: np.ndarray, seed: int) -> SearchState:
        return ResponseState(determinizer, candidates, self.settings, self._imputation, seed)
