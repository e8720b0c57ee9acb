"""Confidence interval of a win rate from deals, each of which counts as one independent draw."""

import math
from collections.abc import Sequence

import numpy as np

CONFIDENCE = 0.95
_NORMAL = 1.959964  #  quantile of a two-sided 95 % interval
# The same quantile of Student's t, 1 to 5 degrees of freedom.
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)
# A quarter of a deal with all games won, and one with all games lost, are added to estimate the spread between deals.
_PSEUDO = 0.25
_SEED_RESAMPLES = 2000  # draws of as many seeds


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


def student_quantile(freedom: int) -> float:
    """Student's t quantile of a two-sided 95 % interval; above 5 degrees of freedom by the Cornish-Fisher series."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = _NORMAL
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def over_seeds(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the interquartile mean over runs of several seeds and its 95 % bootstrap interval (Agarwal et al., 2021).

    `values` has one for each seed.
    """
    by_seed = np.array(values)
    drawn = np.random.default_rng(0).choice(by_seed, (_SEED_RESAMPLES, len(by_seed)))
    low, high = np.quantile([_interquartile_mean(row) for row in drawn], (0.025, 0.975))
    return _interquartile_mean(by_seed), float(low), float(high)


def _interquartile_mean(values: np.ndarray) -> float:
    """Mean of the middle half; values at its ends count in part."""
    edges = np.clip(np.arange(len(values) + 1), len(values) / 4, 3 * len(values) / 4)
    return float(np.diff(edges) @ np.sort(values) / (len(values) / 2))
