"""The whole tree of a small game, enumerated through the engine: every deal, every action, every information state.

An information state is what one seat has seen and done so far: the sequence of its observations at every decision of the
game, its own and others', and of its own actions (perfect recall). All chance is in the set-up, so below the roots there
are only decisions. Nodes are kept by level, so all methods are a few numpy calls for each level.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import permutations
from math import factorial, prod

import numpy as np

from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.loops import NO_ACTION

CHUNK = 8192  # games the engine plays at a time

Payoff = Callable[[Batch], np.ndarray]


@dataclass
class Level:
    """All N nodes at one depth.

    Attributes:
        parent: (N,) int64, index in the level above.
        action: (N,) int16, the action that led here; NO_ACTION at the roots.
        mover: (N,) int8, the seat to move, -1 where the game is over.
        choices: (N,) int64, number of legal actions.
        reach: (N,) float64, probability of the deal.
        observation: (players, N) int64, what each seat sees, as its number in `Tree.observations`.
        information: (players, N) int64, the information state of each seat: equal numbers, equal states of this level.
        payoffs: (N, players) float64, of finished games, else 0.
    """

    parent: np.ndarray
    action: np.ndarray
    mover: np.ndarray
    choices: np.ndarray
    reach: np.ndarray
    observation: np.ndarray
    information: np.ndarray
    payoffs: np.ndarray

    def __len__(self) -> int:
        return len(self.parent)


@dataclass
class Tree:
    """The levels from the deals to the last finished game, and the number of each observation by its bytes."""

    game: Game
    levels: list[Level] = field(default_factory=list)
    observations: dict[bytes, int] = field(default_factory=dict)

    def nodes(self) -> int:
        return sum(map(len, self.levels))

    def information_states(self, seat: int) -> int:
        """How many different information states this seat is asked in."""
        return sum(len(np.unique(level.information[seat][level.mover == seat])) for level in self.levels)

    def random_strategy(self, seat: int, rng: np.random.Generator) -> list[np.ndarray]:
        """A random pure strategy of a seat; for its form see `best_response`."""
        strategy = []
        for depth, level in enumerate(self.levels):
            chosen = np.full(len(level), NO_ACTION, np.int16)
            if (level.mover == seat).any():
                below = self.levels[depth + 1]
                states = level.information[seat][below.parent]
                order = rng.permutation(np.flatnonzero(level.mover[below.parent] == seat))
                action_of = dict(zip(states[order].tolist(), below.action[order].tolist(), strict=True))  # the last one stays
                mine = level.mover == seat
                chosen[mine] = [action_of[state] for state in level.information[seat][mine].tolist()]
            strategy.append(chosen)
        return strategy

    def values(self, seat: int | None = None, strategy: list[np.ndarray] | None = None) -> np.ndarray:
        """(players,) float64: expected payoffs when `seat` plays `strategy` and all others uniformly at random."""
        values = np.zeros((0, self.game.num_players))
        for depth in range(len(self.levels) - 1, -1, -1):
            weights = self._uniform(depth)
            if strategy is not None and len(weights):
                parent = self.levels[depth + 1].parent
                mine = self.levels[depth].mover[parent] == seat
                weights[mine] = self.levels[depth + 1].action[mine] == strategy[depth][parent[mine]]
            values = self._backed_up(depth, values, weights)
        return self.levels[0].reach @ values

    def best_response(self, seat: int, *, sees_all: bool = False) -> tuple[float, list[np.ndarray]]:
        """The greatest expected payoff of `seat` when all others play uniformly, and a pure strategy that attains it.

        The strategy is one (N,) int16 for each level: the action at each node where the seat moves, the same at all nodes of
        one information state, NO_ACTION elsewhere. With `sees_all` the seat knows every node: an upper bound.
        """
        reach = self._reach_by_others(seat)
        values = np.zeros((0, self.game.num_players))
        strategy = []
        for depth in range(len(self.levels) - 1, -1, -1):
            level, weights = self.levels[depth], self._uniform(depth)
            chosen = np.full(len(level), NO_ACTION, np.int16)
            mine = level.mover == seat
            if mine.any():
                below = self.levels[depth + 1]
                of_mine = mine[below.parent]
                state_of = np.arange(len(level)) if sees_all else level.information[seat]
                pairs = np.stack([state_of[below.parent[of_mine]], below.action[of_mine]])
                pairs, place = np.unique(pairs, axis=1, return_inverse=True)
                gains = np.bincount(place.ravel(), weights=reach[depth + 1][of_mine] * values[of_mine, seat])
                states, actions = pairs[:, np.lexsort((-gains, pairs[0]))]  # the best action of each state comes first
                states, first = np.unique(states, return_index=True)
                chosen[mine] = actions[first][np.searchsorted(states, state_of[mine])]
                weights[of_mine] = below.action[of_mine] == chosen[below.parent[of_mine]]
            values = self._backed_up(depth, values, weights)
            strategy.append(chosen)
        return float(self.levels[0].reach @ values[:, seat]), strategy[::-1]

    def backward_induction(self) -> np.ndarray:
        """(players,) float64: payoffs when each seat, knowing everything, takes what is best for itself.

        Raises:
            AssertionError: A seat is indifferent between actions that are not the same to the others: there is no one value.
        """
        values = self.levels[-1].payoffs
        for depth in range(len(self.levels) - 2, -1, -1):
            level, parent = self.levels[depth], self.levels[depth + 1].parent
            above = level.payoffs.copy()
            for node in np.flatnonzero(level.mover >= 0):
                children = values[parent == node]
                best = children[children[:, level.mover[node]] == children[:, level.mover[node]].max()]
                assert (best == best[0]).all(), f"node {node} of level {depth}: seat {level.mover[node]} is indifferent between {best}"
                above[node] = best[0]
            values = above
        return self.levels[0].reach @ values

    def _uniform(self, depth: int) -> np.ndarray:
        """Probability of each node of the level below, given its parent, in uniform play."""
        if depth + 1 == len(self.levels):
            return np.zeros(0)
        return 1.0 / self.levels[depth].choices[self.levels[depth + 1].parent]

    def _backed_up(self, depth: int, below: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(N, players) values of a level from those of the level below."""
        level = self.levels[depth]
        values = level.payoffs.copy()
        if len(below):
            parent = self.levels[depth + 1].parent
            for seat in range(self.game.num_players):
                values[:, seat] += np.bincount(parent, weights=weights * below[:, seat], minlength=len(level))
        return values

    def _reach_by_others(self, seat: int) -> list[np.ndarray]:
        """For each level, the probability of each node if `seat` plays to reach it and the others uniformly."""
        reach = [self.levels[0].reach]
        for depth in range(len(self.levels) - 1):
            parent = self.levels[depth + 1].parent
            step = np.where(self.levels[depth].mover[parent] == seat, 1.0, self._uniform(depth))
            reach.append(reach[depth][parent] * step)
        return reach


def build_tree(game: Game, roots: np.ndarray | None = None, payoff: Payoff = lambda batch: batch.rewards) -> Tree:
    """Enumerate a game.

    Args:
        game: A game with few enough nodes; 100,000 take about a second.
        roots: (N,) states, equally likely; None: all deals of the game.
        payoff: What the seats get in finished games of a batch, (N, players); default their rewards.
    """
    batch = Batch(game, CHUNK, seed=0, autoreset="disabled", keep_final=False)
    states, reach = deals(game) if roots is None else (roots, np.full(len(roots), 1 / len(roots)))
    tree = Tree(game)
    parent, action = np.zeros(len(states), np.int64), np.full(len(states), NO_ACTION, np.int16)
    payoffs = np.zeros((len(states), game.num_players))
    above, mover_above = np.zeros((game.num_players, 1), np.int64), np.full(1, -1)
    while len(states):
        mover, masks, seen = _look(batch, states, tree.observations)
        information = np.empty_like(seen)
        for seat in range(game.num_players):
            own = np.where(mover_above[parent] == seat, action, NO_ACTION)
            history = np.stack([above[seat][parent], own, seen[seat]])
            information[seat] = np.unique(history, axis=1, return_inverse=True)[1].ravel()
        tree.levels.append(Level(parent, action, mover, masks.sum(1), reach, seen, information, payoffs))
        parent, action = (found.astype(kind) for found, kind in zip(np.nonzero(masks), (np.int64, np.int16), strict=True))
        states, payoffs = _play(batch, states[parent], action, payoff)
        reach, above, mover_above = reach[parent], information, mover
    return tree


def deals(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Every state that a set-up can bring, and its probability.

    The engine deals many games; the different ones are kept. That none is missing is seen from their probabilities, which
    are counted from the rules and must sum to 1.
    """
    found: set[bytes] = set()
    batch = Batch(game, CHUNK, autoreset="disabled", observe=False)
    for seed in range(16):
        batch.reset(seed=seed)
        batch.games["stream"] = 0  # names the deal, and no rule reads it after
        found.update(np.unique(batch.games.view(f"V{game.record.itemsize}")).tolist())
    states = np.frombuffer(b"".join(sorted(found)), game.record)
    probabilities = np.array([_deal_probability(game, state) for state in states])
    assert np.isclose(probabilities.sum(), 1.0), f"the {len(states)} deals that were found have probability {probabilities.sum()}"
    return states, probabilities


def _deal_probability(game: Game, state: np.void) -> float:
    """S3, S4, S5: the share of deck orders, first players, and orders of the counterfeit pile that give this state."""
    rules = game.rules[0]
    orders = prod(factorial(int(size)) for size in rules["deck_size"])
    first_players = game.num_players if rules["first_player"] < 0 else 1
    marked = np.flatnonzero(rules["has_counterfeit"]).tolist()
    pile, in_gap = marked + [None] * int(rules["blank_counterfeits"]), int(rules["gap_cards"])
    lies_so = [state["counterfeit_gap"][relic] for relic in marked]
    same = total = 0
    for cards in permutations(pile, game.num_players * in_gap):
        gaps = {relic: place // in_gap for place, relic in enumerate(cards)}
        same += [gaps.get(relic, -1) for relic in marked] == lies_so
        total += 1
    return same / total / orders / first_players


def _look(batch: Batch, states: np.ndarray, numbers: dict[bytes, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Movers (N,), masks (N, actions), and each seat's observation by number (players, N)."""
    players = batch.game.num_players
    mover, masks = np.empty(len(states), np.int8), np.empty((len(states), len(batch.game.actions)), bool)
    seen = np.empty((players, len(states)), np.int64)
    for start in range(0, len(states), CHUNK):
        count = _lay_out(batch, states[start : start + CHUNK])
        chunk = slice(start, start + count)
        mover[chunk], masks[chunk] = batch.seat[:count], batch.action_mask[:count]
        for seat in range(players):
            rows = batch.observe(seat)[:count]
            seen[seat, chunk] = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return mover, masks, seen


def _play(batch: Batch, states: np.ndarray, actions: np.ndarray, payoff: Payoff) -> tuple[np.ndarray, np.ndarray]:
    """The states after these actions, and the payoffs of those that are over."""
    after, payoffs = np.empty_like(states), np.zeros((len(states), batch.game.num_players))
    for start in range(0, len(states), CHUNK):
        count = _lay_out(batch, states[start : start + CHUNK])
        chosen = batch.sample_actions()  # the games beyond `count` play anything
        chosen[:count] = actions[start : start + CHUNK]
        batch.step(chosen)
        chunk, over = slice(start, start + count), batch.done[:count]
        after[chunk] = batch.games[:count]
        payoffs[chunk][over] = payoff(batch)[:count][over]
    return after, payoffs


def _lay_out(batch: Batch, states: np.ndarray) -> int:
    batch.games[: len(states)] = states
    batch.refresh()
    return len(states)
