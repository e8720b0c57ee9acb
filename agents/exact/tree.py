"""The whole tree of a small game, enumerated through the engine: every deal, every action, every information state.

An information state is what one seat has seen and done so far: the sequence of its observations at every decision of
the game, its own and others', and of its own actions (perfect recall). All chance is in the set-up, so below the
roots there are only decisions. Nodes are kept by level, so all methods are a few numpy calls for each level.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from agents.agent import AgentError
from agents.exact.deals import deals
from w51_env.core.batch import Batch
from w51_env.core.game import Game
from w51_env.core.loops import NO_ACTION

_CHUNK = 8192  # games the engine plays at a time
_MOST_NODES = 1_000_000

Payoff = Callable[[Batch], np.ndarray]
Policy = Callable[
    [np.ndarray, np.ndarray], np.ndarray
]  # (N, actions) probabilities of (N, size) observations and (N, actions) masks
Strategy = list[np.ndarray]
Profile = list[np.ndarray]


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

    # ---- strategies of one seat, and profiles of strategies of all

    def random_strategy(self, seat: int, rng: np.random.Generator) -> Strategy:
        """A random pure strategy of a seat; for its form see `best_response`."""
        strategy = []
        for depth, level in enumerate(self.levels):
            chosen = np.full(len(level), NO_ACTION, np.int16)
            if (level.mover == seat).any():
                below = self.levels[depth + 1]
                states = level.information[seat][below.parent]
                order = rng.permutation(np.flatnonzero(level.mover[below.parent] == seat))
                action_of = dict(
                    zip(states[order].tolist(), below.action[order].tolist(), strict=True)
                )  # the last one stays
                mine = level.mover == seat
                chosen[mine] = [action_of[state] for state in level.information[seat][mine].tolist()]
            strategy.append(chosen)
        return strategy

    def uniform(self) -> Profile:
        """All seats play uniformly at random; for its form see `profile`."""
        return [1.0 / level.choices[below.parent] for level, below in pairwise(self.levels)]

    def profile(self, policy: Policy) -> Profile:
        """All seats play a policy without memory, which is asked once for each level about all that movers see there.

        A profile is one float64 array for each level but the last: the probability of each node of the level below,
            given its parent.

        Raises:
            AgentError: The probabilities of the legal actions do not sum to 1 somewhere.
        """
        rows = np.frombuffer(b"".join(self.observations), np.int8).reshape(len(self.observations), -1)
        found = []
        for level, below in pairwise(self.levels):
            masks = np.zeros((len(level), len(self.game.actions)), bool)
            masks[below.parent, below.action] = True
            moving = np.flatnonzero(level.mover >= 0)
            seen, first, place = np.unique(
                level.observation[level.mover[moving], moving], return_index=True, return_inverse=True
            )
            question = np.zeros(len(level), np.int64)
            question[moving] = place.ravel()
            weights = policy(rows[seen], masks[moving[first]])[question[below.parent], below.action]
            if not np.allclose(np.bincount(below.parent, weights=weights, minlength=len(level))[moving], 1.0):
                raise AgentError("policy: the probabilities of the legal actions do not sum to 1")
            found.append(weights)
        return found

    def joined(self, seat: int, own: Profile, others: Profile) -> Profile:
        """`seat` plays as in `own`, the others as in `others`."""
        return [
            np.where(level.mover[below.parent] == seat, mine, theirs)
            for (level, below), mine, theirs in zip(pairwise(self.levels), own, others, strict=True)
        ]

    def responding(self, seat: int, strategy: Strategy, others: Profile) -> Profile:
        """`seat` plays a pure strategy, the others as in `others`."""
        pure = [
            (below.action == chosen[below.parent]).astype(np.float64)
            for (_, below), chosen in zip(pairwise(self.levels), strategy[:-1], strict=True)
        ]
        return self.joined(seat, pure, others)

    # ---- values

    def values(self, profile: Profile) -> np.ndarray:
        """(players,) float64: expected payoffs."""
        values = self.levels[-1].payoffs
        for depth in range(len(profile) - 1, -1, -1):
            values = self._backed_up(depth, values, profile[depth])
        return self.levels[0].reach @ values

    def best_response(self, seat: int, others: Profile, *, sees_all: bool = False) -> tuple[float, Strategy]:
        """The greatest expected payoff of `seat` when the others play as in `others`, and a pure strategy that attains it.

        The strategy is one (N,) int16 for each level: the action at each node where the seat moves, the same at all
        nodes of one information state, NO_ACTION elsewhere. With `sees_all` the seat knows every node: an upper
        bound.
        """
        reach = self._reach_by_others(seat, others)
        values = self.levels[-1].payoffs
        strategy = [np.full(len(self.levels[-1]), NO_ACTION, np.int16)]
        for depth in range(len(others) - 1, -1, -1):
            level, below, weights = self.levels[depth], self.levels[depth + 1], others[depth].copy()
            chosen = np.full(len(level), NO_ACTION, np.int16)
            mine = level.mover == seat
            if mine.any():
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
            AgentError: A seat is indifferent between actions that are not the same to the others: there is no one
                value.
        """
        values = self.levels[-1].payoffs
        for depth in range(len(self.levels) - 2, -1, -1):
            level, parent = self.levels[depth], self.levels[depth + 1].parent
            above = level.payoffs.copy()
            for node in np.flatnonzero(level.mover >= 0):
                children = values[parent == node]
                best = children[children[:, level.mover[node]] == children[:, level.mover[node]].max()]
                if not (best == best[0]).all():
                    raise AgentError(
                        f"node {node} of level {depth}: seat {level.mover[node]} is indifferent between {best.tolist()}"
                    )
                above[node] = best[0]
            values = above
        return self.levels[0].reach @ values

    def _backed_up(self, depth: int, below: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(N, players) values of a level from those of the level below."""
        values = self.levels[depth].payoffs.copy()
        parent = self.levels[depth + 1].parent
        for seat in range(self.game.num_players):
            values[:, seat] += np.bincount(parent, weights=weights * below[:, seat], minlength=len(values))
        return values

    def _reach_by_others(self, seat: int, others: Profile) -> list[np.ndarray]:
        """For each level, the probability of each node if `seat` plays to reach it."""
        reach = [self.levels[0].reach]
        for (level, below), weights in zip(pairwise(self.levels), others, strict=True):
            reach.append(reach[-1][below.parent] * np.where(level.mover[below.parent] == seat, 1.0, weights))
        return reach


def build_tree(game: Game, roots: np.ndarray | None = None, payoff: Payoff = lambda batch: batch.rewards) -> Tree:
    """Enumerate a game.

    Args:
        game: A game with few enough nodes; 100,000 take about a second.
        roots: (N,) states, equally likely; None: all deals of the game.
        payoff: What the seats get in finished games of a batch, (N, players); default their rewards.

    Raises:
        AgentError: A game with too many deals or nodes.
    """
    batch = Batch(game, _CHUNK, seed=0, autoreset="disabled", keep_final=False)
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
        parent, action = (
            found.astype(kind) for found, kind in zip(np.nonzero(masks), (np.int64, np.int16), strict=True)
        )
        if tree.nodes() + len(parent) > _MOST_NODES:
            raise AgentError(
                f"tree: {game.id} with these options has more than {_MOST_NODES:,} nodes; the preset nano has 212,810"
            )
        states, payoffs = _play(batch, states[parent], action, payoff)
        reach, above, mover_above = reach[parent], information, mover
    return tree


def _look(batch: Batch, states: np.ndarray, numbers: dict[bytes, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Movers (N,), masks (N, actions), and each seat's observation by number (players, N)."""
    players = batch.game.num_players
    mover, masks = np.empty(len(states), np.int8), np.empty((len(states), len(batch.game.actions)), bool)
    seen = np.empty((players, len(states)), np.int64)
    for start in range(0, len(states), _CHUNK):
        count = _lay_out(batch, states[start : start + _CHUNK])
        chunk = slice(start, start + count)
        mover[chunk], masks[chunk] = batch.seat[:count], batch.action_mask[:count]
        for seat in range(players):
            rows = batch.observe(seat)[:count]
            seen[seat, chunk] = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return mover, masks, seen


def _play(batch: Batch, states: np.ndarray, actions: np.ndarray, payoff: Payoff) -> tuple[np.ndarray, np.ndarray]:
    """The states after these actions, and the payoffs of those that are over."""
    after, payoffs = np.empty_like(states), np.zeros((len(states), batch.game.num_players))
    for start in range(0, len(states), _CHUNK):
        count = _lay_out(batch, states[start : start + _CHUNK])
        chosen = batch.sample_actions()  # the games beyond `count` play anything
        chosen[:count] = actions[start : start + _CHUNK]
        batch.step(chosen)
        chunk, over = slice(start, start + count), batch.done[:count]
        after[chunk] = batch.games[:count]
        payoffs[chunk][over] = payoff(batch)[:count][over]
    return after, payoffs


def _lay_out(batch: Batch, states: np.ndarray) -> int:
    batch.games[: len(states)] = states
    batch.refresh()
    return len(states)
