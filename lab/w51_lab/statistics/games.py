"""Played games, one row each: the data of every figure of the arena."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_env.engine.victory import wins_of

_PART = 20_000  # games of which figures are computed at once


@dataclass(frozen=True)
class Games:
    """G played games of P seats, ordered by deal, then line-up, then seating.

    A deal is one shuffle. Each is played by the same line-ups in as many seatings. So deals are independent and
    identically distributed; games of one deal are not independent.

    Attributes:
        agents: Names of the A agents.
        deals: (G,) int64, index of the deal.
        lineups: (G,) int32, index of the line-up.
        seats: (G, P) int16, index of the agent in each seat.
        scores, ranks: (G, P) int16, int8, final totals and ranks from 1.
        lengths: (G,) uint16, number of decisions.
        decides: What agents are compared by, as `Game.decides` has it.

    Raises:
        AgentError: Arrays whose shapes do not fit, or a deal with missing games.
    """

    agents: tuple[str, ...]
    deals: np.ndarray
    lineups: np.ndarray
    seats: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    lengths: np.ndarray
    decides: str = "win"

    def __post_init__(self) -> None:
        games, players = self.seats.shape
        if not games:
            raise AgentError("games: 0, but the games of at least one deal are needed")
        shapes = {"deals": (games,), "lineups": (games,), "scores": (games, players), "ranks": (games, players)}
        for name, shape in shapes.items():
            if (actual := getattr(self, name).shape) != shape:
                raise AgentError(f"{name}: shape {actual}, but {shape} is needed, like seats")
        if self.seats.min() < 0 or self.seats.max() >= len(self.agents):
            raise AgentError(
                f"seats: agents {self.seats.min()} to {self.seats.max()}, but 0 to {len(self.agents) - 1} is allowed"
            )
        counts = np.bincount(self.deal_index)
        if (counts != counts[0]).any():
            odd = self.deal_ids[np.flatnonzero(counts != counts[0])[0]]
            raise AgentError(f"deals: deal {odd} has {(self.deals == odd).sum()} games, but the first has {counts[0]}")

    @property
    def num_players(self) -> int:
        """Number of seats, P."""
        return self.seats.shape[1]

    @property
    def equal_share(self) -> float:
        """Win rate of one seat among equal agents: 1 / num_players."""
        return 1.0 / self.num_players

    @cached_property
    def wins(self) -> np.ndarray:
        """(G, P) float64: wins of each seat, 1 / k for each of k tied winners."""
        return wins_of(self.ranks)

    @property
    def results(self) -> np.ndarray:
        """(G, P): what decides, the higher the better: wins, ranks below 0, or scores."""
        return {"win": self.wins, "rank": -self.ranks.astype(np.float64)}.get(self.decides, self.scores)

    @property
    def largest(self) -> float | None:
        """The largest difference of two results of a game; None: scores have no known end."""
        return {"win": 1.0, "rank": self.num_players - 1.0}.get(self.decides)

    @cached_property
    def deal_ids(self) -> np.ndarray:
        """(D,) indices of the deals, ascending."""
        return np.unique(self.deals)

    @cached_property
    def deal_index(self) -> np.ndarray:
        """(G,) int64: index of each game's deal in `deal_ids`."""
        return np.searchsorted(self.deal_ids, self.deals)

    @cached_property
    def seat_counts(self) -> np.ndarray:
        """(G, A) int8: number of seats of each agent in each game."""
        return np.stack([(self.seats == agent).sum(axis=1, dtype=np.int8) for agent in range(len(self.agents))], axis=1)

    def by_game(self, values: np.ndarray) -> np.ndarray:
        """(G, A) float64: mean of (G, P) values over an agent's seats in each game; nan where it has none."""
        means = np.empty(self.seat_counts.shape)
        for rows in self._parts():
            games = np.arange(rows.stop - rows.start)
            means[rows] = divided(self._sums(games, rows, values), self.seat_counts[rows])
        return means

    def by_deal(self, values: np.ndarray) -> np.ndarray:
        """(D, A) float64: mean of (G, P) values over an agent's seats in each deal; nan where it has none."""
        means = np.empty((len(self.deal_ids), len(self.agents)))
        for rows in self._parts():
            deals = self.deal_index[rows] - self.deal_index[rows.start]
            seats = np.zeros((deals[-1] + 1, len(self.agents)), np.int64)
            np.add.at(seats, deals, self.seat_counts[rows])
            first = self.deal_index[rows.start]
            means[first : first + len(seats)] = divided(self._sums(deals, rows, values), seats)
        return means

    def of_lineup(self, lineup: int) -> "Games":
        """Return the games of one line-up."""
        chosen = self.lineups == lineup
        if chosen.all():
            return self
        names = ("deals", "lineups", "seats", "scores", "ranks", "lengths")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def _parts(self) -> Iterator[slice]:
        """Parts of all games, of whole deals each: what is computed of them at once takes little memory."""
        games, a_deal = len(self.seats), len(self.seats) // len(self.deal_ids)
        size = max(1, _PART // a_deal) * a_deal
        return (slice(start, min(start + size, games)) for start in range(0, games, size))

    def _sums(self, into: np.ndarray, rows: slice, values: np.ndarray) -> np.ndarray:
        """(rows, A) sums of (G, P) values of some games by agent, where `into` has the row for each of them."""
        agents = len(self.agents)
        cells = into[:, None] * agents + self.seats[rows]
        return np.bincount(cells.ravel(), values[rows].ravel(), (int(into[-1]) + 1) * agents).reshape(-1, agents)


def divided(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means from sums and counts of one shape; nan where there is nothing to count."""
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
