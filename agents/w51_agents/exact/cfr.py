"""CFR+ (Tammelin, 2014) on an enumerated game: counterfactual regret minimisation, each seat in turn.

In games of two players the average profile approaches a Nash equilibrium. With three and more nothing is guaranteed, so
measure `exploitability` of what it finds; in the mini games it is small after some iterations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from w51_agents.exact.tree import Profile, Tree


@dataclass
class _Level:
    """The decisions of one level: B nodes of the level below, A actions of all information states, S such states.

    Attributes:
        parent: (B,) int64, the node above.
        action: (B,) int64, which of the A actions led to the node.
        seat: (B,) int8, the seat that chose it.
        state: (A,) int64, the information state of each action.
        mover: (A,) int8, its seat.
        node: (S,) int64, one node of each information state.
        regret, chosen: (A,) float64, the regret of each action, and the sum of the weights with which it was chosen.
    """

    parent: np.ndarray
    action: np.ndarray
    seat: np.ndarray
    state: np.ndarray
    mover: np.ndarray
    node: np.ndarray
    regret: np.ndarray
    chosen: np.ndarray


class CFRPlus:
    """Regrets and average of all seats, for a tree.

    Information states are those of the tree: each seat remembers all that it has observed and done.

    Args:
        tree: The game tree; 100,000 nodes take some 50 ms for each iteration and seat.
    """

    def __init__(self, tree: Tree):
        self.tree = tree
        self.iterations = 0
        self._levels = []
        for level, below in pairwise(tree.levels):
            seat = level.mover[below.parent]
            information = level.information[seat, below.parent]
            actions, first, action = np.unique(
                np.stack([seat, information, below.action]), axis=1, return_index=True, return_inverse=True
            )
            _, one, state = np.unique(actions[:2], axis=1, return_index=True, return_inverse=True)
            self._levels.append(
                _Level(
                    below.parent,
                    action.ravel(),
                    seat,
                    state.ravel(),
                    actions[0].astype(np.int8),
                    below.parent[first[one]],
                    np.zeros(actions.shape[1]),
                    np.zeros(actions.shape[1]),
                )
            )

    def begin_anywhere(self, seed: int) -> None:
        """Draw the first regrets, as large as one payoff, so that the iterations may end in another equilibrium."""
        random = np.random.default_rng(seed)
        reach = self.tree.levels[0].reach.mean()
        for level in self._levels:
            level.regret = random.exponential(reach, len(level.regret))

    def run(self, iterations: int) -> None:
        """Update the regrets of every seat this many times; later strategies weigh more in the average."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in range(self.tree.game.num_players):
                self._update(seat)

    def current(self) -> Profile:
        """The last iterate, as a profile of the tree."""
        return [_shares(level, level.regret)[level.action] for level in self._levels]

    def average(self) -> Profile:
        """The average, weighted by the seat's own reach and the square of the iteration, as a profile of the tree."""
        return [_shares(level, level.chosen)[level.action] for level in self._levels]

    def _update(self, seat: int) -> None:
        """Regrets and average of one seat, against the present strategies of the others."""
        shares = [_shares(level, level.regret) for level in self._levels]
        reach, own_reach = self._reaches(seat, shares)
        values = self.tree.levels[-1].payoffs[:, seat]
        for depth in range(len(self._levels) - 1, -1, -1):
            level, weights = self._levels[depth], shares[depth][self._levels[depth].action]
            below, values = values, self.tree.levels[depth].payoffs[:, seat].copy()
            values += np.bincount(level.parent, weights=weights * below, minlength=len(values))
            gain = np.where(level.seat == seat, reach[depth][level.parent] * (below - values[level.parent]), 0.0)
            mine = level.mover == seat
            regret = level.regret + np.bincount(level.action, weights=gain, minlength=len(level.regret))
            level.regret = np.where(mine, np.maximum(regret, 0.0), level.regret)
            weight = self.iterations**2 * own_reach[depth][level.node][level.state]
            level.chosen += np.where(mine, weight * shares[depth], 0.0)

    def _reaches(self, seat: int, shares: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Of each level: (nodes,) probabilities by the deal and all others, and by the seat's own actions alone."""
        others = [self.tree.levels[0].reach]
        own_reach = [np.ones(len(others[0]))]
        for level, share in zip(self._levels, shares, strict=True):
            weights, mine = share[level.action], level.seat == seat
            others.append(others[-1][level.parent] * np.where(mine, 1.0, weights))
            own_reach.append(own_reach[-1][level.parent] * np.where(mine, weights, 1.0))
        return others, own_reach


def _shares(level: _Level, weights: np.ndarray) -> np.ndarray:
    """(A,) probability of each action in its information state, in proportion to its weight; uniform if all are 0."""
    total = np.bincount(level.state, weights=weights, minlength=len(level.node))[level.state]
    count = np.bincount(level.state, minlength=len(level.node))[level.state]
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), 1.0 / count)


def forgetful(tree: Tree, memory: Sequence[str]) -> Tree:
    """The tree as seats know it that forget: an information state is the present observation without these slices.

    A seat still knows how many decisions all seats have made.
    """
    rows = np.frombuffer(b"".join(tree.observations), np.int8).reshape(len(tree.observations), -1).copy()
    for name in memory:
        rows[:, tree.game.layout[name].slice] = 0
    known: dict[bytes, int] = {}
    numbers = np.array([known.setdefault(row.tobytes(), len(known)) for row in rows])
    return replace(tree, levels=[replace(level, information=numbers[level.observation]) for level in tree.levels])
