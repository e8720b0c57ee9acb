"""How high a seat may go for the lot on the table: what each bid is worth to it beside a pass."""

import re
from dataclasses import dataclass

import numpy as np

from w51_agents.search.deliberation import SoftWins
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.responses import PASS
from w51_agents.search.search_state import Search, SearchState
from w51_env.compiler.compile import repeated
from w51_env.engine.game import Game
from w51_env.engine.victory import wins_of

_BID = re.compile(r"(?:bid|raise)_\d+")
_STEPS = (0, 1, 2, 3, 5, 8, 12, 18, 27, 40)  # positions above the lowest bid of those that are tried
_STEP = 32  # determinizations at a time


class Ladder:
    """The bids of a game that are tried, for its price limits."""

    def __init__(self, game: Game):
        names = [action.name for action in game.actions]
        self._is_bid = np.array([bool(_BID.fullmatch(name)) for name in names])
        self._passes = [action for action, name in enumerate(names) if name == PASS]

    def of(self, mask: np.ndarray) -> list[int]:
        """To pass, and bids, the least first; empty where one cannot pass or not bid."""
        passes, bids = [each for each in self._passes if mask[each]], np.flatnonzero(self._is_bid & (mask != 0))
        positions = sorted({*(step for step in _STEPS if step < len(bids)), len(bids) - 1})
        return [*passes[:1], *bids[positions].tolist()] if passes and len(bids) else []


@dataclass(frozen=True)
class PriceLimit:
    """What bids for a lot are worth.

    Attributes:
        passing: Action id of a pass.
        passed: Part of the wins of the seat after it.
        bids: (K,) action ids of bids, the least first.
        gains: (K,) what each is better by than a pass: they rise to a best bid and fall after it.
        errors: (K,) their standard errors, as measured.
        playouts: Number of playouts that began with each.
    """

    passing: int
    passed: float
    bids: np.ndarray
    gains: np.ndarray
    errors: np.ndarray
    playouts: int

    @property
    def highest(self) -> int | None:
        """The highest bid that is no worse than a pass; None: no bid is."""
        good = np.flatnonzero(self.gains >= 0)
        if not len(good):
            return None
        last = good[-1]
        if last == len(self.bids) - 1:
            return int(self.bids[last])
        gain, loss = self.gains[last], -self.gains[last + 1]  # between both, as on a line
        return int(self.bids[last] + gain / (gain + loss) * (self.bids[last + 1] - self.bids[last]))

    @property
    def best(self) -> int | None:
        """The bid that is worth most; None: a pass is."""
        at = self.gains.argmax()
        return int(self.bids[at]) if self.gains[at] >= 0 else None


class LimitSearch:
    """The playouts of one lot so far; `state` has the candidates of a `Ladder`."""

    def __init__(self, state: SearchState):
        self._state = state
        self._soft_wins = SoftWins(state.seat)
        self._wins = np.empty((0, 2, len(state.candidates)))  # and softened ones

    def step(self) -> LeafBatch:
        """What is played next: all candidates, in new determinizations."""
        candidates = self._state.candidates
        return LeafBatch(repeated(self._state.draw(_STEP), len(candidates)), np.tile(candidates, _STEP))

    def add(self, outcomes: Outcomes) -> None:
        """Learn how the playouts of the last step ended."""
        parts = wins_of(outcomes.ranks)[:, self._state.seat], self._soft_wins(outcomes)
        rows = np.stack([part.reshape(_STEP, -1) for part in parts], axis=1)
        self._wins = np.concatenate([self._wins, rows])

    def found(self) -> PriceLimit:
        """What the playouts so far say; there must be some."""
        soft, count = self._wins[:, 1], len(self._wins)
        gains = soft[:, 1:] - soft[:, :1]
        errors = gains.std(axis=0) / count**0.5
        fitted = one_peak(gains.mean(axis=0))
        [passing, *_], passed = self._state.candidates.tolist(), float(self._wins[:, 0, 0].mean())
        return PriceLimit(passing, passed, self._state.candidates[1:], fitted, errors, count)


def limit_search(state: SearchState, playouts: int) -> Search:
    """The best bid of a lot, or a pass, as a search."""
    search, steps = LimitSearch(state), max(1, playouts // (_STEP * len(state.candidates)))
    for _ in range(steps):
        search.add((yield search.step()))
    best = search.found().best
    return int(state.candidates[0]) if best is None else best


def one_peak(values: np.ndarray) -> np.ndarray:
    """(K,) the nearest numbers that rise to one of them and fall after it (least squares)."""
    fits = [np.concatenate([_rising(values[:top]), -_rising(-values[top:])]) for top in range(len(values) + 1)]
    fitted: np.ndarray = min(fits, key=lambda fit: float(((fit - values) ** 2).sum()))
    return fitted


def _rising(values: np.ndarray) -> np.ndarray:
    """(K,) the nearest numbers that do not fall: neighbours that do share their mean (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for value in values.tolist():
        mean, size = value, 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean, size = (mean * size + before * count) / (size + count), size + count
        pools.append((mean, size))
    return np.repeat([mean for mean, _ in pools], [size for _, size in pools]) if pools else np.empty(0)
