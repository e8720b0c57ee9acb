"""Information set Monte Carlo tree search: later decisions are searched, too, in one tree for all determinizations.

Single-observer ISMCTS (Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search", IEEE TCIAIG 4(2),
2012): each playout draws a determinization and descends the tree by actions that are legal in it; the confidence
bound of an action counts how often it was available. Changes to the published algorithm:

- A node is an observation of the searching seat, so hidden actions of others do not split it.
- At the root, playouts are allocated by sequential halving as in flat search, which wastes fewer of them (hybrid
  MCTS: Pepels, Cazenave, Winands and Lanctot, "Minimizing simple and cumulative regret in Monte-Carlo tree search",
  CGW 2014).
- Below the root the prior's choice is tried first, others as the visits of a node grow (progressive unpruning:
  Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008): with few playouts the tree agrees with
  the prior.
- Several playouts descend at once, to share compiled calls; they count as visits before they end (virtual visits).
"""

import math
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from w51_agents.search.halving import halving_search
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.priors import Prior
from w51_agents.search.search_state import Search, SearchState
from w51_env.compiler.compile import blocks
from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION

_ROUND_SIZE = 64  #     playouts of one round: the tree is updated after each round
_PRIOR_VISITS = 8  #    first visits of a node, which take the prior's choice only
_WIDENING = 0.5  #      then a node tries (visits / _PRIOR_VISITS) ** _WIDENING actions
_MAX_DEPTH = 40  #      decisions below the root, to bound time


@dataclass
class Edge:
    """An action at a node.

    Attributes:
        available: Visits of the node in which the action was a candidate.
        visits: How often it was taken.
        ended: Playouts through it that have ended.
        total: Sum of their utilities for the seat that took it.
    """

    available: int = 0
    visits: int = 0
    ended: int = 0
    total: float = 0.0

    def bound(self, exploration: float) -> float:
        """Upper confidence bound of the mean utility; playouts that have not ended count in the visits only."""
        mean = self.total / self.ended if self.ended else 0.5
        return mean + exploration * math.sqrt(math.log(self.available) / self.visits)


@dataclass
class Node:
    """One observation of the searching seat, with the seat to move."""

    visits: int = 0
    edges: dict[int, Edge] = field(default_factory=dict)

    def select(self, candidates: list[int], exploration: float) -> tuple[int, Edge]:
        """The action to take among the candidates, the prior's choice first; its visits are incremented."""
        self.visits += 1
        edges = {action: self.edges.setdefault(action, Edge()) for action in candidates}
        tried = {}
        for action, edge in edges.items():
            edge.available += 1
            if edge.visits:
                tried[action] = edge
        if len(tried) < min(len(edges), math.ceil((self.visits / _PRIOR_VISITS) ** _WIDENING)):
            action = next(action for action in edges if action not in tried)
        else:
            action = max(tried, key=lambda action: tried[action].bound(exploration))
        edges[action].visits += 1
        return action, edges[action]


@dataclass
class Descent:
    """The path of one playout down the tree, and the leaf from which bots play to the end.

    Attributes:
        path: The edges, each with the seat that took it.
        state: (1,) structured, the state at the leaf.
        action: The first action of the playout; NO_ACTION if the game is over.
    """

    path: list[tuple[Edge, int]]
    state: np.ndarray
    action: int


def tree_search(state: SearchState, prior: Prior, exploration: float) -> Search:
    """Find the best action of a decision; arguments as of `SearchTree`."""
    return halving_search(state, SearchTree(state, prior, exploration).evaluate, _ROUND_SIZE)


class SearchTree:
    """All nodes below the root. Playouts start at its leaves.

    Args:
        state: The decision.
        prior: Proposes the candidates below the root.
        exploration: Weight of the exploration term of the confidence bound.
    """

    def __init__(self, state: SearchState, prior: Prior, exploration: float):
        self._state = state
        self._prior = prior
        self._exploration = exploration
        self._nodes: dict[tuple[int, bytes], Node] = {}

    def evaluate(self, states: np.ndarray, actions: np.ndarray) -> Generator[LeafBatch, Outcomes, np.ndarray]:
        """(N,) utilities for the searching seat: descend from each state, play to the end, update the tree."""
        descents = self.descend(states, actions)
        leaves = np.concatenate([blocks(descent.state) for descent in descents]).view(states.dtype)
        outcomes = yield LeafBatch(leaves, np.array([descent.action for descent in descents]))
        utilities = self._state.utilities(outcomes)
        for descent, row in zip(descents, utilities.tolist(), strict=True):
            for edge, seat in descent.path:
                edge.ended += 1
                edge.total += row[seat]
        return utilities[:, self._state.seat]

    def descend(self, states: np.ndarray, actions: np.ndarray) -> list[Descent]:
        """The path of each state from its action at the root to an action not tried before, or to the end."""
        batch = Batch(self._state.game, len(states), seed=0, autoreset="disabled", keep_final=False)
        batch.load(states)
        descents = [Descent([], states[:0], NO_ACTION) for _ in states]
        # descents that have no leaf yet: they are the first games of the batch, in this order
        open_ones = np.arange(len(states))
        for depth in range(_MAX_DEPTH):
            batch.step(actions)
            open_ones, actions = self._expand(batch, open_ones, descents, depth == _MAX_DEPTH - 1)
            if not len(open_ones):
                break
        return descents

    def _expand(
        self, batch: Batch, open_ones: np.ndarray, descents: list[Descent], last: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """Choose an action in each open descent; those that reach a leaf leave the batch.

        Returns:
            (M,) the descents still open, which are now the first games of the batch, and (M,) the actions to take
            in them.
        """
        observations = batch.observe(self._state.seat)
        states = batch.clone()
        running = np.flatnonzero(batch.seat[: len(open_ones)] >= 0)
        still_open: list[int] = []
        chosen: list[int] = []
        for index in np.flatnonzero(batch.seat[: len(open_ones)] < 0).tolist():
            descents[open_ones[index]].state = states[index : index + 1]
        candidates = (
            self._prior.candidates(batch.observation[running], batch.action_mask[running]) if len(running) else []
        )
        for index, choices in zip(running.tolist(), candidates, strict=True):
            seat = int(batch.seat[index])
            node = self._nodes.setdefault((seat, observations[index].tobytes()), Node())
            action, edge = node.select(choices.tolist(), self._exploration)
            descent = descents[open_ones[index]]
            descent.path.append((edge, seat))
            if edge.visits == 1 or last:
                descent.state, descent.action = states[index : index + 1], action
            else:
                still_open.append(index)
                chosen.append(action)
        batch.load(states[still_open])
        return open_ones[still_open], np.array(chosen, np.int64)
