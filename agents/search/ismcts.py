"""Information set Monte Carlo tree search: what comes after the action in question is searched, too, in one tree for all worlds.

Single-observer ISMCTS (Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search", IEEE TCIAIG 4(2), 2012): each
playout draws a world and goes down the tree by actions that are legal in it; the confidence bound of an action counts how often it
was available. As changed here:

- A node is what the searching seat observes, so what others do in secret does not part it.
- At the root the playouts are shared out by sequential halving, as in flat search, which wastes fewer of them (hybrid MCTS: Pepels,
  Cazenave, Winands and Lanctot, "Minimizing simple and cumulative regret in Monte-Carlo tree search", CGW 2014).
- Below it the prior's choice is tried first, others as a node is visited more often (progressive unpruning: Chaslot et al.,
  "Progressive strategies for Monte-Carlo tree search", 2008): with few playouts the tree agrees with the prior.
- Some playouts go down at a time, and count as visits before they end, so that they share compiled calls.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from agents.search.halving import halving_search
from agents.search.playouts import Ends
from agents.search.priors import Prior
from agents.search.problem import Problem, Request, Search
from w51_env.core.batch import Batch
from w51_env.core.loops import NO_ACTION

_MOST = 64  #            playouts of one round: the tree learns after each
_VISITS_FIRST = 8  #     of a node, in which it takes the prior's choice only; then
_WIDENING = 0.5  #       it tries as many actions as this power of how many times that its visits are
_DEEPEST = 40  #         decisions from the root, for time


@dataclass
class Edge:
    """An action at a node: how often it could be taken, and was; the ended playouts' utilities for the seat that took it."""

    available: int = 0
    visits: int = 0
    ended: int = 0
    total: float = 0.0

    def bound(self, exploration: float) -> float:
        """Upper confidence bound of the mean utility; of playouts that have not ended only the visits count."""
        mean = self.total / self.ended if self.ended else 0.5
        return mean + exploration * math.sqrt(math.log(self.available) / self.visits)


@dataclass
class Node:
    """What the searching seat sees when some seat is to move."""

    visits: int = 0
    edges: dict[int, Edge] = field(default_factory=dict)

    def select(self, candidates: list[int], exploration: float) -> tuple[int, Edge]:
        """The action to take of those to think about, the prior's first; it counts as visited."""
        self.visits += 1
        edges = {action: self.edges.setdefault(action, Edge()) for action in candidates}
        tried = {}
        for action, edge in edges.items():
            edge.available += 1
            if edge.visits:
                tried[action] = edge
        if len(tried) < min(len(edges), math.ceil((self.visits / _VISITS_FIRST) ** _WIDENING)):
            action = next(action for action in edges if action not in tried)
        else:
            action = max(tried, key=lambda action: tried[action].bound(exploration))
        edges[action].visits += 1
        return action, edges[action]


@dataclass
class Descent:
    """The way of one playout down the tree, and where bots take over.

    Attributes:
        path: The edges, each with the seat that took it.
        state: (1,) structured.
        action: The first that is played there; NO_ACTION if the game is over.
    """

    path: list[tuple[Edge, int]]
    state: np.ndarray
    action: int


def tree_search(problem: Problem, prior: Prior, exploration: float) -> Search:
    """Find the best action of a decision.

    Args:
        problem: The decision.
        prior: Whose choice is tried first below the root.
        exploration: Weight of the width of a confidence interval.
    """
    tree = Tree(problem, prior, exploration)
    return halving_search(problem, tree.evaluate, _MOST)


class Tree:
    """All that is below the root."""

    def __init__(self, problem: Problem, prior: Prior, exploration: float):
        self._problem = problem
        self._prior = prior
        self._exploration = exploration
        self._nodes: dict[tuple[int, bytes], Node] = {}

    def evaluate(self, worlds: np.ndarray, actions: np.ndarray) -> Generator[Request, Ends, np.ndarray]:
        """See `halving.Evaluation`."""
        descents = self.descend(worlds, actions)
        ends = yield (
            np.concatenate([descent.state for descent in descents]),
            np.array([descent.action for descent in descents]),
        )
        utilities = self._problem.utilities(ends)
        for descent, reached in zip(descents, utilities.tolist(), strict=True):
            for edge, seat in descent.path:
                edge.ended += 1
                edge.total += reached[seat]
        return utilities[:, self._problem.seat]

    def descend(self, worlds: np.ndarray, actions: np.ndarray) -> list[Descent]:
        """The way of each world from its action at the root down to an action that was never tried before, or to its end."""
        batch = Batch(self._problem.game, len(worlds), seed=0, autoreset="disabled", keep_final=False)
        batch.games[:] = worlds
        batch.refresh()
        descents = [Descent([], worlds[:0], NO_ACTION) for _ in worlds]
        down = np.arange(len(worlds))  # those that are not at their ends yet, in the order of the batch's first games
        taken = actions
        for depth in range(_DEEPEST):
            batch.step(taken)
            down, taken = self._arrive(batch, down, descents, depth == _DEEPEST - 1)
            if not len(down):
                break
        return descents

    def _arrive(
        self, batch: Batch, down: np.ndarray, descents: list[Descent], last: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Choose an action in each world, and take those that need not go on out of the batch.

        Returns:
            (M,) the worlds that go on, which are now the first games of the batch, and (num_games,) the actions to take in them.
        """
        views = batch.observe(self._problem.seat)
        states = batch.clone()
        running = np.flatnonzero(batch.seat[: len(down)] >= 0)
        going_on: list[int] = []
        chosen: list[int] = []
        for place in np.flatnonzero(batch.seat[: len(down)] < 0).tolist():
            descents[down[place]].state = states[place : place + 1]
        candidates = (
            self._prior.candidates(batch.observation[running], batch.action_mask[running]) if len(running) else []
        )
        for place, choices in zip(running.tolist(), candidates, strict=True):
            seat = int(batch.seat[place])
            node = self._nodes.setdefault((seat, views[place].tobytes()), Node())
            action, edge = node.select(choices.tolist(), self._exploration)
            descent = descents[down[place]]
            descent.path.append((edge, seat))
            if edge.visits == 1 or last:
                descent.state, descent.action = states[place : place + 1], action
            else:
                going_on.append(place)
                chosen.append(action)
        batch.games[: len(going_on)] = states[going_on]
        batch.games["over"][len(going_on) :] = 1
        batch.refresh()
        actions = np.full(batch.num_games, NO_ACTION, np.int64)
        actions[: len(going_on)] = chosen
        return down[going_on], actions
