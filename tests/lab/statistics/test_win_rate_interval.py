"""Intervals of win rates: honest for few deals and at the ends, and right 95 times in 100."""

import math

import numpy as np
import pytest

from w51_lab.statistics.estimates import CONFIDENCE, effective_sample_size, student_quantile, win_rate_interval


def test_quantiles_are_those_of_students_distribution():
    from scipy import special

    for freedom in (*range(1, 60), 1000, 100_000):
        assert student_quantile(freedom) == pytest.approx(special.stdtrit(freedom, (1 + CONFIDENCE) / 2), abs=0.002)


def test_it_is_wilsons_interval_of_the_effective_games():
    by_deal = np.array([0.5, 0.75, 1.0, 0.25])
    mean = 2.75 / 4.5  # with a quarter of a deal of 0 and a quarter of 1
    squares = ((by_deal - mean) ** 2).sum() + 0.25 * (mean**2 + (1 - mean) ** 2)
    assert effective_sample_size(by_deal) == pytest.approx(mean * (1 - mean) * 4 / (squares / 3.5))
    for end in win_rate_interval(by_deal):
        error = student_quantile(3) * math.sqrt(end * (1 - end) / effective_sample_size(by_deal))
        assert abs(end - 0.625) == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize("deals", [2, 3, 5, 40, 1000, 100_000])
@pytest.mark.parametrize("share", [0.0, 0.25, 1 / 3, 1.0])
def test_it_has_a_width_even_where_all_deals_are_alike(share: float, deals: int):
    low, high = win_rate_interval(np.full(deals, share))
    assert 0 <= low <= share <= high <= 1
    assert low < high


def test_one_deal_says_nothing():
    assert win_rate_interval(np.ones(1)) == win_rate_interval(np.zeros(1)) == (0, 1)


def test_lost_is_the_mirror_of_won():
    by_deal = np.random.default_rng(1).choice([0, 0.25, 1], 30)
    low, high = win_rate_interval(by_deal)
    assert win_rate_interval(1 - by_deal) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize("alike", [0.0, 0.2, 0.7], ids="correlation {}".format)
@pytest.mark.parametrize(("share", "deals"), [(0.25, 40), (0.25, 1000), (0.5, 40), (0.97, 1000), (0.03, 1000)])
def test_it_holds_the_true_share_95_times_in_100(share: float, deals: int, alike: float):
    """Four seatings of a deal that are alike to some degree: shares of each deal from a beta distribution."""
    assert 0.92 < coverage(share, deals, alike, repetitions=1000) < 0.98


@pytest.mark.parametrize("alike", [0.0, 0.2, 0.7], ids="correlation {}".format)
@pytest.mark.parametrize(("share", "deals"), [(0.25, 3), (0.5, 5), (0.97, 5), (0.97, 30), (0.97, 100)])
def test_with_few_deals_or_few_losses_it_is_rather_too_wide(share: float, deals: int, alike: float):
    assert coverage(share, deals, alike, repetitions=1000) > 0.93


def coverage(share: float, deals: int, alike: float, repetitions: int) -> float:
    """How often the interval holds the share that the deals were drawn with."""
    generator = np.random.default_rng(7)
    weight = 1 / alike - 1 if alike else 0
    by_deal = (
        generator.beta(share * weight, (1 - share) * weight, (repetitions, deals))
        if alike
        else np.full((repetitions, deals), share)
    )
    drawn = generator.binomial(4, by_deal) / 4
    intervals = np.array([win_rate_interval(row) for row in drawn])
    return float(((intervals[:, 0] <= share) & (share <= intervals[:, 1])).mean())
