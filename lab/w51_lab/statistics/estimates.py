"""Means with 95 % intervals, where deals are the independent draws, and the design effect of a match.

Win rates have Wilson's interval by deal (`win_rate_interval`), which holds near 0 and 1. Scores, ranks and paired
differences have the studentized bootstrap over deals, which follows the skewness of the data (Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapter 12).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from w51_lab.statistics.games import Games, divided

RESAMPLES = 2000
_TAIL = 0.025
# More deals than this are resampled in as many groups.
_MAX_GROUPS = 4096
# With fewer deals than this that differ from the median, resamples are too much alike.
_FEW = 30
CONFIDENCE = 0.95
_NORMAL = 1.959964  #  quantile of a two-sided 95 % interval
# The same quantile of Student's t, 1 to 5 degrees of freedom.
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)
# A quarter of a deal with all games won, and one with all games lost, are added to estimate the spread between deals.
_PSEUDO = 0.25


class Interval(NamedTuple):
    """A mean and the ends of its 95 % interval; an unknown end is infinite."""

    mean: float
    low: float
    high: float


def intervals(by_deal: np.ndarray, minimum: float = -math.inf, maximum: float = math.inf) -> list[Interval]:
    """Return the mean of each column of (D, K) values, one row for each independent deal, with its interval.

    If fewer than 30 deals differ from the median, resamples are too much alike. Then the interval is Wilson's for
    values from `minimum` to `maximum` if these are less than half of the deals, else Student's. One deal gives
    `minimum` to `maximum`.

    Args:
        by_deal: (D, K) float64.
        minimum: Lower bound of the values.
        maximum: Upper bound of the values.
    """
    deals = len(by_deal)
    means = by_deal.mean(axis=0)
    if deals < 2:
        return [Interval(float(mean), minimum, maximum) for mean in means]
    moved = (np.abs(by_deal - np.median(by_deal, axis=0)) > 1e-9).sum(axis=0)
    sums = grouped(by_deal - means)
    errors = np.sqrt((sums**2).sum(axis=0) * len(sums) / (len(sums) - 1)) / deals
    low, high = np.full((2, len(means)), student_quantile(deals - 1))
    many = moved >= _FEW
    if many.any():
        drawn = studentized(sums[:, many])
        low[many], high[many] = np.quantile(drawn, 1 - _TAIL, axis=0), -np.quantile(drawn, _TAIL, axis=0)
    ends = np.clip([means - low * errors, means + high * errors], minimum, maximum)
    for column in np.flatnonzero(~many & (2 * moved < deals)):
        ends[:, column] = (
            _between(by_deal[:, column], minimum, maximum) if math.isfinite(maximum - minimum) else (minimum, maximum)
        )
    return [Interval(float(mean), float(ends[0, column]), float(ends[1, column])) for column, mean in enumerate(means)]


def ratio_by_deal(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(D, ...) values whose mean over the deals is the mean over the rows of all of them; nan without any row.

    From (D, ...) sums and numbers of the rows of each deal. A deal without rows is not left out, which would leave out
    what it says of the others: each value is the mean plus what the deal changes of it (Cochran, Sampling Techniques,
    1977, chapter 6), so their spread is that of the ratio.
    """
    rows = np.broadcast_to(counts.sum(axis=0), sums.shape)
    mean = divided(np.broadcast_to(sums.sum(axis=0), sums.shape), rows)
    changes = sums - mean * counts
    changes[np.abs(changes) < 1e-9 * np.maximum(1.0, np.abs(sums))] = 0.0  # rounding is no spread
    return mean + divided(changes * len(sums), rows)


def win_rate_intervals(games: Games) -> list[Interval]:
    """Return the win rate of one seat of each agent in these games, with its interval."""
    by_deal = games.by_deal(games.wins)
    rates = []
    for agent in np.flatnonzero(games.seat_counts.sum(axis=0)):
        counts = games.seat_counts[:, agent]
        # Two seats of one game win 1/2 each at best; an agent that has all seats wins 1/P with each.
        lowest, highest = (counts == games.num_players).sum() / counts.sum(), (counts > 0).sum() / counts.sum()
        mean = float(by_deal[:, agent].mean())
        ends = _between(by_deal[:, agent], float(lowest), float(highest)) if highest - lowest > 1e-9 else (mean, mean)
        rates.append(Interval(mean, *ends))
    return rates


def grouped(values: np.ndarray) -> np.ndarray:
    """(min(D, 4096), K): sums of (D, K) values over groups of consecutive deals."""
    deals = len(values)
    if deals <= _MAX_GROUPS:
        return values
    return np.add.reduceat(values, np.arange(_MAX_GROUPS) * deals // _MAX_GROUPS, axis=0)


def studentized(sums: np.ndarray) -> np.ndarray:
    """(RESAMPLES, K) float32: Student's t of each column of (D, K) values of mean 0, for resampled rows."""
    scaled = (sums / np.sqrt((sums**2).mean(axis=0))).astype(np.float32)
    weights = resamples(len(sums))
    total, squares = weights @ scaled, weights @ scaled**2
    rest = np.maximum(squares - total**2 / len(sums), 1e-6)
    return total / np.sqrt(rest * (len(sums) / (len(sums) - 1)))


@lru_cache(maxsize=2)
def resamples(deals: int) -> np.ndarray:
    """(RESAMPLES, deals) float32: how often each resample contains each deal; always the same numbers."""
    generator = np.random.default_rng(deals)
    weights = np.empty((RESAMPLES, deals), np.float32)
    for row in weights:
        row[:] = np.bincount(generator.integers(0, deals, deals, np.uint16), minlength=deals)
    weights.flags.writeable = False
    return weights


def design_effect(games: Games, values: np.ndarray) -> float:
    """Return the design effect: variance of the agents' means of (G, P) `values` over that of independent games.

    Below 1, the same precision would need 1 / design effect times as many independent games. An independent game has
    its own random deal, line-up and seating. Variances are summed over agents. It is nan for one deal, and 0 if all
    deals have the same means.
    """
    deals, agents = len(games.deal_ids), len(games.agents)
    if deals < 2:
        return math.nan
    by_game, by_deal = games.by_game(values), games.by_deal(values)
    independent = clustered = 0.0
    for agent in range(agents):
        counts = games.seat_counts[:, agent]
        sat = counts > 0
        if not sat.any():
            continue
        weights = counts[sat] / counts[sat].mean()  # a game counts in proportion to the agent's seats
        error = float(by_deal[:, agent].var(ddof=1)) / deals
        off = weights * (by_game[sat, agent] - by_deal[:, agent].mean())
        independent += (float((off**2).mean()) + error) / len(off)  # the second term: the mean is estimated, too
        clustered += error
    return clustered / independent if clustered > 1e-18 else 0.0


def _between(by_deal: np.ndarray, minimum: float, maximum: float) -> tuple[float, float]:
    """Wilson's interval for values from `minimum` to `maximum`; these, if they are equal."""
    if maximum <= minimum:
        return minimum, maximum
    low, high = win_rate_interval(np.clip((by_deal - minimum) / (maximum - minimum), 0.0, 1.0))
    return minimum + low * (maximum - minimum), minimum + high * (maximum - minimum)


def win_rate_interval(by_deal: np.ndarray) -> tuple[float, float]:
    """Return the ends of a 95 % interval for the mean of values from 0 to 1, one for each independent deal.

    This is Wilson's interval, which stays within 0 and 1 and has a width even if every deal was won. Two changes allow
    for several games of one deal (Korn and Graubard, Survey Methodology 24, 1998): the number of games is the
    `effective_sample_size`, and the quantile is Student's, because the spread is estimated from the deals. One deal
    gives 0 to 1.

    Args:
        by_deal: (D,) float64.
    """
    deals = len(by_deal)
    if deals < 2:
        return 0.0, 1.0
    mean = float(by_deal.mean())
    weight = student_quantile(deals - 1) ** 2 / effective_sample_size(by_deal)
    centre = mean + weight / 2
    reach = math.sqrt(weight * (mean * (1 - mean) + weight / 4))
    low, high = (centre - reach) / (1 + weight), (centre + reach) / (1 + weight)
    # Rounding must not leave out a mean of 0 or 1.
    return max(0.0, min(low, mean)), min(1.0, max(high, mean))


def effective_sample_size(by_deal: np.ndarray) -> float:
    """Return the number of independent games that would give a mean of the same variance as these (D,) deals.

    It is the variance of one game over that of the mean of the deals. A quarter of a deal with all games won and a
    quarter of one with all games lost are added to both. So if all deals are won, or all lost, each deal counts as one
    game.
    """
    deals = len(by_deal)
    mean = (float(by_deal.sum()) + _PSEUDO) / (deals + 2 * _PSEUDO)
    squares = float(((by_deal - mean) ** 2).sum()) + _PSEUDO * (mean**2 + (1 - mean) ** 2)
    return mean * (1 - mean) * deals * (deals - 1 + 2 * _PSEUDO) / squares


@lru_cache(maxsize=4096)
def student_quantile(freedom: int) -> float:
    """Student's t quantile of a two-sided 95 % interval; above 5 degrees of freedom by the Cornish-Fisher series."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = _NORMAL
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def over_seeds(values: Sequence[float] | np.ndarray) -> Interval:
    """The mean of independent runs, one value for each seed, with its 95 % interval by Student's t.

    A bootstrap over few values covers far less: with three it cannot be wider than they are (its 95 % held in 75 of
    100 cases). One value has no interval.
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return Interval(mean, math.nan, math.nan)
    reach = student_quantile(len(values) - 1) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return Interval(mean, mean - reach, mean + reach)


def student_p(statistic: float, freedom: int) -> float:
    """How likely Student's t is at least as far from 0, on either side."""
    # With t = sqrt(freedom) tan(angle), its density is that of a power of the cosine.
    angles = np.linspace(0, math.pi / 2, 20_001)[:-1]
    density = np.cos(angles) ** (freedom - 1)
    return float(density[angles >= math.atan(abs(statistic) / math.sqrt(freedom))].sum() / density.sum())


def holm(p_values: Sequence[float], level: float = 1 - CONFIDENCE) -> list[bool]:
    """Which of several questions are answered if all are judged together (Holm, 1979)."""
    order = sorted((p, number) for number, p in enumerate(p_values) if not math.isnan(p))
    answered = [False] * len(p_values)
    for rank, (p, number) in enumerate(order):
        if p > level / (len(order) - rank):
            break
        answered[number] = True
    return answered
