"""Who plays a block: agents of this package one player each, all others one for each of their seats.

In a block in which an agent of others plays, each deal is played in one seating only. So no call to it, no object and
no process of it meets a deal twice, and it cannot combine what two seats see of one deal.
"""

import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from w51_agents.agent.interface import Agent
from w51_agents.agent.seeds import is_stateless
from w51_agents.isolation.isolated import RESET_SECONDS, IsolatedAgent
from w51_agents.isolation.link import AgentFailure
from w51_agents.named.registry import make_agent
from w51_env.engine.game import RANDOM, Game
from w51_lab.arena.match_loop import DecisionBatch, StrictRunner, play

SLOW_SECONDS = 0.05  #  for one decision: then a block of 2,048 games would take an hour
_TIMED = 3  #  decisions; the first may load what the others use


@dataclass(frozen=True)
class MatchPlayer:
    """An agent as it plays some seats of a block.

    Attributes:
        index: Index of the agent in the tournament.
        copy: Which of the agent's seats of each game it plays, from 0; 0 if it plays all of them.
        agent: The agent.
    """

    index: int
    copy: int
    agent: Agent

    def end(self) -> None:
        """End its process, if it has one of its own."""
        if isinstance(self.agent, IsolatedAgent):
            self.agent.end()


def seated_players(
    names: tuple[str, ...], agents: list[Agent], game: Game, seated: np.ndarray
) -> tuple[list[MatchPlayer], np.ndarray]:
    """The players of games, by agent, and (N, num_players) int64, the index of the player in each seat.

    Args:
        names: Names of the agents.
        agents: The agents.
        game: The game.
        seated: (N, num_players) int64, index of the agent in each seat.
    """
    players: list[MatchPlayer] = []
    player_of_seat = np.empty_like(seated)
    for index, (name, agent) in enumerate(zip(names, agents, strict=True)):
        is_agent = seated == index
        if is_stateless(agent):
            player_of_seat[is_agent] = len(players)
            players.append(MatchPlayer(index, 0, agent))
        else:
            seats = is_agent.cumsum(axis=1)  # its first seat of a game, its second one, ...
            player_of_seat[is_agent] = (len(players) + seats - 1)[is_agent]
            another = agent.copy if isinstance(agent, IsolatedAgent) else partial(make_agent, name, game)
            players += [MatchPlayer(index, number, another()) for number in range(max(1, int(seats.max())))]
    return players, player_of_seat


def is_slow(agent: Agent, game: Game, seed: int, seconds: float | None) -> bool:
    """Whether an agent decides slowly: its class declares `is_slow`, or its first decisions show it.

    Args:
        agent: The agent.
        game: The game.
        seed: Seed of the game that it begins to play, and of the agent.
        seconds: Time limit for a decision.
    """
    declared: Any = getattr(agent, "is_slow", None)
    if declared is not None or not isinstance(agent, IsolatedAgent):
        return bool(declared)
    timed = _Timed(agent.copy(), seconds or RESET_SECONDS)
    try:
        timed.agent.begin()
        timed.agent.reset(seed)
        others = StrictRunner(RANDOM, make_agent(RANDOM, game), game)
        seated = np.minimum(np.arange(game.num_players), 1)[None]  # one seat: it must not meet a deal twice here either
        play(game, [timed, others], seated, np.array([seed], np.uint64))
    except (_EnoughError, AgentFailure):
        pass
    finally:
        timed.agent.end()
    return min(timed.seconds, default=0.0) > SLOW_SECONDS


class _EnoughError(Exception):
    """As many decisions were timed as are needed."""


@dataclass
class _Timed:
    """A runner that times the first decisions of an agent, whatever it decides."""

    agent: IsolatedAgent
    limit: float
    seconds: list[float] = field(default_factory=list)

    def actions(self, decisions: DecisionBatch) -> np.ndarray:
        """(1,) int64, the first legal action; _EnoughError after some decisions."""
        if len(self.seconds) == _TIMED:
            raise _EnoughError
        begun = time.perf_counter()
        try:
            self.agent.act_within(self.limit, decisions.observations, decisions.masks, decisions.infos)
        finally:
            self.seconds.append(time.perf_counter() - begun)
        return decisions.masks.argmax(axis=1)
