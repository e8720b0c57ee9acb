"""What a tournament is: agents, game, deals and seatings; all that its results depend on, so that it can be stopped, resumed and repeated."""

import hashlib
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.agent import Agent, AgentError, needs_determinizer
from agents.bots import BotAgent
from agents.mistakes import mistakes_of
from agents.policies.load import checkpoint_of
from agents.registry import SB3, make_agent, source_of
from arena import seatings
from arena.deals import Deals, make_deals
from arena.sequential import LOOK
from w51_env import make_game
from w51_env.core.game import Game

_LEAST_DEALS = 100  #  that all arrangements of seats must leave room for, to be played unasked
_GAMES_OF_BOTS, _GAMES_OF_NETWORKS, _GAMES_OF_SEARCHERS = 8192, 2048, 1  #  of a block, at most, and at least one deal


class Spec(BaseModel):
    """What a user asks for; kept with the results."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str = "warehouse51_v0"
    options: dict[str, Any] = Field(default_factory=dict)
    agents: tuple[str, ...]
    format: Literal["match", "pairs", "groups"] = "match"
    seatings: Literal["auto", "permutations", "rotations"] = "auto"
    games: int = Field(4000, ge=2)
    deals: str | None = None
    seed: int = Field(0, ge=0)
    limit: float | None = Field(None, gt=0)
    until_settled: bool = False
    behaviour: bool = False
    replays: int = Field(0, ge=0)
    trust: bool = False


@dataclass(frozen=True)
class Block:
    """Games that are played and kept together: one line-up on some deals, all seatings of each.

    Attributes:
        number: From 0; a lower one has no later deals.
        lineup: Which line-up.
        start, stop: The deals.
    """

    number: int
    lineup: int
    start: int
    stop: int


class Plan:
    """A tournament, worked out.

    Args:
        spec: What is asked for.

    Raises:
        AgentError: Agents that are too many, too few, not known or that cannot play this game; deals that are not known.
        OptionError: A game or an option that is not allowed.
    """

    def __init__(self, spec: Spec):
        self.spec = spec
        self.game: Game = make_game(spec.game, **spec.options)
        if not spec.agents or not all(spec.agents):
            raise AgentError(
                f"agents: {', '.join(map(repr, spec.agents)) or 'none'}, but at least one name is needed, and none may be empty"
            )
        self.names = distinct(spec.agents)
        self.lineups = seatings.line_ups(spec.format, len(spec.agents), self.game.num_players, spec.seed)
        self.agents: list[Agent] = [make_agent(name, self.game, trust=spec.trust) for name in spec.agents]
        # A class of somebody else may remember what `reset` should make it forget; so each block begins with a copy as it was made.
        self._foreign = [source_of(name) is not None for name in spec.agents]
        self.seatings = spec.seatings if spec.seatings != "auto" else self._affordable()
        games_a_deal = sum(self.seats_of(lineup) for lineup in range(len(self.lineups)))
        self.deals: Deals = make_deals(spec.deals, spec.seed, max(2, -(-spec.games // games_a_deal)))

    @property
    def num_games(self) -> int:
        """Of the whole tournament."""
        return len(self.deals.seeds) * sum(self.seats_of(lineup) for lineup in range(len(self.lineups)))

    def seats_of(self, lineup: int) -> int:
        """How many seatings of a line-up each deal is played in."""
        return (
            self.game.num_players
            if self.seatings == seatings.ROTATIONS
            else seatings.num_arrangements(self.lineups[lineup])
        )

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks: part after part of the deals, every line-up in each part."""
        size = min(self._deals_a_block(lineup) for lineup in range(len(self.lineups)))
        if self.spec.until_settled:
            size = min(size, LOOK)
        count = len(self.deals.seeds)
        parts = [(start, min(start + size, count)) for start in range(0, count, size)]
        spans = ((lineup, start, stop) for start, stop in parts for lineup in range(len(self.lineups)))
        return [Block(number, *span) for number, span in enumerate(spans)]

    def seated(self, block: Block) -> np.ndarray:
        """(deals, seatings, num_players) int64: the agents by seat in a block's games."""
        seed = int(np.random.SeedSequence((self.spec.seed, 1, block.lineup)).generate_state(1, np.uint64)[0])
        return seatings.seat(self.lineups[block.lineup], self.seatings, block.stop, seed)[block.start :]

    def agents_anew(self) -> list[Agent]:
        """The agents as they were made, for one block."""
        return [
            deepcopy(agent) if foreign else agent for agent, foreign in zip(self.agents, self._foreign, strict=True)
        ]

    def agent_seed(self, block: Block, agent: int) -> int:
        """What an agent begins a block with."""
        return int(
            np.random.SeedSequence((self.spec.seed, 2, block.lineup, block.start, agent)).generate_state(1, np.uint64)[
                0
            ]
        )

    @cached_property
    def deal_facts(self) -> dict[str, Any]:
        """Which deals these are: `name`, `count`, `digest`."""
        return {"name": self.deals.name, "count": len(self.deals.seeds), "digest": self.deals.digest(self.game)}

    def digests(self) -> dict[str, str]:
        """SHA-256 of the files of those agents that come from files: of checkpoints, and of the modules of classes."""
        found = {}
        for name in self.spec.agents:
            path = source_of(name) or checkpoint_of(name.removeprefix(SB3), self.game)
            if name not in self.game.bots and path.is_file():
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def _affordable(self) -> str:
        """Permutations, if they leave enough deals; not where agents are listed twice, for to swap those changes nothing."""
        games = sum(seatings.num_arrangements(lineup) for lineup in self.lineups)
        fits = games * _LEAST_DEALS <= self.spec.games and len(set(self.spec.agents)) == len(self.spec.agents)
        return seatings.PERMUTATIONS if fits else seatings.ROTATIONS

    def _deals_a_block(self, lineup: int) -> int:
        agents = [self.agents[agent] for agent in np.unique(self.lineups[lineup])]
        if self.spec.limit is not None or any(map(needs_determinizer, agents)):
            games = _GAMES_OF_SEARCHERS
        elif all(isinstance(agent, BotAgent) for agent in agents):
            games = _GAMES_OF_BOTS
        else:
            games = _GAMES_OF_NETWORKS
        return max(1, games // self.seats_of(lineup))


def parse_spec(data: Any, source: str) -> Spec:
    """The spec in plain data; AgentError, naming every mistake, if it is none."""
    try:
        return Spec.model_validate(data)
    except ValidationError as error:
        raise AgentError(f"{source}: {'; '.join(mistakes_of(error, Spec))}") from None


def distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, with ` (2)`, ` (3)` ... where one comes again."""
    told: list[str] = []
    for name in names:
        number = sum(name == other for other in names[: len(told)]) + 1
        told.append(name if number == 1 else f"{name} ({number})")
    return tuple(told)
