"""Permanent blessings (section 6): they work when they matter, and not while pawned (P4)."""

import pytest

from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import bids, owning

# ---- may_match_bid


def test_mjollnir_takes_the_lead_with_an_equal_bid():  # T2, effect: may_match_bid
    table = owning(3, "mjollnir").play("choose_deck_blue", "bid_5")
    assert table.legal() == {"pass", *bids(6, 10)}  # seat 2 has no Mjöllnir
    table.play("pass")
    assert table.legal() == {"pass", *bids(5, 10)}
    table.play("bid_5", "pass")
    assert (table.seat, table["leader"], table["standing_bid"]) == (1, 3, 5)
    assert table.legal() == {"pass", *bids(6, 10)}
    table.play("pass")
    assert table.owner("holy_grail") == 3
    assert table.purses == [15, 10, 10, 5]


def test_without_a_standing_bid_there_is_nothing_to_match():  # T2, effect: may_match_bid
    assert owning(1, "mjollnir").play("choose_deck_blue").legal() == {"pass", *bids(1, 10)}
    assert owning(0, "mjollnir").play("choose_deck_blue", "pass", "pass", "pass").legal() == {"pass", *bids(1, 10)}


def test_a_match_is_a_bid_within_the_cap():  # effect: may_match_bid, effect: bid_cap
    table = owning(2, "mjollnir", "ring_of_the_nibelung").ingots(10, 10, 20, 10)
    table.play("choose_deck_blue", "bid_8")
    assert (table.seat, table.legal()) == (2, {"pass", "bid_8"})
    table.play("bid_8", "pass", "pass", "bid_9")
    assert table.owner("holy_grail") == 1  # 9 can't be matched: 2 is out unasked
    assert [(event["seat"], event["forced"]) for event in table.events("passed")] == [(2, True)]


def test_pawning_mjollnir_while_bidding_takes_the_match_away():  # P3, P4, effect: may_match_bid
    table = owning(2, "mjollnir").ingots(10, 10, 5, 10).play("choose_deck_blue", "bid_5")
    assert table.legal() == {"pass", "bid_5", "pawn_mjollnir"}
    table.play("pawn_mjollnir")
    assert table.legal() == {"pass", *bids(6, 10)}


# ---- wins_blind_ties


def test_a_pawned_excalibur_wins_no_tie():  # T5, P4, effect: wins_blind_ties
    table = owning(3, "excalibur", pawned=True).play("choose_deck_golden", "bid_4", "bid_4", "bid_4", "bid_4")
    assert table.owner("sharur") == 0


@pytest.mark.parametrize(("revealer", "winner"), [(0, 1), (1, 1), (2, 3), (3, 3)])
def test_two_who_win_blind_ties_tie_clockwise_from_the_revealer(revealer, winner, tmp_path):
    # R2, T5, effect: wins_blind_ties
    blades = [relic(name, "green", effect="wins_blind_ties") for name in ("foil", "sabre")]
    lots = [relic("spear", "blue", weapon=True), relic("bow", "golden"), relic("bell", "red")]
    table = table_with(tmp_path, *blades, *lots, first_player=revealer).give(1, "foil").give(3, "sabre")
    table.decks("spear", "bow", "bell").play("choose_deck_blue", "bid_2", "bid_2", "bid_2", "bid_2")
    assert table.owner("spear") == winner


# ---- always_reveals


@pytest.mark.parametrize(("pawned", "revealer"), [(False, 2), (True, 1)])
def test_the_owner_of_the_boots_reveals_whoever_won_unless_they_are_pawned(pawned, revealer):
    # T1, P4, effect: always_reveals
    table = owning(2, "seven_league_boots", pawned=pawned).play("choose_deck_blue", "bid_1", "pass", "pass", "pass")
    assert (table["last_winner"], table.seat, table.phase) == (1, revealer, "reveal")
    assert table.play("choose_deck_green").seat == revealer + 1  # bidding begins on the revealer's left


def test_blind_ties_go_from_the_owner_of_the_boots():  # T5, effect: always_reveals
    table = owning(2, "seven_league_boots").play("choose_deck_blue", "bid_1", "pass", "pass", "pass")
    table.play("choose_deck_golden")
    assert table.seat == 3
    table.play("bid_6", "bid_6", "bid_6", "bid_6")
    assert table.owner("sharur") == 2


def test_boots_pawned_while_choosing_a_deck_still_reveal_this_time():  # R3, P3, P4, effect: always_reveals
    lots = ("holy_grail", "golden_fleece", "gleipnir", "ark_of_the_covenant")
    table = owning(2, "seven_league_boots", lots=lots).ingots(10, 10, 5, 10)
    table.play("choose_deck_blue", "pass", "pass", "bid_1", "pass", "pawn_seven_league_boots")
    assert (table.seat, table.phase) == (2, "reveal")
    table.play("choose_deck_green", "bid_1", "pass", "pass", "pass")  # seat 3 wins
    assert (table.seat, table.phase) == (3, "reveal")


def test_boots_that_are_bought_or_taken_reveal_at_once():  # T1, effect: always_reveals, effect: take_relic
    table = owning(2, "seven_league_boots", lots=("flying_carpet", "golden_fleece", "holy_grail"))
    table.play("choose_deck_golden", "pass", "pass", "bid_1", "pass")  # forced: the boots are all there is to take
    assert table.owner("seven_league_boots") == 3
    assert (table.seat, table.phase) == (3, "reveal")


# ---- income


@pytest.mark.parametrize("deck", ["choose_deck_blue", "choose_deck_golden"])
def test_income_after_a_sale(deck):  # effect: income
    table = owning(1, "cornucopia").play(deck, "pass", "bid_2", "pass", "pass")
    assert (table.purses, table.reserve) == ([10, 11, 8, 12], 19)
    assert table.events("income") == [{"event": "income", "seat": 1, "ingots": 1, "forced": False}]


def test_a_pawned_relic_brings_no_income():  # P4, effect: income
    table = owning(1, "cornucopia", pawned=True).play("choose_deck_blue", "pass", "pass", "pass", "pass")
    assert table.events("income") == []


def test_no_income_from_an_empty_reserve():  # effect: income
    table = owning(1, "cornucopia").ingots(20, 20, 10, 10).play("choose_deck_blue", "pass", "pass", "pass", "pass")
    assert (table.purses, table.reserve) == ([20, 20, 10, 10], 0)
    assert table.events("income") == []


@pytest.mark.parametrize(("amounts", "purse", "reserve"), [((2, 3), 15, 15), ((70, 70), 30, 0)])  # beyond a byte
def test_two_incomes_of_one_owner_add_up_and_stop_at_the_reserve(tmp_path, amounts, purse, reserve):
    # R2, effect: income
    horns = [relic(name, "green", effect="income", amount=amount) for name, amount in zip("hp", amounts, strict=True)]
    table = table_with(tmp_path, *horns, relic("cup", "blue"), relic("bow", "golden"))
    table.give(1, "h", "p").decks("cup", "bow").play("choose_deck_blue", "pass", "pass", "pass", "pass")
    assert (table.purses[1], table.reserve) == (purse, reserve)
