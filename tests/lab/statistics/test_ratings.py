"""Ratings: Elo as the most likely strengths, its intervals, and openskill's Plackett-Luce."""

import math
import sys
from dataclasses import replace

import numpy as np
import pytest
from openskill import models

from tests.lab.statistics.made import made, played, rows_of
from w51_env.engine.errors import MissingPackageError
from w51_lab.statistics.games import Games
from w51_lab.statistics.ratings import elo, plackett_luce


def shuffled(games: Games, seed: int) -> Games:
    """The same games in another order, with seats in another order, too."""
    generator = np.random.default_rng(seed)
    games = rows_of(games, generator.permutation(len(games.seats)))
    seats = generator.permutation(games.num_players)
    return replace(games, **{name: getattr(games, name)[:, seats] for name in ("seats", "scores", "ranks")})


def test_elo_of_two_is_the_logarithm_of_their_odds():
    """90 games won and 30 lost, and half a win each for the game that counts as drawn."""
    scores = np.where(np.arange(120)[:, None] < 90, [2, 1], [1, 2]).astype(np.int16)
    first, second = elo(played(np.tile([0, 1], (120, 1)), scores, np.arange(120)))
    assert first.mean - second.mean == pytest.approx(400 * math.log10(90.5 / 30.5))
    assert first.mean + second.mean == pytest.approx(3000)
    error = 400 / math.log(10) / 2 * math.sqrt(1 / 90 + 1 / 30)
    assert (first.high - first.low) / 2 == pytest.approx(1.98 * error, rel=0.1)


def test_a_tie_is_half_a_win():
    scores = np.where(np.arange(120)[:, None] < 60, [2, 1], [1, 1]).astype(np.int16)
    first, second = elo(played(np.tile([0, 1], (120, 1)), scores, np.arange(120)))
    assert first.mean - second.mean == pytest.approx(400 * math.log10(90.5 / 30.5))


def test_elo_does_not_depend_on_the_order_of_games_or_seats():
    games = made([0, 1, 2, 3], 60)
    for one, other in zip(elo(games), elo(shuffled(games, 1)), strict=True):
        assert one == pytest.approx(other)


def test_elo_knows_the_strengths_of_agents_who_met_only_by_way_of_another():
    """Odds of 3 to 1, and again of 3 to 1: of 9 to 1 together."""
    seats = np.array([[0, 1]] * 400 + [[1, 2]] * 400)
    scores = np.where(np.arange(800)[:, None] % 4 < 3, [2, 1], [1, 2]).astype(np.int16)
    lineups = np.repeat([0, 1], 400)
    order = np.argsort(np.tile(np.arange(400), 2), kind="stable")
    found = elo(played(seats[order], scores[order], np.repeat(np.arange(400), 2), lineups[order]))
    assert found[0].mean - found[2].mean == pytest.approx(400 * math.log10(9), abs=3)


def test_there_is_no_elo_of_agents_who_never_met():
    games = played(np.array([[0, 1], [2, 3]]), np.array([[2, 1], [1, 2]], np.int16), np.array([0, 0]), np.array([0, 1]))
    assert elo(games) is None


def test_who_wins_all_has_an_elo_all_the_same():
    first, second = elo(made([100, 0], 50))
    assert 1800 < first.mean < 2200
    assert second.low <= second.mean <= second.high


def test_one_deal_says_nothing_of_elo():
    for interval in elo(made([0, 1], 1)):
        assert (interval.low, interval.high) == (-math.inf, math.inf)


@pytest.mark.parametrize("lineup", [[0, 1, 2, 3], [0, 1, 1, 1]])
def test_95_of_100_intervals_of_equals_hold_1500(lineup: list[int]):
    agents = max(lineup) + 1
    held = [
        interval.low <= 1500 <= interval.high
        for seed in range(200)
        for interval in elo(made([0.0] * agents, 40, lineup, seed=seed))[:1]
    ]
    assert 0.92 < np.mean(held) < 0.98


def test_plackett_luce_puts_the_stronger_first_and_copies_do_no_harm():
    ratings = plackett_luce(made([0, 1, 2, 3], 100))
    assert np.argsort([rating.mu for rating in ratings]).tolist() == [0, 1, 2, 3]
    assert all(rating.sigma < 2 for rating in ratings)
    weak, strong = plackett_luce(made([0, 2], 100, lineup=[0, 1, 1, 1]))
    assert weak.mu + weak.sigma < strong.mu - strong.sigma


def test_a_game_against_oneself_is_no_news():
    assert plackett_luce(made([0], 10, lineup=[0, 0, 0])) == [(25.0, pytest.approx(25 / 3))]


def test_plackett_luce_of_one_game_is_that_of_openskill():
    games = played(np.array([[0, 1, 2]]), np.array([[5, 9, 5]], np.int16), np.array([0]))
    model = models.PlackettLuce(tau=0.0)
    expected = [team[0] for team in model.rate([[model.rating()] for _ in range(3)], ranks=[2, 1, 2])]
    assert plackett_luce(games) == [pytest.approx((rating.mu, rating.sigma), rel=1e-6) for rating in expected]


def test_without_openskill_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(MissingPackageError, match=r"needs openskill: pip install 'w51_env\[arena\]'"):
        plackett_luce(made([0, 1], 2))


def test_only_pairs_that_met_are_given_a_drawn_game():
    """Four wins of four, and a drawn game: odds of 4.5 to 0.5, twice. A drawn game of the others would lessen them."""
    seats = np.array([[0, 1], [1, 2]] * 4)
    games = played(seats, np.array([[2, 1]] * 8, np.int16), np.repeat(np.arange(4), 2), np.tile([0, 1], 4))
    assert elo(games)[0].mean - elo(games)[2].mean == pytest.approx(2 * 400 * math.log10(9))
