"""Whether a difference is settled, judged while the deals come in, without the bias of looking often.

Whoever looks at a 95 % interval after every few deals, and stops as soon as it leaves out 0, calls equals different far more often than 5 times
in 100. Here the sum of the differences must leave a region that equals leave but 5 times in 100 over the whole of the planned deals,
however often one looks: a straight line on either side, which a Brownian motion crosses with a probability that is known exactly (Siegmund,
Sequential Analysis, 1985, chapter 3). The line is `M * deviation * sqrt(planned) * (1 + deals / (2 * planned))`. By the last
deal it asks for 2.39 deviations, where a single look asks for 1.96; of a large difference it knows much earlier. Confidence sequences
without an end (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory, Annals of Statistics 52, 2024)
ask for 3.03 there. They and betting settle differences sooner that are far larger than the plan needs, and leave more of the small ones
unfound, which are what a plan is made for: `benchmarks/arena_statistics.py` has the figures.

The number of planned deals is part of the test: it is fixed before the first deal is looked at.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from agents.agent import AgentError
from arena.games import Games
from arena.intervals import CONFIDENCE, student_quantile

LOOK = 25  #  a look after so many deals each
_PSEUDO = 0.25  #  of a deal won by each side throughout, for the spread where few deals differ
_normal = NormalDist().cdf


@dataclass(frozen=True)
class Verdict:
    """What is known of the difference of two agents.

    Attributes:
        better: 1 if it is settled that it is above 0, -1 if below, 0 if it is not settled.
        low, high: Of the difference, at the look that settled it, or at the last one; right for all pairs and all looks at once,
            95 times in 100.
        at: The number of deals after which it was settled.
    """

    better: int
    low: float
    high: float
    at: int | None


def settled(differences: np.ndarray, planned: int) -> Verdict:
    """Whether one mean difference is settled; arguments and errors as of `settle`, with differences (D,)."""
    return settle(differences[:, None], planned)[0]


def settle(differences: np.ndarray, planned: int) -> list[Verdict]:
    """Whether mean differences are settled, as far as is known.

    Several are judged by Holm's step-down method (Scandinavian Journal of Statistics 6, 1979): that any pair of equals is called different happens
    5 times in 100 at most. A verdict is a function of the deals up to the look that gave it: what is settled stays so.

    Args:
        differences: (D, K) from -1 to 1, of K pairs of agents, in each of the first D deals.
        planned: How many deals there will be at most.

    Raises:
        AgentError: More deals than are planned.
    """
    deals, pairs = differences.shape
    if deals > planned:
        raise AgentError(f"differences: of {deals} deals, but {planned} were planned, and the test is made for those")
    looks = np.array([*range(LOOK, min(deals + 1, planned), LOOK), *([planned] if deals == planned else [])], np.int64)
    found: list[Verdict] = [Verdict(0, -1.0, 1.0, None)] * pairs
    if not len(looks) or planned < 2:
        return found
    sums = np.cumsum(differences, axis=0)[looks - 1]
    lines = _lines(sums, np.cumsum(differences**2, axis=0)[looks - 1], looks[:, None], planned)
    heights = np.abs(sums) / lines
    still = list(range(pairs))
    for look, at in enumerate(looks.tolist()):
        for pair in sorted(still, key=lambda pair: -heights[look, pair]):
            needed = line_height((1 - CONFIDENCE) / len(still))
            better = int(np.sign(sums[look, pair])) if heights[look, pair] >= needed else 0
            middle, reach = float(sums[look, pair]) / at, needed * float(lines[look, pair]) / at
            found[pair] = Verdict(better, max(-1.0, middle - reach), min(1.0, middle + reach), at if better else None)
            if better:
                still.remove(pair)
    return found


def pair_differences(games: Games) -> tuple[list[tuple[int, int]], np.ndarray]:
    """Each pair of agents, and (D, pairs) by how much the win rate of a seat of the first exceeds that of the second in each deal."""
    first, second = np.triu_indices(len(games.agents), 1)
    wins = games.by_deal(games.wins)
    return list(zip(first.tolist(), second.tolist(), strict=True)), wins[:, first] - wins[:, second]


@lru_cache
def line_height(chance: float) -> float:
    """The M of two lines M * (1 + t / 2) that a Brownian motion on [0, 1] crosses with this probability, at most."""
    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        crossed = 2 * (_normal(-1.5 * middle) + math.exp(-(middle**2)) * _normal(-0.5 * middle))
        low, high = (middle, high) if crossed > chance else (low, middle)
    return high


def _lines(sums: np.ndarray, squares: np.ndarray, looks: np.ndarray, planned: int) -> np.ndarray:
    """(looks, K) the lines of height 1; wider where so few deals tell the deviation that Student's distribution is."""
    means = sums / looks
    variance = (squares - looks * means**2 + _PSEUDO * ((1 - means) ** 2 + (1 + means) ** 2)) / (looks - 1)
    wider = np.array([student_quantile(int(at) - 1) for at in looks[:, 0]])[:, None] / student_quantile(10**9)
    return np.sqrt(variance * planned) * (1 + looks / (2 * planned)) * wider
