"""Matches: every deal is played in several seatings, so that all agents get the same deals and seats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.agent.memory import per_game
from w51_agents.agent.seeds import agent_seed
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.engine.options import check_seed, is_integer
from w51_env.engine.victory import decided_by, wins_of
from w51_lab.arena.match_loop import StrictRunner, play
from w51_lab.arena.seatings import ROTATIONS, line_up, seat
from w51_lab.statistics.estimates import Interval, intervals, win_rate_interval

_GAMES_AT_ONCE = 4096


@dataclass(frozen=True)
class AgentResult:
    """Result of one agent.

    Attributes:
        name: Name of the agent.
        seats: Number of its seats in each game.
        mean_score, mean_rank: Means over all its seats; ranks from 1.
        win_rate: Mean wins of one of its seats; each of k tied winners has 1 / k.
        result: Mean of what decides (`decided_by`): the win rate, the score or the rank.
        low, high: Its 95 % interval, where deals are the independent draws.
    """

    name: str
    seats: int
    mean_score: float
    mean_rank: float
    win_rate: float
    result: float
    low: float
    high: float


@dataclass(frozen=True)
class Results:
    """Results of a match in arrays (deals, seatings, num_players); the last axis is the position in the line-up.

    Attributes:
        names: Names of the agents.
        lineup: (num_players,) int64, index of the agent at each position of the line-up.
        scores, ranks, wins: int16, int8, float64: final totals, ranks from 1, wins (see `wins_of`).
        decides: What agents are compared by, as `decided_by` has it.
    """

    names: tuple[str, ...]
    lineup: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    wins: np.ndarray
    decides: str = "win"

    @property
    def equal_share(self) -> float:
        """Win rate of one seat among equal agents: 1 / num_players."""
        return 1.0 / len(self.lineup)

    def standings(self) -> list[AgentResult]:
        """Return the result of each agent, in the order of `names`."""
        return [self._standing(agent) for agent in range(len(self.names))]

    def _standing(self, agent: int) -> AgentResult:
        is_agent = self.lineup == agent
        seats = int(is_agent.sum())
        by_deal = self.wins[:, :, is_agent].sum(axis=2).mean(axis=1)  # over all its seats: ranges from 0 to 1
        scores, ranks = (each[:, :, is_agent].mean(axis=(1, 2)) for each in (self.scores, self.ranks))
        win_rate = float(by_deal.mean()) / seats
        if self.decides == "win":
            low, high = win_rate_interval(by_deal)
            result = Interval(win_rate, low / seats, high / seats)
        else:
            values = ranks if self.decides == "rank" else scores
            result = intervals(values[:, None], float(values.min()), float(values.max()))[0]
        return AgentResult(self.names[agent], seats, float(scores.mean()), float(ranks.mean()), win_rate, *result)


def play_matches(
    game: Game,
    agents: Sequence[tuple[str, Agent]],
    games: int,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda finished: None,
) -> Results:
    """Play a match: all agents get the same deals and seats.

    Each deal has its own circular order of the line-up and is played `num_players` times, shifted by one seat each
    time. With fewer agents than seats, an agent meets copies of the others (see `line_up`).

    Args:
        game: The game with its rules bound.
        agents: (name, agent), at most one for each seat.
        games: Number of games, rounded up to whole rounds of `num_players` seatings.
        seed: The same seed gives the same deals, orders and results.
        on_progress: Called with the number of games that ended since the last call.

    Raises:
        AgentError: No agents, or more than seats; fewer than 1 game; an agent returned anything but a legal action.
    """
    if not is_integer(games) or games < 1:
        raise AgentError(f"games: {games!r}, but an integer of at least 1 is needed")
    games = int(games)
    seed = check_seed("seed", seed)
    players = game.num_players
    lineup = line_up(len(agents), players)
    deals = -(-games // players)
    sequence = np.random.SeedSequence(seed)
    seeds = sequence.generate_state(deals, np.uint64)
    generator = np.random.default_rng(sequence.spawn(1)[0])
    # Position in the line-up of each seat.
    positions = seat(np.arange(players), ROTATIONS, deals, int(generator.integers(2**63)))
    agents = [(name, per_game(agent)) for name, agent in agents]
    for number, (_, agent) in enumerate(agents):
        agent.reset(agent_seed(agent, int(generator.integers(2**63)), "match", number, seed))
    runners = [StrictRunner(name, agent, game) for name, agent in agents]

    finals = []
    step = max(1, _GAMES_AT_ONCE // players)
    for start in range(0, deals, step):
        part = slice(start, start + step)
        by_game = positions[part].reshape(-1, players)
        steps = _reporting(on_progress)
        batch = play(game, runners, lineup[by_game], np.repeat(seeds[part], players), on_step=steps)
        seats = by_game.argsort(axis=1)  # of each position
        finals.append([np.take_along_axis(one, seats, axis=1) for one in (batch.final_scores, batch.final_ranks)])
    scores, ranks = (np.concatenate(one).reshape(positions.shape) for one in zip(*finals, strict=True))
    return Results(tuple(name for name, _ in agents), lineup, scores, ranks, wins_of(ranks), decided_by(game))


def _reporting(on_progress: Callable[[int], None]) -> Callable[[Batch, np.ndarray], None]:
    """A function for each step of a batch, which reports how many games have ended since the step before."""
    finished = 0

    def read(batch: Batch, actions: np.ndarray) -> None:
        nonlocal finished
        before, finished = finished, int((batch.seat < 0).sum())
        on_progress(finished - before)

    return read
