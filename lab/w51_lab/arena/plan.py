"""The plan of a tournament, made from its specification: agents, game, deals, line-ups and seatings, blocks.

Results depend on nothing else, so a tournament can be stopped, resumed and repeated.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path

import numpy as np

from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import Agent, AgentError, needs_determinizer
from w51_agents.agent.seeds import is_stateless, process_secret, secret_seed
from w51_agents.isolation.isolated import AgentSource, IsolatedAgent, agent_of
from w51_agents.language.llm.llm_agent import LLMAgent
from w51_agents.named.files import FileDigest, check_files, file_data, files_of, files_of_game, stamps
from w51_env import make_game
from w51_env.engine.game import Game
from w51_env.engine.plain_data import is_clear
from w51_lab.arena import seatings
from w51_lab.arena.deals import DealFacts, Deals, hidden_deals, make_deals
from w51_lab.arena.players import is_slow
from w51_lab.arena.spec import TournamentSpec, unique_names
from w51_lab.statistics.sequential import LOOK_EVERY

_DEALS_FOR_PERMUTATIONS = 100  # or more: `auto` chooses permutations
_MIN_DEALS = 2  # for an interval
# Games of a block at most; at least one deal.
_GAMES_OF_BOTS, _GAMES_OF_NETWORKS = 8192, 2048
ALL_SEATINGS = -1


@dataclass(frozen=True)
class TournamentState:
    """What a tournament keeps in its folder beside its specification, so that it can be continued and repeated.

    Attributes:
        secret: From it the seeds of third-party agents are computed; 64 hexadecimal digits.
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
        state: That of an earlier tournament, to continue or to repeat it.

    Attributes:
        spec: The specification, with the content of files in place of the paths of options.
        files: The files that each agent reads, by its name in the specification.
        answers: The folder in which language models keep their answers; None: they keep none.

    Raises:
        AgentError: Too many or too few agents, an agent that is unknown or cannot play this game, or an unknown set of
            deals.
        OptionError: An unknown game, or a bad option.
    """

    def __init__(self, spec: TournamentSpec, state: TournamentState | None = None):
        self.game: Game = make_game(spec.game, **spec.options)
        self.spec = spec = spec.model_copy(update={"options": self.game.kept_options(spec.options)})
        if not spec.agents or not all(spec.agents):
            named = ", ".join(map(repr, spec.agents)) or "none given"
            raise AgentError(f"agents: {named}, but at least one name is needed, and none may be empty")
        for name in (*spec.agents, *spec.names):
            if not is_clear(name):
                raise AgentError(f"agents: {name!a}, but the letters of a name must be visible")
        labels = spec.names or ("",) * len(spec.agents)
        if len(labels) != len(spec.agents):
            raise AgentError(f"names: {len(labels)}, but {len(spec.agents)} agents")
        if spec.precision is not None and (spec.until_decided or len(spec.agents) < 2):
            raise AgentError("precision: needs two agents or more, and goes without until_decided")
        self.names = unique_names(tuple(label or name for label, name in zip(labels, spec.agents, strict=True)))
        payoff = self.game.decides == "payoff"
        self.lineups = seatings.line_ups(spec.format, len(spec.agents), self.game.num_players, spec.seed or 0, payoff)
        self.agents: list[Agent] = [self._make_agent(name) for name in spec.agents]
        self.files = self._files_now()
        self._stamps = stamps(self.files)
        self._is_third_party = [not is_stateless(agent) for agent in self.agents]
        self.answers: Path | None = None
        self.state = self._measured(state or TournamentState())
        self.seatings = spec.seatings if spec.seatings != "auto" else self._affordable()
        games_a_deal = sum(self.num_seatings(lineup) for lineup in range(len(self.lineups)))
        count = max(_MIN_DEALS, -(-spec.games // games_a_deal))
        self.deals: Deals = (
            hidden_deals(secret_seed(self.state.secret, "deals"), count)
            if spec.deals is None and spec.seed is None and any(self._is_third_party)
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
        reason = f", and intervals need at least {_MIN_DEALS} deals" if deals == _MIN_DEALS else ""
        why = f"each deal is played in {games // deals} games, so that all agents get the same seats{reason}"
        return f"{games:,} games will be played, where {self.spec.games:,} were asked for: {why}"

    @cached_property
    def blocks(self) -> list[Block]:
        """All blocks: the deals in ranges, each range with every line-up."""
        size = min(self._deals_a_block(lineup) for lineup in range(len(self.lineups)))
        if self.spec.stops_early:
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

    @cached_property
    def ranges(self) -> list[list[Block]]:
        """The blocks of each range of deals, which together hold all games of these deals."""
        return [list(blocks) for _, blocks in groupby(self.blocks, lambda block: block.start)]

    @property
    def width(self) -> float | None:
        """How wide intervals of differences may be at most: percentage points of `--precision` as a rate."""
        precision = self.spec.precision
        return precision if precision is None or self.game.decides != "win" else precision / 100

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
        if self._is_third_party[agent]:
            return secret_seed(self.state.secret, block.lineup, block.start, block.seating, agent, copy)
        place = (block.lineup, block.start, agent, *([] if block.seating == ALL_SEATINGS else [block.seating]))
        return int(np.random.SeedSequence((self.spec.seed or 0, 2, *place)).generate_state(1, np.uint64)[0])

    @cached_property
    def deal_facts(self) -> DealFacts:
        """Which deals are planned."""
        return DealFacts(name=self.deals.name, count=len(self.deals.seeds), digest=self.deals.digest(self.game))

    def _files_now(self) -> dict[str, list[FileDigest]]:
        """The files that each agent reads, and that of a game which is not registered, as they are now; by name.

        Raises:
            AgentError: A file cannot be read.
        """
        by_agent = {
            name: files_of(name, self.game, agent) for name, agent in zip(self.spec.agents, self.agents, strict=True)
        }
        return {**by_agent, **files_of_game(self.spec.game)}

    def check_files(self) -> None:
        """AgentError if a file that an agent reads has changed since the plan was made."""
        if (now := stamps(self.files)) != self._stamps:
            check_files(file_data(self.files), self._files_now(), "these games")
            self._stamps = now

    def keep_answers(self, folder: Path | None) -> None:
        """Let language models keep their answers in a folder as they come: they are paid for."""
        self.answers = folder
        for agent in self.agents:
            if folder is not None and isinstance(agent, LLMAgent):
                agent.keep_answers(folder)

    def _make_agent(self, name: str) -> Agent:
        """The agent of this name; one that runs third-party code as an isolated agent, in a process of its own."""
        spec = self.spec
        return agent_of(AgentSource(name, spec.game, spec.options, spec.trust, spec.memory_limit), self.game)

    def _affordable(self) -> str:
        """Permutations if they leave enough deals and no agent is listed twice: to swap two copies changes nothing."""
        games = sum(seatings.num_arrangements(lineup) for lineup in self.lineups)
        are_different = len(set(self.spec.agents)) == len(self.spec.agents)
        fits = games * _DEALS_FOR_PERMUTATIONS <= self.spec.games and are_different
        return seatings.PERMUTATIONS if fits else seatings.ROTATIONS

    def _measured(self, state: TournamentState) -> TournamentState:
        """The same with the agents that are slow."""
        if state.slow is not None:
            return state
        named = zip(self.spec.agents, self.agents, strict=True)
        limit, seed = self.spec.time_limit, secret_seed(state.secret, "measured")
        return replace(state, slow=tuple(name for name, agent in named if is_slow(agent, self.game, seed, limit)))

    def _has_slow(self, lineup: int) -> bool:
        return any(self.spec.agents[agent] in (self.state.slow or ()) for agent in self.lineups[lineup])

    def _is_apart(self, lineup: int) -> bool:
        """Whether each seating is a block: an agent must not meet a deal twice, or each game is worth keeping."""
        return self._has_slow(lineup) or any(self._is_third_party[agent] for agent in self.lineups[lineup])

    def _deals_a_block(self, lineup: int) -> int:
        agents = [self.agents[agent] for agent in np.unique(self.lineups[lineup])]
        seatings = self.num_seatings(lineup)
        if self._has_slow(lineup):
            return 1
        if self.spec.time_limit is not None:
            games = seatings
        elif any(map(needs_determinizer, agents)):
            games = min(getattr(agent, "games_together", 1) for agent in agents if needs_determinizer(agent))
        elif all(isinstance(agent, BotAgent) for agent in agents):
            games = _GAMES_OF_BOTS
        else:
            games = _GAMES_OF_NETWORKS
        return games if self._is_apart(lineup) else max(1, games // seatings)
