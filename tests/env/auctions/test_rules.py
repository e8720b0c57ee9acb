"""The rules, worked out by hand: L1 to L6."""

from typing import Any

import numpy as np
import pytest

from w51_env import auctions
from w51_env.auctions.rules import AuctionOptions
from w51_env.engine.batch import Batch
from w51_env.engine.deals import deals
from w51_env.engine.errors import OptionError
from w51_env.engine.registry import check_from_outside


def played(decisions: list[int | None], signals: list[int], **options: Any) -> Batch:
    """One game in which the seats decide in this order: a bid in units, or None for a pass."""
    game = auctions.make(len(signals), **{"max_value": 100, **options})
    batch = Batch(game, 1, seed=1, autoreset="disabled", events=True)
    batch.reset()
    batch.games[0]["signals"][: len(signals)] = signals
    batch.refresh()
    for bid in decisions:
        name = "pass" if bid is None else f"bid_{bid // game.options['bid_step']}"
        batch.step([game.actions.id(name)])
    assert batch.done[0]
    return batch


def payoffs(decisions: list[int | None], signals: list[int], **options: Any) -> list[float]:
    return (played(decisions, signals, **options).final_scores[0, : len(signals)] / 100).tolist()


@pytest.mark.parametrize(
    ("auction", "expected"),
    [
        ("first_price", [0, 20, 0]),
        ("second_price", [0, 40, 0]),
        ("third_price", [0, 60, 0]),
        ("all_pay", [-40, 20, -20]),
    ],
)
def test_the_highest_sealed_bid_wins_and_pays_as_the_format_says(
    auction: str, expected: list[int]
):  # L2, L4, option: auction
    assert payoffs([40, 60, 20], [50, 80, 90], auction=auction) == expected


def test_the_last_one_in_at_a_rising_clock_pays_what_another_one_took_last():  # L3, L4
    batch = played([0, 0, 0, 5, 5, None, 10, None], [50, 80, 90], auction="english", bid_step=5)
    assert (batch.final_scores[0, :3] / 100).tolist() == [45, 0, 0]


def test_the_first_one_to_buy_at_a_falling_clock_pays_its_price():  # L3, L4
    assert payoffs([None, None, None, None, None, 80], [90, 95], auction="dutch", bid_step=10) == [0, 15]


def test_of_equal_bids_each_wins_as_often():  # L4
    game = auctions.make(3)
    batch = Batch(game, 3000, seed=1, autoreset="disabled")
    batch.reset()
    for _ in range(3):
        batch.step(np.full(3000, game.actions.id("bid_50")))
    wins = batch.games["wins"][:, :3].sum(axis=0)
    assert wins.sum() == 3000
    assert abs(wins - 1000).max() < 100


@pytest.mark.parametrize(("values", "count", "mean"), [("private", 50, 2), ("affiliated", 54, 2), ("mineral", 70, 1)])
def test_all_deals_of_a_small_auction_are_listed(values: str, count: int, mean: int):  # L1, L4
    game = auctions.make(preset="mini", values=values)
    states, probabilities = deals(game)  # OptionError unless they sum to 1
    assert len(states) == count
    assert probabilities @ states["signals"][:, 0] == pytest.approx(mean)
    assert probabilities[states["lot"] == 0].sum() == pytest.approx(0.5)


def test_without_a_bid_the_lot_is_not_sold():  # L2, L4, option: reserve
    assert payoffs([None, None], [30, 60], reserve=40) == [0, 0]
    assert payoffs([None, 50], [30, 60], reserve=40, auction="second_price") == [0, 20]


def test_whoever_bids_pays_the_entry_fee():  # L5, option: entry_fee
    assert payoffs([20, 50, None], [30, 60, 90], entry_fee=5) == [-5, 5, 0]


def test_losers_share_a_payment_in_whole_parts():  # L5, option: payee
    assert payoffs([20, 51, 0], [30, 60, 90], payee="losers") == [25, 9, 25]
    assert payoffs([20, 50, 1], [30, 60, 90], payee="losers", auction="all_pay") == [5, 20, 34]


def test_a_bid_is_limited_by_what_is_left_of_the_budget():  # L5, option: budget
    batch = Batch(auctions.make(2, budget=60, num_rounds=2), 1, seed=1, autoreset="disabled")
    batch.reset()
    for bid in (50, 10):
        batch.step([batch.game.actions.id(f"bid_{bid}")])
    assert batch.games[0]["money"][:2].tolist() == [10, 60]
    assert np.flatnonzero(batch.action_mask[0]).tolist() == [batch.game.actions.id(f"bid_{bid}") for bid in range(11)]


def test_a_gain_counts_by_its_utility():  # L6, option: risk_aversion
    assert payoffs([19, 75], [30, 100], risk_aversion=50) == [0, 50]
    assert payoffs([19, 75], [30, 50], risk_aversion=50) == [0, -25]


def test_the_utility_between_two_whole_units_is_a_straight_line():  # L6, option: risk_aversion
    half, whole = (payoffs([19, 30], [29, high], values="average", risk_aversion=90)[1] for high in (32, 33))
    assert whole == 63.1
    assert half == whole / 2  # a gain of half a unit


def test_the_score_is_the_mean_payoff_of_a_round():  # L6, option: num_rounds, option: keep_values
    batch = Batch(auctions.make(2, num_rounds=2, keep_values=True), 1, seed=1, autoreset="disabled")
    batch.reset()
    batch.games[0]["signals"][:2] = [40, 80]
    for bid in (20, 10, 0, 30):
        batch.step([batch.game.actions.id(f"bid_{bid}")])
    assert batch.final_scores[0, :2].tolist() == [1000, 2500]
    assert batch.final_ranks[0, :2].tolist() == [2, 1]
    assert batch.rewards[0, :2].tolist() == pytest.approx([0.1, 0.25])


def test_rounds_draw_their_values_anew_unless_they_are_kept():  # L1, option: keep_values
    for keep in (False, True):
        batch = Batch(auctions.make(4, num_rounds=2, keep_values=keep), 1, seed=1, autoreset="disabled")
        batch.reset()
        before = batch.games[0]["signals"][:4].tolist()
        for _ in range(4):
            batch.step([batch.game.actions.id("bid_0")])
        assert (batch.games[0]["signals"][:4].tolist() == before) == keep


def signals(num_games: int = 20_000, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    """(games, 3) signals, and the (games,) common parts."""
    batch = Batch(auctions.make(3, **options), num_games, seed=1, observe=False)
    batch.reset()
    return batch.games["signals"][:, :3].astype(float), batch.games["common"].astype(float)


def test_private_values_follow_their_distribution():  # L1, option: distribution, option: alpha, option: beta
    uniform, _ = signals()
    assert np.abs(np.bincount(uniform.astype(int).ravel(), minlength=101) / 60_000 - 1 / 101).max() < 0.002
    beta, _ = signals(distribution="beta", alpha=2, beta=6)
    assert beta.mean() == pytest.approx(25, abs=0.4)
    assert np.abs(np.corrcoef(beta.T) - np.eye(3)).max() < 0.03


def test_two_point_values_take_two_values():  # L1, option: low_value, option: high_chance
    drawn, _ = signals(distribution="two_point", low_value=20, high_chance=30)
    assert set(drawn.ravel()) == {20, 100}
    assert (drawn == 100).mean() == pytest.approx(0.3, abs=0.01)


def test_affiliated_signals_share_a_part():  # L1, option: values
    for values in ("affiliated", "average"):
        drawn, common = signals(values=values)
        assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(0.5, abs=0.03)
        np.testing.assert_array_equal(drawn >= common[:, None], True)


def test_a_mineral_signal_is_uniform_up_to_twice_the_worth():  # L1
    drawn, common = signals(values="mineral")
    np.testing.assert_array_equal(drawn <= 2 * common[:, None], True)
    assert drawn[common == 50].mean() == pytest.approx(50, abs=2)


def test_a_common_lot_is_worth_the_same_to_all():  # L1
    batch = played([50, 10], [30, 70], values="average")
    assert (batch.final_scores[0, :2] / 100).tolist() == [0, 0]
    assert payoffs([50, 10], [31, 70], values="average") == [0.5, 0]


def test_the_defaults_are_a_first_price_auction_of_three():  # preset: default, option: max_value, option: max_bid
    # option: bid_step, option: num_players, option: reward, option: ask_forced
    made = auctions.make()
    assert made.options == vars(AuctionOptions())
    assert (made.num_players, made.options["auction"], made.options["max_value"]) == (3, "first_price", 100)


@pytest.mark.parametrize("preset", ["coarse", "clock", "repeated", "mini", "units", "items", "sequence"])
def test_every_preset_ends(preset: str):  # preset: coarse, preset: clock, preset: repeated, preset: mini
    # preset: units, preset: items, preset: sequence
    batch = Batch(auctions.make(preset=preset), 4, seed=1, autoreset="disabled")
    batch.reset()
    for _ in range(400):
        batch.step(batch.sample_actions())
    np.testing.assert_array_less(batch.seat, 0)


def test_options_that_contradict_each_other_are_refused():
    for wrong, names in (
        ({"auction": "third_price", "num_players": 2}, "auction, num_players: 'third_price', 2"),
        ({"auction": "dutch", "entry_fee": 1}, "auction, entry_fee"),
        ({"bid_step": 3}, "max_bid, bid_step: 100, 3"),
        ({"bid_step": 5, "reserve": 3}, "reserve, bid_step"),
        ({"budget": 5, "reserve": 20}, "budget, reserve"),
        ({"items": 2, "auction": "english"}, "items, auction: 2, 'english'"),
        ({"one_each": True, "num_rounds": 2}, "one_each, items, keep_values, num_rounds: True, 1, False, 2"),
        ({"one_each": True, "keep_values": True, "num_rounds": 4}, "at most as many rounds as bidders"),
        ({"bidders": "0 5"}, "bidders: '0 5', but 2 to 5 numbers are needed for each of 3 bidders"),
        ({"bidders": "0 5/0 5/0 5 1 1 1 1"}, "2 to 5 numbers"),
        ({"bidders": "0 5/0 5/0 x"}, "2 to 5 numbers"),
        ({"bidders": [[0, 5]] * 3}, "a text is needed"),
        ({"bidders": "9 5/0 5/0 5"}, "a lowest value of at most the highest"),
        ({"bidders": "0 5/0 5/0 5 1 1 95"}, r"bidders\[2\], risk_aversion: 95"),
        ({"bidders": "0 5/0 5/0 5", "values": "average"}, "bidders with private values"),
        ({"auction": "vickrey", "values": "mineral"}, "for two lots private values"),
        ({"items": 2, "max_bid": 152, "bid_step": 2}, "max_bid: 152, but allowed are for two lots up to 150"),
    ):
        with pytest.raises(OptionError, match=names):
            auctions.make(**wrong)


def test_what_is_shown_of_the_round_before_is_of_that_round_alone():  # L6, option: num_rounds
    game = auctions.make(2, num_rounds=3)
    batch = Batch(game, 1, seed=1, autoreset="disabled")
    batch.reset()
    for first, second in ((20, 10), (3, 30)):
        for bid in (first, second):
            batch.step([game.actions.id(f"bid_{bid}")])
        assert game.layout.read(batch.observe(0), "last")[0, :2].tolist() == [1 + first, 1 + second]


def two_values(decisions: list[int], signals: list[tuple[int, int]], **options: Any) -> list[float]:
    """The payoffs where each seat has two values and makes two bids."""
    batch = Batch(auctions.make(len(signals), **options), 1, seed=1, autoreset="disabled", events=True)
    batch.reset()
    batch.games[0]["signals"][: len(signals)], batch.games[0]["second_signals"][: len(signals)] = zip(
        *signals, strict=True
    )
    batch.refresh()
    for bid in decisions:
        batch.step([batch.game.actions.id(f"bid_{bid}")])
    return (batch.final_scores[0, : len(signals)] / 100).tolist()


@pytest.mark.parametrize(
    ("auction", "expected"),
    [
        ("discriminatory", [30 - 25, 90 - 80, 0]),
        ("uniform_price", [30 - 20, 90 - 20, 0]),
        ("vickrey", [30 - 20, 90 - 20, 0]),
    ],
)
def test_the_two_highest_bids_win_a_unit_each(auction: str, expected: list[int]):  # L8, option: auction
    decisions = [25, 15, 80, 10, 20, 20]
    assert two_values(decisions, [(30, 20), (90, 70), (40, 40)], auction=auction) == expected


def test_a_winner_of_both_units_pays_for_each_what_others_lose():  # L8
    values = [(90, 80), (40, 30)]
    assert two_values([70, 60, 50, 20], values, auction="vickrey") == [170 - 70, 0]
    assert two_values([70, 60, 50, 20], values, auction="uniform_price") == [170 - 100, 0]
    assert two_values([70, 60, 50, 20], values, auction="discriminatory") == [170 - 130, 0]


def test_a_second_unit_is_bid_for_by_at_most_the_first_bid():  # L8
    batch = Batch(auctions.make(2, auction="vickrey"), 1, seed=1, autoreset="disabled")
    batch.reset()
    batch.step([batch.game.actions.id("bid_7")])
    assert int(batch.seat[0]) == 0
    assert np.flatnonzero(batch.action_mask[0]).tolist() == [batch.game.actions.id(f"bid_{bid}") for bid in range(8)]


def test_two_items_are_sold_apart_and_worth_more_together():  # L9, option: items, option: synergy
    values, options = [(60, 20), (30, 40)], {"items": 2, "synergy": 50}
    assert two_values([50, 10, 20, 30], values, **options) == [10, 10]
    assert two_values([50, 31, 20, 30], values, **options) == [120 - 81, 0]
    assert two_values([50, 31, 20, 30], values, auction="second_price", **options) == [120 - 50, 0]
    assert two_values([50, 31, 20, 30], values, auction="all_pay", **options) == [120 - 81, -50]


def test_whoever_has_won_bids_no_more():  # L9, option: one_each
    game = auctions.make(3, num_rounds=2, keep_values=True, one_each=True)
    batch = Batch(game, 1, seed=1, autoreset="disabled", events=True)
    batch.reset()
    batch.games[0]["signals"][:3] = [40, 80, 60]
    batch.refresh()
    for bid in (20, 50, 30):
        batch.step([game.actions.id(f"bid_{bid}")])
    assert game.layout.read(batch.observe(0), "last")[0, :3].tolist() == [0, 51, 0]  # the price alone is told
    for bid in (25, 35):
        batch.step([game.actions.id(f"bid_{bid}")])
    assert batch.final_scores[0, :3].tolist() == [0, 100 * 30 // 2, 100 * 25 // 2]
    assert payoffs([30, 20, 10], [50, 40, 30], auction="discriminatory", one_each=True) == [20, 20, 0]


def test_bidders_that_differ_have_values_and_utilities_of_their_own():  # L7, option: bidders
    game = auctions.make(2, bidders="5 15/20 60 2 6 50")
    batch = Batch(game, 20_000, seed=1, autoreset="disabled")
    batch.reset()
    drawn = batch.games["signals"][:, :2].astype(float)
    assert (drawn.min(axis=0).tolist(), drawn[:, 0].max()) == ([5, 20], 15)
    assert drawn.mean(axis=0) == pytest.approx([10, 30], abs=0.5)
    assert game.layout.read(batch.observe(1), "bidder")[0].tolist() == [0, 1, 0, 0, 0, 0]
    assert payoffs([10, 19], [15, 44], bidders="5 15/20 60 1 1 50") == [0, 50]
    assert payoffs([14, 10], [15, 44], bidders="5 15/20 60 1 1 50") == [1, 0]


@pytest.mark.parametrize("text", ["/etc/passwd", "0 60", "../0 1", "/0 1", "0 60/0 100 ", "٣ 60/0 100"])
def test_bidders_from_outside_have_the_form_that_the_game_says(text):
    check_from_outside("auctions_v0", {"bidders": "0 60/0 100 2 2 50"})
    with pytest.raises(OptionError, match=r"bidders: .*, but allowed here are \[0-9\]"):
        check_from_outside("auctions_v0", {"bidders": text})
