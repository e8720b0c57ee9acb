"""Intervals of scores, ranks and differences hold the truth 95 times in 100; what a design of a match saves."""

import math
from functools import cache

import numpy as np
import pytest

from tests.lab.statistics.made import made, played
from w51_lab.statistics.estimates import (
    RESAMPLES,
    design_effect,
    grouped,
    intervals,
    resamples,
    student_quantile,
    win_rate_interval,
    win_rate_intervals,
)
from w51_lab.statistics.games import Games

REPETITIONS = 1500


@cache
def equals() -> Games:
    """Deals to draw repetitions from."""
    return made([0.0] * 4, 60_000)


@cache
def by_deal(name: str) -> np.ndarray:
    """(60000, 4) means of the seats of each of the equal agents."""
    return equals().by_deal(getattr(equals(), name))


def holds(truth: float, by_deal: np.ndarray, *limits: float) -> float:
    """How often intervals of columns hold the truth."""
    return float(np.mean([found.low <= truth <= found.high for found in intervals(by_deal, *limits)]))


@pytest.mark.parametrize("deals", [3, 8, 40])
@pytest.mark.parametrize(
    ("name", "less", "truth", "limits"),
    [("scores", 0, 20.0, (0, 40)), ("ranks", 0, None, (1, 4)), ("wins", 1, 0.0, (-1, 1))],
)
def test_95_of_100_intervals_of_equals_hold_the_truth(
    name: str, less: int, truth: float | None, limits: tuple, deals: int
):
    values = by_deal(name)[:, 0] - less * by_deal(name)[:, 1]  # of the wins the difference of two agents
    truth = values.mean() if truth is None else truth  # ties have the better rank, so the mean is a little below 2.5
    held = holds(truth, values[: REPETITIONS * deals].reshape(deals, REPETITIONS), *limits)
    assert 0.932 < held < (0.968 if deals >= 40 else 1.0)


def test_of_many_deals_too():
    differences = by_deal("wins")[:, 0] - by_deal("wins")[:, 1]
    drawn = np.random.default_rng(2).integers(0, len(differences), (1000, 400))
    assert 0.93 < holds(float(differences.mean()), differences[drawn], -1, 1) < 0.97


def test_skewed_values_are_held_more_often_than_by_students_interval():
    values = np.random.default_rng(1).exponential(size=(40, 2000))
    reach = student_quantile(39) * values.std(axis=0, ddof=1) / math.sqrt(40)
    held = holds(1.0, values)
    assert held > float((np.abs(values.mean(axis=0) - 1) < reach).mean()) + 0.005
    assert held > 0.935


@pytest.mark.parametrize("deals", [5, 20, 100, 400])
def test_rare_differences_are_not_overlooked(deals: int):
    """Nine of ten deals bring no difference; a bootstrap of the rest would leave out what did not come."""
    generator = np.random.default_rng(3)
    values = np.where(generator.random((deals, 600)) < 0.1, generator.choice([-0.5, -0.25, 0.25], (deals, 600)), 0.0)
    truth = 0.1 * (-0.5) / 3
    assert holds(truth, values, -1, 1) > 0.92


def test_one_deal_says_nothing():
    assert intervals(np.array([[0.5]]), -1, 1) == [(0.5, -1, 1)]
    assert intervals(np.array([[17.0]])) == [(17.0, -math.inf, math.inf)]


def test_deals_that_all_agree_leave_room_for_one_that_does_not():
    found = intervals(np.zeros((100, 1)), -1, 1)[0]
    assert found.mean == 0
    assert -0.02 < found.low < -0.01
    assert found.high == pytest.approx(-found.low)
    assert intervals(np.zeros((100, 1))) == [(0.0, -math.inf, math.inf)]


def test_no_interval_goes_beyond_what_can_be():
    found = intervals(np.array([[1.0], [1.25], [1.75]]), 1, 4)[0]
    assert found.low == 1
    assert found.mean < found.high < 4


def test_intervals_are_the_same_every_time_and_for_each_column_alone():
    scores = by_deal("scores")[:200]
    first = intervals(scores)
    assert first == intervals(scores)
    assert first[2] == pytest.approx(intervals(scores[:, 2:3])[0])


def test_so_many_deals_that_they_are_grouped_have_the_interval_of_their_mean():
    values = np.random.default_rng(4).normal(size=(10_001, 1))
    assert grouped(values).shape == (4096, 1)
    assert grouped(values).sum() == pytest.approx(values.sum())
    found = intervals(values)[0]
    assert (found.high - found.low) / 2 == pytest.approx(1.96 / 100, rel=0.04)


def test_a_resample_has_as_many_deals_as_there_are():
    assert resamples(37).shape == (RESAMPLES, 37)
    np.testing.assert_array_equal(resamples(37).sum(axis=1), 37)


def test_win_rates_keep_wilsons_interval_of_all_that_an_agent_can_win():
    games = made([0, 0], 40, lineup=[0, 1, 1, 1])
    alone, copies = win_rate_intervals(games)
    wins = games.by_deal(games.wins)
    assert alone == (pytest.approx(wins[:, 0].mean()), *win_rate_interval(wins[:, 0]))
    assert [3 * copies.low, 3 * copies.high] == pytest.approx(list(win_rate_interval(3 * wins[:, 1])))


def test_an_agent_that_plays_only_itself_is_at_par_for_certain():
    assert win_rate_intervals(made([0], 40, lineup=[0, 0, 0])) == [pytest.approx((1 / 3, 1 / 3, 1 / 3))]


def test_95_of_100_win_rates_hold_the_equal_share():
    lots = by_deal("wins")[: 400 * 60, 0].reshape(400, 60)
    assert 0.925 < np.mean([low <= 0.25 <= high for low, high in map(win_rate_interval, lots)]) < 0.975


def test_independent_games_have_a_design_effect_of_1():
    """A deal that has no luck of its own: four games of it are four games."""
    games = made([0.0, 1.0, 2.0, 3.0], 4000, luck=0.0)
    assert design_effect(games, games.scores) == pytest.approx(1.0, abs=0.06)


def test_seats_with_luck_have_a_design_effect_below_1():
    """Seats have luck of variance 9 and noise of variance 4; over four seatings only noise is left."""
    games = made([0.0, 0.0, 0.0, 0.0], 4000, luck=3.0)
    scores = games.scores - games.scores.mean(axis=1, keepdims=True)
    assert design_effect(games, scores) == pytest.approx(4 / 13, rel=0.06)


def test_the_design_effect_is_that_of_repeated_matches():
    """Matches of 20 deals beside matches of as many independent games: the spread of their means."""
    generator = np.random.default_rng(5)
    games, clustered = equals(), by_deal("wins")[:40_000, 0].reshape(-1, 20).mean(axis=1).var()
    independent = games.by_game(games.wins)[generator.integers(0, len(games.seats), (4000, 80)), 0].mean(axis=1).var()
    assert design_effect(games, games.wins) == pytest.approx(clustered / independent, rel=0.1)


def test_deals_with_equal_means_have_a_design_effect_of_0():
    games = played(np.array([[0, 1], [1, 0]] * 3), np.array([[2, 1]] * 6, np.int16), np.repeat([0, 1, 2], 2))
    assert design_effect(games, games.wins) == 0
    assert math.isnan(design_effect(played(games.seats[:2], games.scores[:2], games.deals[:2]), games.wins[:2]))


def test_a_game_counts_in_the_design_effect_by_the_seats_of_the_agent():
    """Of an agent with one seat in some games and three in others; computed by hand, for both agents alike."""
    generator = np.random.default_rng(4)
    seats = np.array([[0, 1, 1, 1], [0, 0, 0, 1]] * 300)
    games = played(seats, generator.integers(0, 30, seats.shape).astype(np.int16), np.repeat(np.arange(300), 2))
    independent, clustered = 0.0, 0.0
    for agent in range(2):
        own = np.where(seats == agent, games.scores, np.nan)
        means, deals = np.nanmean(own, axis=1), np.nanmean(own.reshape(300, -1), axis=1)
        weights = np.where((seats == agent).sum(axis=1) == 3, 1.5, 0.5)
        error = deals.var(ddof=1) / 300
        independent += (np.mean((weights * (means - deals.mean())) ** 2) + error) / 600
        clustered += error
    assert design_effect(games, games.scores) == pytest.approx(clustered / independent)
