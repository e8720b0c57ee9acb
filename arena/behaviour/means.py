"""Means by agent over rows of tables."""

import numpy as np


class Means:
    """Counts and averages by agent.

    Args:
        seated: (seats of all games,) the agent in each.
        count: How many agents there are.

    Attributes:
        games: (count,) int64, seats that each had, in all games together; "per game" is per seat of a game.
    """

    def __init__(self, seated: np.ndarray, count: int):
        self.games = np.bincount(seated, minlength=count)
        self._count = count

    def per_game(self, agent: np.ndarray) -> np.ndarray:
        """(count,) rows of each agent, per game."""
        return _divide(np.bincount(agent, minlength=self._count), self.games)

    def mean(self, agent: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(count,) mean of the values in each agent's rows; nan where it has none."""
        return self.mean_by(agent, values, np.zeros(len(agent), np.int64), 1)[:, 0]

    def mean_by(self, agent: np.ndarray, values: np.ndarray, group: np.ndarray, groups: int) -> np.ndarray:
        """(count, groups) mean of the values in each agent's rows of each group; nan where it has none."""
        cell = agent.astype(np.int64) * groups + group
        size = self._count * groups
        return _divide(np.bincount(cell, values, size), np.bincount(cell, minlength=size)).reshape(self._count, groups)


def _divide(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
