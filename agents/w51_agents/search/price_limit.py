"""How high a seat may go for the lot on the table: what each bid is worth to it beside a pass."""

import re
from dataclasses import dataclass

import numpy as np

from w51_agents.search.deliberation import CLEAR, SoftWins
from w51_agents.search.playouts import LeafBatch, Outcomes
from w51_agents.search.priors import passes_of
from w51_agents.search.search_state import SearchState
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
        self._passes = np.flatnonzero(passes_of(game)).tolist()

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
        playouts: Number of playouts that began with a pass.
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

    def instead_of(self, action: int) -> int:
        """The best bid, or a pass, if it is clearly better than this bid or pass; else the action."""
        if action != self.passing and not self.bids[0] <= action <= self.bids[-1]:
            return action
        best, at = self.best, int(self.gains.argmax())
        gain = 0.0 if action == self.passing else np.interp(action, self.bids, self.gains)
        if max(self.gains[at], 0.0) - gain <= CLEAR * self.errors[at]:
            return action
        return self.passing if best is None else best


class LimitSearch:
    """The playouts of one lot so far; `state` has the candidates of a `Ladder`.

    Bids that are clearly worse than the best one, and clearly better or worse than a pass, are played no more.
    """

    def __init__(self, state: SearchState):
        self._state = state
        self._soft_wins = SoftWins(state.seat)
        self._alive = np.arange(len(state.candidates))
        self._samples = np.empty((0, 2, len(state.candidates)))  # wins and softened ones; nan: not played

    def step(self) -> LeafBatch:
        """What is played next, in new determinizations."""
        states, played = self._state.draw(_STEP), self._state.candidates[self._alive]
        return LeafBatch(repeated(states, len(played)), np.tile(played, _STEP))

    def add(self, outcomes: Outcomes) -> None:
        """Learn how the playouts of the last step ended."""
        parts = wins_of(outcomes.ranks)[:, self._state.seat], self._soft_wins(outcomes)
        rows = np.full((_STEP, 2, self._samples.shape[2]), np.nan)
        for number, values in enumerate(parts):
            rows[:, number, self._alive] = values.reshape(_STEP, -1)
        self._samples = np.concatenate([self._samples, rows])
        gains, errors, _ = self._gains()
        is_open = np.minimum(gains.max() - gains, abs(gains)) <= CLEAR * errors
        self._alive = np.flatnonzero([True, *(is_open | (gains == gains.max()))])

    def _gains(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(K,) what bids are better by than a pass, with the standard errors, and the number of playouts of each."""
        leads = self._samples[:, 1, 1:] - self._samples[:, 1, :1]
        counts = (~np.isnan(leads)).sum(axis=0)
        return np.nanmean(leads, axis=0), np.nanstd(leads, axis=0) / counts**0.5, counts

    def found(self) -> PriceLimit:
        """What the playouts so far say; there must be some."""
        gains, errors, counts = self._gains()
        [passing, *_], passed = self._state.candidates.tolist(), float(self._samples[:, 0, 0].mean())
        fitted = one_peak(gains, counts)
        return PriceLimit(passing, passed, self._state.candidates[1:], fitted, errors, len(self._samples))


def one_peak(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(K,) the nearest numbers that rise to one of them and fall after it (least squares, weighted)."""
    fits = [
        np.concatenate([_rising(values[:top], weights[:top]), -_rising(-values[top:], weights[top:])])
        for top in range(len(values) + 1)
    ]
    fitted: np.ndarray = min(fits, key=lambda fit: float((weights * (fit - values) ** 2).sum()))
    return fitted


def _rising(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(K,) the nearest numbers that do not fall: neighbours that do share their mean (pool adjacent violators)."""
    pools: list[tuple[float, float, int]] = []  # mean, weight, size
    for mean, weight in zip(values.tolist(), weights.tolist(), strict=True):
        size = 1
        while pools and pools[-1][0] > mean:
            before, heavy, count = pools.pop()
            mean = (mean * weight + before * heavy) / (weight + heavy)
            weight, size = weight + heavy, size + count
        pools.append((mean, weight, size))
    return np.repeat([mean for mean, _, _ in pools], [size for _, _, size in pools]) if pools else np.empty(0)
