"""Means with 95 % intervals, deals taken as the independent draws, and how many games the design of a match saves.

Win rates keep Wilson's interval by deal (`arena.intervals`), which works at 0 and 1. All else, that is scores, ranks and paired
differences, has the studentized bootstrap of deals (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 12), for it follows
the skewness of what was drawn.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from arena.games import Games
from arena.intervals import student_quantile, win_rate_interval

RESAMPLES = 2000
_TAIL = 0.025
_MOST_GROUPS = 4096  #  more deals than that are drawn in so many groups
_FEW = 30  #  deals that differ from the rest; of fewer, resamples are too much alike


class Interval(NamedTuple):
    """A mean and the ends of its 95 % interval; an end of which nothing is known is infinite."""

    mean: float
    low: float
    high: float


def intervals(by_deal: np.ndarray, least: float = -math.inf, most: float = math.inf) -> list[Interval]:
    """The mean of each column of (D, K) values, a row for each independent deal, with its interval.

    Where few deals differ from the rest, a bootstrap of them is blind to those that did not come: there it is Wilson's interval for values between
    `least` and `most`. Of few deals of many values the quantile is Student's. One deal says nothing: from `least` to `most`.

    Args:
        by_deal: (D, K), of deals of one kind.
        least: What no deal can be below.
        most: What none can be above.
    """
    deals = len(by_deal)
    means = by_deal.mean(axis=0)
    if deals < 2:
        return [Interval(float(mean), least, most) for mean in means]
    moved = (np.abs(by_deal - np.median(by_deal, axis=0)) > 1e-9).sum(axis=0)
    sums = grouped(by_deal - means)
    errors = np.sqrt((sums**2).sum(axis=0) * len(sums) / (len(sums) - 1)) / deals
    low, high = np.full((2, len(means)), student_quantile(deals - 1))
    many = moved >= _FEW
    if many.any():
        drawn = studentized(sums[:, many])
        low[many], high[many] = np.quantile(drawn, 1 - _TAIL, axis=0), -np.quantile(drawn, _TAIL, axis=0)
    ends = np.clip([means - low * errors, means + high * errors], least, most)
    for column in np.flatnonzero(~many & (2 * moved < deals)):
        ends[:, column] = _between(by_deal[:, column], least, most) if math.isfinite(most - least) else (least, most)
    return [Interval(float(mean), float(ends[0, column]), float(ends[1, column])) for column, mean in enumerate(means)]


def win_rate_intervals(games: Games) -> list[Interval]:
    """Win rate of one seat of each agent that sat in these games."""
    by_deal = games.by_deal(games.wins)
    found = []
    for agent in np.flatnonzero(games.places.sum(axis=0)):
        places = games.places[:, agent]
        # An agent with two seats wins half a seat's share at best, and one who plays only itself has what it has.
        least, most = (places == games.num_players).sum() / places.sum(), (places > 0).sum() / places.sum()
        mean = float(by_deal[:, agent].mean())
        ends = _between(by_deal[:, agent], float(least), float(most)) if most - least > 1e-9 else (mean, mean)
        found.append(Interval(mean, *ends))
    return found


def grouped(values: np.ndarray) -> np.ndarray:
    """(min(D, 4096), K): sums of (D, K) values over groups of deals that stand together; so many are enough to know a spread."""
    deals = len(values)
    if deals <= _MOST_GROUPS:
        return values
    return np.add.reduceat(values, np.arange(_MOST_GROUPS) * deals // _MOST_GROUPS, axis=0)


def studentized(sums: np.ndarray) -> np.ndarray:
    """(RESAMPLES, K): what Student's t of each column of (D, K) values of mean 0 is when their rows are drawn anew."""
    scaled = (sums / np.sqrt((sums**2).mean(axis=0))).astype(np.float32)
    weights = resamples(len(sums))
    total, squares = weights @ scaled, weights @ scaled**2
    rest = np.maximum(squares - total**2 / len(sums), 1e-6)
    return total / np.sqrt(rest * (len(sums) / (len(sums) - 1)))


@lru_cache(maxsize=2)
def resamples(deals: int) -> np.ndarray:
    """(RESAMPLES, deals) float32: how often each deal is drawn in each resample, the same numbers every time."""
    generator = np.random.default_rng(deals)
    weights = np.empty((RESAMPLES, deals), np.float32)
    for row in weights:
        row[:] = np.bincount(generator.integers(0, deals, deals, np.uint16), minlength=deals)
    weights.flags.writeable = False
    return weights


def saving(games: Games, values: np.ndarray) -> float:
    """How many times as many independent games would tell the agents' means of `values` (G, P) as well as these games.

    An independent game has a deal, a line-up and a seating of its own, each drawn from those of the plan. It is the variance of the mean of as
    many of them over that of the mean by deal, each summed over the agents; infinite where every deal brought the same.
    """
    deals, agents = len(games.deal_ids), len(games.agents)
    if deals < 2:
        return math.nan
    by_game, by_deal = games.by_game(values), games.by_deal(values)
    independent = clustered = 0.0
    for agent in range(agents):
        places = games.places[:, agent]
        sat = places > 0
        if not sat.any():
            continue
        weights = places[sat] / places[sat].mean()  # a game in which it has more seats counts for more
        error = float(by_deal[:, agent].var(ddof=1)) / deals
        off = weights * (by_game[sat, agent] - by_deal[:, agent].mean())
        independent += (float((off**2).mean()) + error) / len(off)  # the mean, too, is only known so well
        clustered += error
    return independent / clustered if clustered > 1e-18 else math.inf


def _between(by_deal: np.ndarray, least: float, most: float) -> tuple[float, float]:
    """Wilson's interval of values from `least` to `most`."""
    low, high = win_rate_interval(np.clip((by_deal - least) / (most - least), 0.0, 1.0))
    return least + low * (most - least), least + high * (most - least)
