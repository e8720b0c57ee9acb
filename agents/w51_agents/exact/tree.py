"""The game tree of a small game, enumerated with the engine: all deals, actions and information states.

An information state is everything one seat has observed and done: its observations at all decisions of the game, its
own and others', and its own actions (perfect recall). All chance is in the set-up, so below the roots there are only
decisions. Nodes are stored by level, so every method is a few numpy calls per level.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_env.engine.batch import Batch
from w51_env.engine.deals import deals
from w51_env.engine.game import NO_ACTION, Game

_GAMES_PER_CALL = 8192
_MAX_NODES = 1_000_000

Payoff = Callable[[Batch], np.ndarray]
# (N, actions) probabilities, from (N, size) observations and (N, actions) masks
Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]
MemoryPolicy = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Strategy = list[np.ndarray]
Profile = list[np.ndarray]


@dataclass
class Level:
    """All N nodes at one depth.

    Attributes:
        parent: (N,) int64, index in the level above.
        action: (N,) int16, the action from the parent to the node; NO_ACTION at the roots.
        mover: (N,) int8, the seat to move, -1 where the game is over.
        choices: (N,) int64, number of legal actions.
        reach: (N,) float64, probability of the deal.
        observation: (players, N) int64, the observation of each seat, as its number in `Tree.observations`.
        information: (players, N) int64, the information state of each seat; numbers are equal where the states of
            this level are.
        payoffs: (N, players) float64 of finished games, else 0.
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
    """The game tree.

    Attributes:
        game: The game with its rules bound.
        levels: From the deals down to the last finished game.
        observations: Number of each observation by its bytes.
    """

    game: Game
    levels: list[Level] = field(default_factory=list)
    observations: dict[bytes, int] = field(default_factory=dict)

    def nodes(self) -> int:
        """Number of nodes."""
        return sum(map(len, self.levels))

    def information_states(self, seat: int) -> int:
        """Number of distinct information states in which the seat moves."""
        return sum(len(np.unique(level.information[seat][level.mover == seat])) for level in self.levels)

    # ---- strategies of one seat, and profiles of strategies of all

    def uniform(self) -> Profile:
        """The profile in which all seats play uniformly at random, in the format of `profile`."""
        return [1.0 / level.choices[below.parent] for level, below in pairwise(self.levels)]

    def profile(self, policy: Policy) -> Profile:
        """The profile in which all seats play one policy without memory; one call of it for each level of the tree.

        A profile is one float64 array for each level but the last: the probability of each node of the level below,
            given its parent.

        Raises:
            AgentError: The probabilities of the legal actions do not sum to 1 somewhere.
        """
        observations = list(self.observations)
        profile = []
        for level, below in pairwise(self.levels):
            masks = np.zeros((len(level), len(self.game.actions)), bool)
            masks[below.parent, below.action] = True
            moving = np.flatnonzero(level.mover >= 0)
            numbers, first, inverse = np.unique(
                level.observation[level.mover[moving], moving], return_index=True, return_inverse=True
            )
            decision = np.zeros(len(level), np.int64)
            decision[moving] = inverse.ravel()
            weights = policy(_rows(observations, numbers), masks[moving[first]])[decision[below.parent], below.action]
            if not np.allclose(np.bincount(below.parent, weights=weights, minlength=len(level))[moving], 1.0):
                raise AgentError("policy: the probabilities of the legal actions do not sum to 1")
            profile.append(weights)
        return profile

    def profile_with_memory(self, policy: MemoryPolicy, initial: np.ndarray) -> Profile:
        """As `profile`, of a policy with a state for each seat.

        Args:
            policy: (observations, masks, states) -> (probabilities, states after these decisions).
            initial: (width,), the state before a seat's first decision.
        """
        observations = list(self.observations)
        states = [np.tile(initial, (len(self.levels[0]), 1)) for _ in range(self.game.num_players)]
        profile = []
        for level, below in pairwise(self.levels):
            masks = np.zeros((len(level), len(self.game.actions)), bool)
            masks[below.parent, below.action] = True
            weights = np.ones(len(below))
            for seat in range(self.game.num_players):
                moving = np.flatnonzero(level.mover == seat)
                _, first, inverse = np.unique(level.information[seat, moving], return_index=True, return_inverse=True)
                nodes = moving[first]
                if len(nodes):
                    rows = _rows(observations, level.observation[seat, nodes])
                    played, after = policy(rows, masks[nodes], states[seat][nodes])
                    decision = np.zeros(len(level), np.int64)
                    decision[moving] = inverse.ravel()
                    states[seat][moving] = after[inverse.ravel()]
                    mine = level.mover[below.parent] == seat
                    weights[mine] = played[decision[below.parent[mine]], below.action[mine]]
            profile.append(weights)
            states = [of_seat[below.parent] for of_seat in states]
        return profile

    def combined(self, seat: int, profile: Profile, others: Profile) -> Profile:
        """The profile in which `seat` plays as in `profile`, the others as in `others`."""
        return [
            np.where(level.mover[below.parent] == seat, mine, theirs)
            for (level, below), mine, theirs in zip(pairwise(self.levels), profile, others, strict=True)
        ]

    def pure_profile(self, seat: int, strategy: Strategy, others: Profile) -> Profile:
        """The profile in which `seat` plays a pure strategy, the others as in `others`."""
        pure = [
            (below.action == chosen[below.parent]).astype(np.float64)
            for (_, below), chosen in zip(pairwise(self.levels), strategy[:-1], strict=True)
        ]
        return self.combined(seat, pure, others)

    def mixture(self, profiles: Sequence[Profile], weights: np.ndarray | None = None) -> Profile:
        """The profile that plays as a mixture: each seat draws one of the profiles for a whole game.

        `weights`, (profiles, players), are the probabilities; by default all are as likely. At an information state a
        profile counts in proportion to the probability that the seat's own actions reach it; where none does, all count
        the same.
        """
        weights = np.ones((len(profiles), self.game.num_players)) if weights is None else weights
        reaches = [np.tile(chances, (len(self.levels[0]), 1)).astype(np.float64) for chances in weights]
        mixed = []
        for depth, (level, below) in enumerate(pairwise(self.levels)):
            mover, everyone = level.mover[below.parent], np.arange(len(below))
            reach = [reached[below.parent, mover] for reached in reaches]
            total = np.sum(reach, axis=0)
            played = np.sum([weight * profile[depth] for weight, profile in zip(reach, profiles, strict=True)], axis=0)
            equal = np.mean([profile[depth] for profile in profiles], axis=0)
            mixed.append(np.where(total > 0, played / np.where(total > 0, total, 1.0), equal))
            reaches = [reached[below.parent] for reached in reaches]
            for reached, profile in zip(reaches, profiles, strict=True):
                reached[everyone, mover] *= profile[depth]
        return mixed

    # ---- values

    def values(self, profile: Profile) -> np.ndarray:
        """(players,) float64: expected payoffs of a profile."""
        values = self.levels[-1].payoffs
        for depth in range(len(profile) - 1, -1, -1):
            values = self._backed_up(depth, values, profile[depth])
        return self.levels[0].reach @ values

    def best_response(self, seat: int, others: Profile, *, sees_all: bool = False) -> tuple[float, Strategy]:
        """The maximum expected payoff of `seat` against `others`, and a pure strategy that attains it.

        The strategy is one (N,) int16 for each level: the action at each node where the seat moves, the same at all
        nodes of one information state, NO_ACTION elsewhere. With `sees_all` the seat observes the complete state:
        an upper bound.
        """
        reach = self._reach_by_others(seat, others)
        values = self.levels[-1].payoffs
        strategy = [np.full(len(self.levels[-1]), NO_ACTION, np.int16)]
        for depth in range(len(others) - 1, -1, -1):
            level = self.levels[depth]
            below = self.levels[depth + 1]
            weights = others[depth].copy()
            chosen = np.full(len(level), NO_ACTION, np.int16)
            mine = level.mover == seat
            if mine.any():
                of_mine = mine[below.parent]
                state_of = np.arange(len(level)) if sees_all else level.information[seat]
                count = int(below.action.max()) + 1
                pairs = state_of[below.parent[of_mine]] * count + below.action[of_mine]
                pairs, inverse = np.unique(pairs, return_inverse=True)
                totals = np.bincount(inverse, weights=reach[depth + 1][of_mine] * values[of_mine, seat])
                pairs = pairs[np.lexsort((-totals, pairs // count))]  # the best action of each state comes first
                states, first = np.unique(pairs // count, return_index=True)
                chosen[mine] = (pairs % count)[first][np.searchsorted(states, state_of[mine])]
                weights[of_mine] = below.action[of_mine] == chosen[below.parent[of_mine]]
            values = self._backed_up(depth, values, weights)
            strategy.append(chosen)
        return float(self.levels[0].reach @ values[:, seat]), strategy[::-1]

    def _backed_up(self, depth: int, below: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """(N, players) values of a level, from those of the level below and the probabilities of its nodes."""
        values = self.levels[depth].payoffs.copy()
        parent = self.levels[depth + 1].parent
        for seat in range(self.game.num_players):
            values[:, seat] += np.bincount(parent, weights=weights * below[:, seat], minlength=len(values))
        return values

    def _reach_by_others(self, seat: int, others: Profile) -> list[np.ndarray]:
        """Counterfactual reach probabilities of each level: those of the deal and the others' actions alone."""
        reach = [self.levels[0].reach]
        for (level, below), weights in zip(pairwise(self.levels), others, strict=True):
            reach.append(reach[-1][below.parent] * np.where(level.mover[below.parent] == seat, 1.0, weights))
        return reach


def build_tree(game: Game, roots: np.ndarray | None = None, payoff: Payoff = lambda batch: batch.rewards) -> Tree:
    """Enumerate a game.

    Args:
        game: A game with few enough nodes; 100,000 take about a second.
        roots: (N,) states, equally likely; None: all deals of the game.
        payoff: (N, players) payoffs of the finished games of a batch; default: their rewards.

    Raises:
        AgentError: A game with too many deals or nodes.
    """
    batch = Batch(game, _GAMES_PER_CALL, seed=0, autoreset="disabled", keep_final=False)
    states, reach = deals(game) if roots is None else (roots, np.full(len(roots), 1 / len(roots)))
    tree = Tree(game)
    parent, action = np.zeros(len(states), np.int64), np.full(len(states), NO_ACTION, np.int16)
    payoffs = np.zeros((len(states), game.num_players))
    above, mover_above = np.zeros((game.num_players, 1), np.int64), np.full(1, -1)
    while len(states):
        mover, masks, observed = _observe(batch, states, tree.observations)
        information = np.empty_like(observed)
        for seat in range(game.num_players):
            own_action = np.where(mover_above[parent] == seat, action, NO_ACTION).astype(np.int64)
            history = above[seat][parent] * (len(game.actions) + 1) + own_action - NO_ACTION
            history = history * len(tree.observations) + observed[seat]
            information[seat] = np.unique(history, return_inverse=True)[1]
        tree.levels.append(Level(parent, action, mover, masks.sum(1), reach, observed, information, payoffs))
        parent, action = (
            index.astype(kind) for index, kind in zip(np.nonzero(masks), (np.int64, np.int16), strict=True)
        )
        if tree.nodes() + len(parent) > _MAX_NODES:
            raise AgentError(
                f"tree: {game.id} with these options has more than {_MAX_NODES:,} nodes, but exact solutions need fewer"
            )
        states, payoffs = _play(batch, states[parent], action, payoff)
        reach = reach[parent]
        above, mover_above = information, mover
    return tree


def _rows(observations: Sequence[bytes], numbers: np.ndarray) -> np.ndarray:
    """(N, size) int8: the observations that have these numbers."""
    rows = bytearray().join([observations[number] for number in numbers.tolist()])
    return np.frombuffer(rows, np.int8).reshape(len(numbers), -1)


def _observe(batch: Batch, states: np.ndarray, numbers: dict[bytes, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N,) seats to move, (N, actions) masks, and (players, N) numbers of the observations of each seat."""
    players = batch.game.num_players
    mover, masks = np.empty(len(states), np.int8), np.empty((len(states), len(batch.game.actions)), bool)
    observed = np.empty((players, len(states)), np.int64)
    for start in range(0, len(states), _GAMES_PER_CALL):
        chunk = slice(start, start + _GAMES_PER_CALL)
        count = len(states[chunk])
        batch.load(states[chunk])
        mover[chunk], masks[chunk] = batch.seat[:count], batch.action_mask[:count]
        for seat in range(players):
            rows = batch.observe(seat)[:count]
            observed[seat, chunk] = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return mover, masks, observed


def _play(batch: Batch, states: np.ndarray, actions: np.ndarray, payoff: Payoff) -> tuple[np.ndarray, np.ndarray]:
    """The states after these actions, and the payoffs of those that are finished."""
    after, payoffs = np.empty_like(states), np.zeros((len(states), batch.game.num_players))
    for start in range(0, len(states), _GAMES_PER_CALL):
        chunk = slice(start, start + _GAMES_PER_CALL)
        count = len(states[chunk])
        batch.load(states[chunk])
        batch.step(actions[chunk])
        over = batch.done[:count]
        after[chunk] = batch.clone(np.arange(count))
        payoffs[chunk][over] = payoff(batch)[:count][over]
    return after, payoffs
