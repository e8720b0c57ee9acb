"""Agents against each other on equal terms: every deal is played once for each seating, so that luck and seat fall to all alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from agents.agent import Agent, AgentError
from arena.intervals import win_rate_interval
from arena.play import StrictPlayer, play
from arena.seatings import ROTATIONS, line_up, seat
from w51_env.core.game import Game
from w51_env.core.victory import wins_of

_GAMES_AT_ONCE = 4096


@dataclass(frozen=True)
class Standing:
    """How one agent did. `low` and `high` bound its win rate with 95 % confidence, deals taken as the independent draws.

    Attributes:
        seats: Places it has at each table, of `num_players`.
        mean_score, mean_rank: Over all its seats; ranks from 1.
        win_rate: Mean wins of one of its seats; each of k tied winners has 1 / k.
    """

    name: str
    seats: int
    mean_score: float
    mean_rank: float
    win_rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Results:
    """What a match brought. Arrays are (deals, seatings, places): place p of the line-up, wherever it sat.

    Attributes:
        names: The agents.
        places: (num_players,) int64, which agent has each place.
        scores, ranks, wins: int16, int8, float64: final totals, ranks from 1, wins (see `wins_of`).
    """

    names: tuple[str, ...]
    places: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    wins: np.ndarray

    @property
    def equal_share(self) -> float:
        """Win rate of one seat among equal agents: 1 / num_players."""
        return 1.0 / len(self.places)

    def standings(self) -> list[Standing]:
        """One for each agent, in the order of the line-up."""
        return [self._standing(agent) for agent in range(len(self.names))]

    def _standing(self, agent: int) -> Standing:
        own = self.places == agent
        seats = int(own.sum())
        by_deal = self.wins[:, :, own].sum(axis=2).mean(axis=1)  # of all its seats, which is what can reach 0 and 1
        low, high = win_rate_interval(by_deal)
        return Standing(
            self.names[agent],
            seats,
            float(self.scores[:, :, own].mean()),
            float(self.ranks[:, :, own].mean()),
            float(by_deal.mean()) / seats,
            low / seats,
            high / seats,
        )


def play_matches(
    game: Game,
    agents: Sequence[tuple[str, Agent]],
    games: int,
    seed: int = 0,
    on_progress: Callable[[int], None] = lambda finished: None,
) -> Results:
    """Let agents play each other, on the same deals in every seat.

    Each deal has a circular order of the players of its own and is played `num_players` times, all moved one seat on each time. Who
    sits down is said by `line_up`: an agent meets copies of the others if there are fewer agents than seats.

    Args:
        game: The game with its rules bound.
        agents: (name, agent), at most one for each seat.
        games: How many to play, rounded up to whole rounds of `num_players` seatings.
        seed: The same seed gives the same deals, orders and results.
        on_progress: Called with the number of games finished since the last call.

    Raises:
        AgentError: No agents, or more than seats; no games; an agent answered something else than a legal action for each question.
    """
    if not isinstance(games, int | np.integer) or isinstance(games, bool) or games < 1:
        raise AgentError(f"games: {games!r}, but an integer of at least 1 is needed")
    players = game.num_players
    places = line_up(len(agents), players)
    deals = -(-games // players)
    sequence = np.random.SeedSequence(seed)
    seeds = sequence.generate_state(deals, np.uint64)
    generator = np.random.default_rng(sequence.spawn(1)[0])
    seated = seat(
        np.arange(players), ROTATIONS, deals, int(generator.integers(2**63))
    )  # places of the line-up, by seat
    for _, agent in agents:
        agent.reset(int(generator.integers(2**63)))
    strict = [StrictPlayer(name, agent, game) for name, agent in agents]

    scores = np.empty(seated.shape, np.int16)
    ranks = np.empty(seated.shape, np.int8)
    step = max(1, _GAMES_AT_ONCE // players)
    for start in range(0, deals, step):
        part = slice(start, min(start + step, deals))
        table = seated[part].reshape(-1, players)
        batch = play(game, strict, places[table], np.repeat(seeds[part], players), on_progress)
        rows = np.arange(len(table))[:, None]
        for finals, results in ((batch.final_scores, scores), (batch.final_ranks, ranks)):
            by_place = np.empty_like(finals)
            by_place[rows, table] = finals
            results[part] = by_place.reshape(results[part].shape)
    return Results(tuple(name for name, _ in agents), places, scores, ranks, wins_of(ranks))
