"""Confidence intervals of a share from deals, each of which was played several times and so counts as one draw."""

import math

import numpy as np

CONFIDENCE = 0.95
_NORMAL = 1.959964  #  quantile of a two-sided 95 % interval
_STUDENT = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)  #  the same of Student's distribution, 1 to 5 degrees of freedom
_PSEUDO = 0.25  # of a deal won throughout and of a deal lost throughout, for the spread between deals


def win_rate_interval(by_deal: np.ndarray) -> tuple[float, float]:
    """Low and high end of a 95 % interval for the mean of shares from 0 to 1, one for each independent deal.

    It is Wilson's interval, which stays within 0 and 1 and has a width even where every deal was won, with two changes for deals
    that hold several games (as in Korn and Graubard, Survey Methodology 24, 1998): not games are counted but `effective_games`,
    and the quantile is Student's, for the spread is only known from the deals. One deal says nothing: 0 to 1.
    """
    deals = len(by_deal)
    if deals < 2:
        return 0.0, 1.0
    share = float(by_deal.mean())
    lost = student_quantile(deals - 1) ** 2 / effective_games(by_deal)
    centre = share + lost / 2
    reach = math.sqrt(lost * (share * (1 - share) + lost / 4))
    low, high = (centre - reach) / (1 + lost), (centre + reach) / (1 + lost)
    return max(0.0, min(low, share)), min(1.0, max(high, share))  # rounding must not leave out a share of 0 or 1


def effective_games(by_deal: np.ndarray) -> float:
    """How many independent games tell as much as these deals.

    It is the variance of a single game over that of the mean of deals. Both are taken as if a quarter of a deal more had been won,
    and a quarter lost, throughout: so where all deals are won or all lost, and their spread tells nothing, each counts as one game.
    """
    deals = len(by_deal)
    mean = (float(by_deal.sum()) + _PSEUDO) / (deals + 2 * _PSEUDO)
    squares = float(((by_deal - mean) ** 2).sum()) + _PSEUDO * (mean**2 + (1 - mean) ** 2)
    return mean * (1 - mean) * deals * (deals - 1 + 2 * _PSEUDO) / squares


def student_quantile(freedom: int) -> float:
    """Of a two-sided 95 % interval, to 0.002; beyond the table by Fisher and Cornish's series."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    z = _NORMAL
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))
