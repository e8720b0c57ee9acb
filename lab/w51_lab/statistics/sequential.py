"""Sequential test of the difference of two agents: valid at every look while deals are played.

If one tests a 95 % interval after every few deals and stops when it excludes 0, equal agents are called different far
more than 5 % of the time. Here the sum of the differences must cross a boundary that equal agents cross with
probability 5 % over the whole of the planned deals, for any number of looks. The boundary is a straight line on either
side: `M * deviation * sqrt(planned) * (1 + deals / (2 * planned))`. The probability that a Brownian motion crosses it
is known (Siegmund, Sequential Analysis, 1985, chapter 3).

At the last deal the boundary is at 2.39 standard errors; a single test at the end needs 1.96. Confidence sequences
(Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory, Annals of Statistics 52, 2024) need
3.03 there. They decide large differences sooner and miss more of the small ones, for which a number of deals is
planned: docs/lab/arena.md has the figures.

The number of planned deals is part of the test: it must be fixed before the first deal.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_lab.statistics.estimates import CONFIDENCE, Interval, student_quantile
from w51_lab.statistics.games import Games, divided

LOOK_EVERY = 25  #  deals between two looks
# A quarter of a deal with the largest difference on each side is added to estimate the spread.
_PSEUDO = 0.25
_normal = NormalDist().cdf


@dataclass(frozen=True)
class SequentialResult:
    """Result of the sequential test of one mean difference.

    Attributes:
        better: 1 if decided that the difference is above 0, -1 if below, 0 if undecided.
        low, high: Interval of the difference at the deciding look, or at the last one; 95 % for all pairs and all looks
            at once.
        at: Number of deals at the deciding look; None if undecided.
    """

    better: int
    low: float
    high: float
    at: int | None


def sequential_test(differences: np.ndarray, planned: int) -> SequentialResult:
    """Test one mean difference: `sequential_tests` of (D,) differences."""
    return sequential_tests(differences[:, None], planned)[0]


def sequential_tests(differences: np.ndarray, planned: int, largest: float | None = 1.0) -> list[SequentialResult]:
    """Test K mean differences.

    Holm's step-down method (Scandinavian Journal of Statistics 6, 1979) bounds the probability that any pair of equal
    agents is called different by 5 %. A decision depends only on the deals up to its look, so later deals do not change
    it.

    Args:
        differences: (D, K) of K pairs of agents, in each of the first D deals.
        planned: Planned number of deals, an upper bound of D.
        largest: The largest difference that a deal can have; None: not known, so the largest one up to each look.

    Raises:
        AgentError: More deals than planned.
    """
    deals, pairs = differences.shape
    if deals > planned:
        raise AgentError(f"differences: {deals} deals, but at most the {planned} planned ones are allowed")
    last = [planned] if deals == planned else []
    looks = np.array([*range(LOOK_EVERY, min(deals + 1, planned), LOOK_EVERY), *last], np.int64)
    end = math.inf if largest is None else largest
    results: list[SequentialResult] = [SequentialResult(0, -end, end, None)] * pairs
    if not len(looks) or planned < 2:
        return results
    sums = np.cumsum(differences, axis=0)[looks - 1]
    ends = np.full(sums.shape, end) if largest is not None else np.maximum.accumulate(np.abs(differences))[looks - 1]
    lines = _lines(sums, np.cumsum(differences**2, axis=0)[looks - 1], looks[:, None], planned, ends)
    heights = divided(np.abs(sums), lines)
    undecided = list(range(pairs))
    for look, at in enumerate(looks.tolist()):
        for pair in sorted(undecided, key=lambda pair: -heights[look, pair]):
            needed = line_height((1 - CONFIDENCE) / len(undecided))
            better = int(np.sign(sums[look, pair])) if heights[look, pair] >= needed else 0
            middle, reach = float(sums[look, pair]) / at, needed * float(lines[look, pair]) / at
            low, high = max(-end, middle - reach), min(end, middle + reach)
            results[pair] = SequentialResult(better, low, high, at if better else None)
            if better:
                undecided.remove(pair)
    return results


def valid_intervals(differences: np.ndarray, planned: int, largest: float | None = 1.0) -> list[Interval]:
    """Intervals of K mean differences: 95 % for all pairs and all looks at once, so that one may stop by their width.

    Args:
        differences: (D, K), as of `sequential_tests`, of two deals or more.
        planned: Planned number of deals, an upper bound of D.
        largest: As of `sequential_tests`.
    """
    deals, pairs = differences.shape
    sums, squares = differences.sum(axis=0, keepdims=True), (differences**2).sum(axis=0, keepdims=True)
    ends = np.full(sums.shape, largest) if largest is not None else np.abs(differences).max(axis=0, keepdims=True)
    lines = _lines(sums, squares, np.array([[deals]]), planned, ends)
    end = math.inf if largest is None else largest
    reaches = line_height((1 - CONFIDENCE) / pairs) * lines[0] / deals
    return [
        Interval(mean, max(-end, mean - reach), min(end, mean + reach))
        for mean, reach in zip((sums[0] / deals).tolist(), reaches.tolist(), strict=True)
    ]


def deals_to_plan(width: float, deviation: float, pairs: int) -> int:
    """How many deals to plan for intervals so wide after the last of them, of differences of such a deviation."""
    return math.ceil((3 * line_height((1 - CONFIDENCE) / pairs) * deviation / width) ** 2)


def deals_needed(width: float, reached: float, deals: int, planned: int) -> int:
    """After how many deals the intervals are so wide that are `reached` wide after `deals`; all, if within none."""
    share = width / reached * (1 / deals + 1 / (2 * planned)) - 1 / (2 * planned)
    return math.ceil(1 / share) if share * planned > 1 else planned


def pair_differences(games: Games) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Return the pairs of agents, and (D, pairs) result of a seat of the first less that of the second, by deal."""
    first, second = np.triu_indices(len(games.agents), 1)
    results = games.by_deal(games.results)
    return list(zip(first.tolist(), second.tolist(), strict=True)), results[:, first] - results[:, second]


@lru_cache
def line_height(chance: float) -> float:
    """Return M: Brownian motion on [0, 1] crosses the lines +-M * (1 + t / 2) with at most this probability."""
    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        crossed = 2 * (_normal(-1.5 * middle) + math.exp(-(middle**2)) * _normal(-0.5 * middle))
        low, high = (middle, high) if crossed > chance else (low, middle)
    return high


def _lines(sums: np.ndarray, squares: np.ndarray, looks: np.ndarray, planned: int, ends: np.ndarray) -> np.ndarray:
    """(looks, K) lines of height M = 1, widened by Student's t quantile where few deals estimate the deviation.

    `ends`: (looks, K) the largest difference of a deal on either side.
    """
    means = sums / looks
    variance = (squares - looks * means**2 + _PSEUDO * ((ends - means) ** 2 + (ends + means) ** 2)) / (looks - 1)
    wider = np.array([student_quantile(int(at) - 1) for at in looks[:, 0]])[:, None] / student_quantile(10**9)
    return np.sqrt(variance * planned) * (1 + looks / (2 * planned)) * wider
