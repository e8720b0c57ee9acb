"""Games that were played, a row each: what every figure of the arena is computed from."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agents.agent import AgentError
from w51_env.core.victory import wins_of


@dataclass(frozen=True)
class Games:
    """What was played: G games of P players, ordered by deal, then line-up, then seating.

    A deal is one shuffle. All of them are played by the same line-ups in as many seatings, so deals are independent draws of one
    kind, and games of one deal are not independent.

    Attributes:
        agents: Names of the A agents.
        deals: (G,) int64, which deal of the deal set.
        lineups: (G,) int32, which line-up of the plan.
        seats: (G, P) int16, the agent in each seat.
        scores, ranks: (G, P) int16, int8, final totals, and ranks from 1.
        lengths: (G,) uint16, decisions.

    Raises:
        AgentError: Arrays that do not fit each other, or a deal of which games are missing.
    """

    agents: tuple[str, ...]
    deals: np.ndarray
    lineups: np.ndarray
    seats: np.ndarray
    scores: np.ndarray
    ranks: np.ndarray
    lengths: np.ndarray

    def __post_init__(self) -> None:
        games, players = self.seats.shape
        if not games:
            raise AgentError("games: none, but at least those of one deal are needed")
        for name, shape in (
            ("deals", (games,)),
            ("lineups", (games,)),
            ("scores", (games, players)),
            ("ranks", (games, players)),
        ):
            if (found := getattr(self, name).shape) != shape:
                raise AgentError(f"{name}: shape {found}, but {shape} is needed, as many as there are seats")
        if self.seats.min() < 0 or self.seats.max() >= len(self.agents):
            raise AgentError(
                f"seats: agents {self.seats.min()} to {self.seats.max()}, but 0 to {len(self.agents) - 1} is allowed"
            )
        counts = np.bincount(self.deal_index)
        if (counts != counts[0]).any():
            odd = self.deal_ids[np.flatnonzero(counts != counts[0])[0]]
            raise AgentError(
                f"deals: deal {odd} has another number of games than the first, but only whole deals can be judged"
            )

    @property
    def num_players(self) -> int:
        """P."""
        return self.seats.shape[1]

    @property
    def equal_share(self) -> float:
        """Win rate of one seat among equal agents: 1 / num_players."""
        return 1.0 / self.num_players

    @cached_property
    def wins(self) -> np.ndarray:
        """(G, P) float64: wins of each seat, 1 / k for each of k tied winners."""
        return wins_of(self.ranks)

    @cached_property
    def deal_ids(self) -> np.ndarray:
        """(D,) the deals there are, ascending."""
        return np.unique(self.deals)

    @cached_property
    def deal_index(self) -> np.ndarray:
        """(G,) int64: each game's deal, as its place in `deal_ids`."""
        return np.searchsorted(self.deal_ids, self.deals)

    @cached_property
    def places(self) -> np.ndarray:
        """(G, A) int64: how many seats each agent has in each game."""
        return _gather(np.arange(len(self.seats)), self.seats, np.ones(self.seats.shape), len(self.agents)).astype(
            np.int64
        )

    def by_game(self, values: np.ndarray) -> np.ndarray:
        """(G, A) float64: of values (G, P), the mean over an agent's seats in each game; nan where it did not sit."""
        return _divided(_gather(np.arange(len(self.seats)), self.seats, values, len(self.agents)), self.places)

    def by_deal(self, values: np.ndarray) -> np.ndarray:
        """(D, A) float64: of values (G, P), the mean over an agent's seats in each deal; nan where it did not sit."""
        seats = np.zeros((len(self.deal_ids), len(self.agents)), np.int64)
        np.add.at(seats, self.deal_index, self.places)
        return _divided(_gather(self.deal_index, self.seats, values, len(self.agents)), seats)

    def of_lineup(self, lineup: int) -> "Games":
        """The games of one line-up."""
        chosen = self.lineups == lineup
        arrays = (self.deals, self.lineups, self.seats, self.scores, self.ranks, self.lengths)
        return Games(self.agents, *(array[chosen] for array in arrays))


def _gather(rows: np.ndarray, seats: np.ndarray, values: np.ndarray, agents: int) -> np.ndarray:
    """(rows, agents) sums of values (G, P) by their row (G,) and agent (G, P)."""
    cells = rows[:, None] * agents + seats
    return np.bincount(cells.ravel(), values.ravel(), (int(rows.max()) + 1) * agents).reshape(-1, agents)


def _divided(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
