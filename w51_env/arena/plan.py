"""The specification of a tournament and the plan made from it: agents, game, deals, line-ups and seatings, blocks.

Results depend on nothing else, so a tournament can be stopped, resumed and repeated.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from w51_env import make_game
from w51_env.agents.agent import Agent, AgentError, needs_determinizer
from w51_env.agents.bots import BotAgent
from w51_env.agents.files import FileDigest, check_files, file_data, files_of, files_of_game, stamps
from w51_env.agents.imports import is_allowed
from w51_env.agents.isolated import MEMORY_LIMIT, AgentSource, IsolatedAgent
from w51_env.agents.registry import make_agent, runs_third_party_code, split_label, third_party_network
from w51_env.arena import seatings
from w51_env.arena.deals import Deals, hidden_deals, make_deals
from w51_env.arena.players import is_slow
from w51_env.arena.sequential import LOOK_EVERY
from w51_env.console.settings import mistakes_of
from w51_env.core.game import Game
from w51_env.replays.option_files import kept_options
from w51_env.system.agent_seeds import is_stateless, process_secret, secret_seed

_DEALS_FOR_PERMUTATIONS = 100  # or more: `auto` chooses permutations
_MIN_DEALS = 2  # for an interval
# Games of a block at most; at least one deal.
_GAMES_OF_BOTS, _GAMES_OF_NETWORKS = 8192, 2048
ALL_SEATINGS = -1


class Spec(BaseModel):
    """The specification of a tournament; stored with its results.

    The options of `evaluate.py` are made from these fields: names, types, defaults and help.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    agents: tuple[str, ...] = Field(
        max_length=300,
        description="random, heuristic, pretrained, the folder of a run, a checkpoint, search:playouts=200, "
        "sb3:model.zip, module:Class,key=value or module:function; :sampled or :greedy after a network. NAME=AGENT "
        "gives it a name in tables. With fewer agents than "
        "seats, the second, third, ... agents take the remaining seats in turn.",
    )
    names: tuple[str, ...] = Field(
        (), description="What the agents are called, empty for their own names; else `agents` may be NAME=AGENT."
    )
    game: str = Field("warehouse51_v0", description="Id of a registered game.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the game.")
    games: int = Field(4000, ge=2, le=10_000_000, description="Number of games, rounded up to whole deals.")
    format: Literal["match", "pairs", "panel", "groups"] = Field(
        "match",
        description="match: one line-up. pairs: each agent alone among copies of each other agent. panel: the first "
        "agent in every mixture with each other agent. groups: all line-ups of different agents.",
    )
    seatings: Literal["auto", "permutations", "rotations"] = Field(
        "auto", description="Seatings of each deal. auto: permutations if they leave 100 deals or more, else rotations."
    )
    deals: str | None = Field(
        None, description="Published set of deals: deals:v1. Default: deals drawn from the seed.", examples=["deals:v1"]
    )
    seed: int | None = Field(
        None,
        ge=0,
        description="Seed of the deals and of the agents of this package. Default: 0; with agents of others a secret "
        "one. The same seed gives the same results, for any number of workers.",
    )
    until_decided: bool = Field(
        False, description="Stop as soon as a sequential test has decided every difference of two agents."
    )
    time_limit: float | None = Field(
        None, gt=0, description="Seconds for one decision; an agent that takes longer forfeits it. Default: no limit."
    )
    behaviour: bool = Field(False, description="Also record tables of what the agents do; needs --out.")
    replays: int = Field(0, ge=0, description="Number of games whose replays are kept; needs --out.")
    surprising: int = Field(0, ge=0, description="Number of most surprising games whose replays are kept; needs --out.")
    memory_limit: float = Field(
        MEMORY_LIMIT, gt=0, le=1_000_000, description="GiB of memory for the data of each isolated agent."
    )
    trust: bool = Field(False, description="Load pickled models, which can run any code.")

    @model_validator(mode="before")
    @classmethod
    def _labels(cls, data: Any) -> Any:
        """`NAME=AGENT` as a name and an agent."""
        agents = data.get("agents") if isinstance(data, dict) else None
        if not isinstance(agents, list | tuple) or data.get("names") or not all(isinstance(one, str) for one in agents):
            return data
        labels, named = zip(*map(split_label, agents), strict=True) if agents else ((), ())
        return {**data, "agents": named, "names": labels} if any(labels) else data


@dataclass(frozen=True)
class Kept:
    """What a tournament keeps in its folder beside its specification, so that it can be continued and repeated.

    Attributes:
        secret: From it the seeds of agents of others are computed; 64 hexadecimal digits.
        slow: Names of the agents whose first decisions were slow; None: not measured yet.
    """

    secret: str = field(default_factory=process_secret)
    slow: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Block:
    """Games that are played and stored together: one line-up, a range of deals, all seatings of each or one.

    Attributes:
        number: Index of the block; blocks are ordered by deals, then line-up, then seating.
        lineup: Index of the line-up.
        start, stop: Range of deals.
        seating: Index of the seating; ALL_SEATINGS if no agent would meet a deal twice that must not.
    """

    number: int
    lineup: int
    start: int
    stop: int
    seating: int = ALL_SEATINGS


class Plan:
    """A tournament: the game, agents, line-ups, seatings, deals and blocks of a specification.

    Args:
        spec: The specification.
        kept: What an earlier tournament has kept, to continue or to repeat it.

    Attributes:
        spec: The specification, with the content of files in place of the paths of options.
        files: The files that each agent reads, by its name in the specification.

    Raises:
        AgentError: Too many or too few agents, an agent that is unknown or cannot play this game, or an unknown set of
            deals.
        OptionError: An unknown game, or a bad option.
    """

    def __init__(self, spec: Spec, kept: Kept | None = None):
        self.game: Game = make_game(spec.game, **spec.options)
        self.spec = spec = spec.model_copy(update={"options": kept_options(spec.options, self.game)})
        if not spec.agents or not all(spec.agents):
            given = ", ".join(map(repr, spec.agents)) or "none given"
            raise AgentError(f"agents: {given}, but at least one name is needed, and none may be empty")
        for name in (*spec.agents, *spec.names):
            if not name.isprintable():
                raise AgentError(f"agents: {name!a}, but the letters of a name must be printable")
        labels = spec.names or ("",) * len(spec.agents)
        if len(labels) != len(spec.agents):
            raise AgentError(f"names: {len(labels)}, but {len(spec.agents)} agents")
        self.names = unique_names(tuple(label or name for label, name in zip(labels, spec.agents, strict=True)))
        self.lineups = seatings.line_ups(spec.format, len(spec.agents), self.game.num_players, spec.seed or 0)
        self.agents: list[Agent] = [self._make_agent(name) for name in spec.agents]
        self.files = self._files_now()
        self._stamps = stamps(self.files)
        self._is_foreign = [not is_stateless(agent) for agent in self.agents]
        self.kept = self._measured(kept or Kept())
        self.seatings = spec.seatings if spec.seatings != "auto" else self._affordable()
        games_a_deal = sum(self.num_seatings(lineup) for lineup in range(len(self.lineups)))
        count = max(_MIN_DEALS, -(-spec.games // games_a_deal))
        self.deals: Deals = (
            hidden_deals(secret_seed(self.kept.secret, "deals"), count)
            if spec.deals is None and spec.seed is None and any(self._is_foreign)
            else make_deals(spec.deals, spec.seed or 0, count)
        )

    @property
    def num_games(self) -> int:
        """Number of games of the whole tournament."""
        return len(self.deals.seeds) * sum(self.num_seatings(lineup) for lineup in range(len(self.lineups)))

    def num_seatings(self, lineup: int) -> int:
        """Return the number of seatings of a line-up for each deal."""
        if self.seatings == seatings.ROTATIONS:
            return self.game.num_players
        return seatings.num_arrangements(self.lineups[lineup])

    def seatings_of(self, block: Block) -> slice:
        """The seatings of each deal that a block holds."""
        return slice(None) if block.seating == ALL_SEATINGS else slice(block.seating, block.seating + 1)

    @property
    def rounding(self) -> str | None:
        """Why more games are played than were asked for; None if they are not."""
        games, deals = self.num_games, len(self.deals.seeds)
        if games == self.spec.games:
            return None
        least = f", and intervals need at least {_MIN_DEALS} deals" if deals == _MIN_DEALS else ""
        why = f"each deal is played in {games // deals} games, so that all agents get the same seats{least}"
        return f"{games:,} games will be played, where {self.spec.games:,} were asked for: {why}"

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks: the deals in ranges, each range with every line-up."""
        size = min(self._deals_a_block(lineup) for lineup in range(len(self.lineups)))
        if self.spec.until_decided:
            size = min(size, LOOK_EVERY)
        count = len(self.deals.seeds)
        parts = [(start, min(start + size, count)) for start in range(0, count, size)]
        spans = (
            (lineup, start, stop, seating)
            for start, stop in parts
            for lineup in range(len(self.lineups))
            for seating in (range(self.num_seatings(lineup)) if self._is_apart(lineup) else [ALL_SEATINGS])
        )
        return [Block(number, *span) for number, span in enumerate(spans)]

    def seated(self, block: Block) -> np.ndarray:
        """(deals, seatings, num_players) int64: index of the agent in each seat of a block's games."""
        seed = int(np.random.SeedSequence((self.spec.seed or 0, 1, block.lineup)).generate_state(1, np.uint64)[0])
        by_deal = seatings.seat(self.lineups[block.lineup], self.seatings, block.stop, seed)
        return by_deal[block.start :, self.seatings_of(block)]

    def close(self) -> None:
        """End the processes of isolated agents; they start again if they are needed."""
        for agent in self.agents:
            if isinstance(agent, IsolatedAgent):
                agent.close()

    def agent_seed(self, block: Block, agent: int, copy: int) -> int:
        """Return the seed of a copy of an agent for a block."""
        if self._is_foreign[agent]:
            return secret_seed(self.kept.secret, block.lineup, block.start, block.seating, agent, copy)
        place = (block.lineup, block.start, agent, *([] if block.seating == ALL_SEATINGS else [block.seating]))
        return int(np.random.SeedSequence((self.spec.seed or 0, 2, *place)).generate_state(1, np.uint64)[0])

    @cached_property
    def deal_facts(self) -> dict[str, Any]:
        """`name`, `count` and `digest` of the deals."""
        return {"name": self.deals.name, "count": len(self.deals.seeds), "digest": self.deals.digest(self.game)}

    def _files_now(self) -> dict[str, list[FileDigest]]:
        """The files that each agent reads, and that of a game which is not registered, as they are now; by name.

        Raises:
            AgentError: A file cannot be read.
        """
        found = {
            name: files_of(name, self.game, agent) for name, agent in zip(self.spec.agents, self.agents, strict=True)
        }
        return {**found, **files_of_game(self.spec.game)}

    def check_files(self) -> None:
        """AgentError if a file that an agent reads has changed since the plan was made."""
        if (now := stamps(self.files)) != self._stamps:
            check_files(file_data(self.files), self._files_now(), "these games")
            self._stamps = now

    def _make_agent(self, name: str) -> Agent:
        """The agent of this name; one that runs third-party code as an isolated agent, in a process of its own."""
        spec, network = self.spec, third_party_network(name, self.game)
        trust = spec.trust or (network is not None and is_allowed(network))
        if not runs_third_party_code(name) and (network is None or not trust):  # which then is refused
            return make_agent(name, self.game, trust=trust)
        return IsolatedAgent(AgentSource(name, spec.game, spec.options, trust, spec.memory_limit), self.game)

    def _affordable(self) -> str:
        """Permutations if they leave enough deals and no agent is listed twice: to swap two copies changes nothing."""
        games = sum(seatings.num_arrangements(lineup) for lineup in self.lineups)
        are_different = len(set(self.spec.agents)) == len(self.spec.agents)
        fits = games * _DEALS_FOR_PERMUTATIONS <= self.spec.games and are_different
        return seatings.PERMUTATIONS if fits else seatings.ROTATIONS

    def _measured(self, kept: Kept) -> Kept:
        """The same with the agents that are slow."""
        if kept.slow is not None:
            return kept
        named = zip(self.spec.agents, self.agents, strict=True)
        limit, seed = self.spec.time_limit, secret_seed(kept.secret, "measured")
        return replace(kept, slow=tuple(name for name, agent in named if is_slow(agent, self.game, seed, limit)))

    def _has_slow(self, lineup: int) -> bool:
        return any(self.spec.agents[agent] in (self.kept.slow or ()) for agent in self.lineups[lineup])

    def _is_apart(self, lineup: int) -> bool:
        """Whether each seating is a block: an agent must not meet a deal twice, or each game is worth keeping."""
        return self._has_slow(lineup) or any(self._is_foreign[agent] for agent in self.lineups[lineup])

    def _deals_a_block(self, lineup: int) -> int:
        agents = [self.agents[agent] for agent in np.unique(self.lineups[lineup])]
        seatings = self.num_seatings(lineup)
        if self._has_slow(lineup):
            return 1
        if self.spec.time_limit is not None or any(map(needs_determinizer, agents)):
            games = seatings
        elif all(isinstance(agent, BotAgent) for agent in agents):
            games = _GAMES_OF_BOTS
        else:
            games = _GAMES_OF_NETWORKS
        return games if self._is_apart(lineup) else max(1, games // seatings)


def parse_spec(data: Any, source: str) -> Spec:
    """Return the specification in plain data; AgentError with every mistake."""
    try:
        return Spec.model_validate(data)
    except ValidationError as error:
        raise AgentError(f"{source}: {'; '.join(mistakes_of(error, Spec))}") from None


def unique_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, with ` (2)`, ` (3)` ... after repeated ones."""
    unique: list[str] = []
    for name in names:
        number = sum(name == other for other in names[: len(unique)]) + 1
        unique.append(name if number == 1 else f"{name} ({number})")
    return tuple(unique)
