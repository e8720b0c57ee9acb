"""Rewards of a finished game: win, rank and margin, from totals and ranks (G5); hand-computed."""

import numpy as np
import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.table import Table
from w51_env import warehouse51
from w51_env.engine.batch import Batch

# With nothing but ingots a seat's total is a fifth of them: (25, 15, 15, 5) are totals of 5, 3, 3, 1.


def rewards(reward: str, *ingots: int) -> list[float]:
    table = table_without_counterfeits(len(ingots), reward=reward, reserve=20 if len(ingots) > 3 else 40)
    return finish(table.ingots(*ingots)).batch.rewards[0].tolist()


@pytest.mark.parametrize(
    ("ingots", "expected"),
    [
        ((25, 15, 15, 5), [3 / 4, -1 / 4, -1 / 4, -1 / 4]),
        ((10, 20, 20, 5), [-1 / 4, 1 / 4, 1 / 4, -1 / 4]),  # the victory is shared
        ((20, 20, 0, 20), [1 / 12, 1 / 12, -1 / 4, 1 / 12]),
        ((10, 10, 10, 10), [0, 0, 0, 0]),
        ((5, 10, 20), [-1 / 3, -1 / 3, 2 / 3]),
        ((5, 10, 20, 15, 0), [-1 / 5, -1 / 5, 4 / 5, -1 / 5, -1 / 5]),
    ],
)
def test_win_is_wins_less_the_equal_share(ingots, expected):  # G5, option: reward
    assert rewards("win", *ingots) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ingots", "expected"),
    [
        ((25, 20, 10, 5), [1, 1 / 3, -1 / 3, -1]),
        ((25, 15, 15, 5), [1, 0, 0, -1]),  # ranks 1, 2, 2, 4: the tied share the second and third place
        ((20, 20, 10, 10), [2 / 3, 2 / 3, -2 / 3, -2 / 3]),  # ranks 1, 1, 3, 3
        ((5, 20, 20, 5), [-2 / 3, 2 / 3, 2 / 3, -2 / 3]),
        ((20, 20, 20, 0), [1 / 3, 1 / 3, 1 / 3, -1]),
        ((10, 10, 10, 10), [0, 0, 0, 0]),
        ((5, 10, 20), [-1, 0, 1]),
        ((5, 5, 20), [-1 / 2, -1 / 2, 1]),
        ((20, 15, 10, 5, 0), [1, 1 / 2, 0, -1 / 2, -1]),
        ((20, 15, 15, 15, 0), [1, 0, 0, 0, -1]),
    ],
)
def test_rank_goes_from_one_for_the_first_to_minus_one_for_the_last(ingots, expected):  # G5, option: reward
    assert rewards("rank", *ingots) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ingots", "expected"),
    [
        ((25, 15, 15, 5), [5 - 7 / 3, 3 - 9 / 3, 3 - 9 / 3, 1 - 11 / 3]),
        ((10, 10, 10, 10), [0, 0, 0, 0]),
        ((5, 10, 20), [1 - 6 / 2, 2 - 5 / 2, 4 - 3 / 2]),
        ((20, 15, 10, 5, 0), [4 - 6 / 4, 3 - 7 / 4, 2 - 8 / 4, 1 - 9 / 4, 0 - 10 / 4]),
    ],
)
def test_margin_is_ones_total_less_the_mean_of_the_others(ingots, expected):  # G5, option: reward
    assert rewards("margin", *ingots) == pytest.approx(expected)


def tie_broken_by_yata(reward: str) -> Table:
    """Seats 0, 1, 2 have 6 points each, seat 3 none; seat 0 has Yata: ranks 1, 2, 2, 4."""
    table = table_without_counterfeits(4, reward=reward).give(0, "yata_no_kagami").give(1, "ark_of_the_covenant")
    return finish(table.ingots(5, 0, 30, 4))


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        ("win", [3 / 4, -1 / 4, -1 / 4, -1 / 4]),
        ("rank", [1, 0, 0, -1]),
        ("margin", [6 - 12 / 3, 6 - 12 / 3, 6 - 12 / 3, 0 - 18 / 3]),  # points, whoever wins the tie
    ],
)
def test_a_broken_tie_shows_in_win_and_rank(reward, expected):  # G5, G4, effect: wins_ties, option: reward
    assert tie_broken_by_yata(reward).batch.rewards[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
def test_there_is_no_reward_before_the_end(reward):  # option: reward
    table = table_without_counterfeits(4, reward=reward).give(0, "holy_grail").give(1, "sharur", pawned=True)
    assert table.batch.rewards[0].tolist() == [0, 0, 0, 0]
    finish(table)
    assert table.phase == "redeem"
    assert table.batch.rewards[0].tolist() == [0, 0, 0, 0]
    table.play("decline")
    assert table.batch.rewards[0, 0] > 0


@pytest.mark.parametrize("num_players", [3, 4, 5])
@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
def test_rewards_are_zero_sum_and_in_their_range(reward, num_players):  # G5, option: reward
    game = warehouse51.make(num_players, reward=reward)
    batch = Batch(game, 8, seed=51, autoreset="disabled", observe=False)
    batch.reset()
    low, high = game.reward_range
    while (batch.seat >= 0).any():
        batch.step(batch.sample_actions())
        assert batch.rewards.sum(axis=1) == pytest.approx(np.zeros(8), abs=1e-4)
        assert (batch.rewards >= low).all()
        assert (batch.rewards <= high).all()
    totals = batch.games["scores"][:, :num_players].astype(float)
    if reward == "margin":  # own total less the mean of the others', of the game that ended last
        others = (totals.sum(axis=1, keepdims=True) - totals) / (num_players - 1)
        last = batch.done
        np.testing.assert_allclose(batch.rewards[last], (totals - others)[last], atol=1e-4)


@pytest.mark.parametrize(("num_players", "others"), [(3, 1 / 2), (4, 1 / 3), (5, 1 / 4)])
@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
def test_an_illegal_action_that_loses_costs_the_least_reward_shared_out_among_the_others(
    reward, num_players, others
):  # option: reward
    game = warehouse51.make(num_players, first_player=0, reward=reward)
    batch = Batch(game, 1, seed=0, autoreset="disabled", illegal_action="lose")
    batch.reset()
    batch.step(np.array([game.actions.id("decline")]))
    assert batch.done[0]
    assert batch.illegal[0]
    least = game.reward_range[0]
    assert batch.rewards[0].tolist() == pytest.approx([least, *[-least * others] * (num_players - 1)])
    assert batch.final_ranks[0].tolist() == [num_players, *[1] * (num_players - 1)]
