"""Effects: their order after a sale, and the kinds that work at the end of the game and in scoring."""

import pytest

from tests.warehouse51.table import Table
from w51_env.warehouse51.state import EXPOSED

# ---- order after an auction is won


def test_payment_surcharge_effect_income_and_then_the_next_reveal():
    # T4, T8, effect: surcharge, effect: gain_ingots, effect: income
    table = Table(4).give(1, "malleus_maleficarum", "cornucopia").decks("aladdins_lamp", "holy_grail", "golden_fleece")
    table.ingots(10, 10, 10, 27)  # 3 in the reserve
    table.play("choose_deck_golden", "bid_4", "pass", "bid_5", "pass", "bid_6", "pass")
    assert table.event_names() == ["passed", "sold", "surcharged", "gained"]
    assert table.purses == [10, 7, 16, 27]  # 10 - 6 - 1 + 4: the lamp takes what the surcharge brought,
    assert table.reserve == 0  #              and nothing is left for the income
    assert (table.seat, table.phase) == (1, "reveal")


def test_the_same_order_with_a_full_reserve():  # T4, T8, effect: surcharge, effect: gain_ingots, effect: income
    table = Table(4).give(1, "malleus_maleficarum", "cornucopia").decks("aladdins_lamp", "holy_grail", "golden_fleece")
    table.play("choose_deck_golden", "bid_4", "pass", "pass", "pass")
    assert table.event_names() == ["passed", "sold", "surcharged", "gained", "income"]
    assert (table.purses, table.reserve) == ([10, 11, 14, 10], 15)  # 10 - 4 - 1 + 5 + 1; 20 + 1 - 5 - 1


def test_income_waits_for_the_choice_of_an_effect():  # T8, effect: surcharge, effect: take_relic, effect: income
    table = Table(4).give(1, "malleus_maleficarum", "cornucopia").give(2, "gleipnir").give(3, "seven_league_boots")
    table.decks("flying_carpet", "holy_grail", "golden_fleece").play(
        "choose_deck_golden", "bid_3", "pass", "pass", "pass"
    )
    assert table.event_names() == ["passed", "sold", "surcharged"]
    assert table.purses == [10, 6, 13, 10]
    table.play("choose_seven_league_boots")
    assert table.event_names() == ["took", "income"]
    assert table.purses == [10, 7, 13, 10]


def test_the_relic_lies_before_its_buyer_while_the_effect_is_chosen():  # T4, effect: give_relic
    table = Table(4).give(2, "gleipnir", "excalibur").decks("muramasa", "holy_grail", "golden_fleece")
    table.play("choose_deck_red", "pass", "bid_6", "pass", "pass")
    assert (table.seat, table.phase, table.owner("muramasa"), table.lot) == (2, "give", 2, "muramasa")
    assert table.purses == [10, 10, 4, 16]


# ---- end of the game


def ended(table: Table) -> Table:
    """One last lot that nobody wants, and so the end of the game. Counterfeits are those already on the table."""
    gaps = table["counterfeit_gap"].copy()
    return (
        table.decks("ark_of_the_covenant")
        .change(counterfeit_gap=gaps)
        .play("choose_deck_golden", "pass", "pass", "pass", "pass")
    )


def test_the_unicorns_horn_cancels_one_counterfeit():  # E3, effect: cancels_counterfeit
    table = Table(4).counterfeits(holy_grail=0, mjollnir=2, sharur=3).give(2, "mjollnir")
    ended(table.give(1, "unicorns_horn", "holy_grail", "excalibur"))
    assert (table.seat, table.phase) == (1, "cancel")
    assert table.legal() == {"decline", "choose_holy_grail", "choose_mjollnir"}  # Sharur is in no collection
    table.play("choose_holy_grail")
    assert (table.owner("holy_grail"), table.owner("mjollnir")) == (1, EXPOSED)
    assert table.points(1)["blue"] == 8
    assert table.points(2)["green"] == 0


def test_the_unicorns_horn_may_be_left_unused():  # E3, effect: cancels_counterfeit
    table = ended(Table(4).counterfeits(holy_grail=0).give(1, "unicorns_horn", "holy_grail")).play("decline")
    assert table.owner("holy_grail") == EXPOSED
    assert table.over


def test_a_pawned_horn_cancels_nothing():  # E3, P4, effect: cancels_counterfeit
    table = ended(
        Table(4)
        .counterfeits(holy_grail=0)
        .give(1, "holy_grail")
        .give(1, "unicorns_horn", pawned=True)
        .ingots(10, 5, 10, 10)
    )
    assert table.over
    assert table.owner("holy_grail") == EXPOSED


@pytest.mark.parametrize(("pawned", "ingots", "points"), [(False, 12, 3), (False, 9, 2), (False, 11, 2), (True, 9, 1)])
def test_the_philosophers_stone_makes_a_point_of_four_ingots(
    pawned, ingots, points
):  # G1, P4, effect: ingots_per_point
    table = ended(Table(4).counterfeits().give(1, "philosophers_stone", pawned=pawned).ingots(10, ingots, 10, 10))
    assert [table.points(seat)["ingots"] for seat in range(4)] == [2, points, 2, 2]


def test_the_peaches_make_redeeming_cost_five():  # E1, effect: redeem_price
    table = ended(
        Table(4)
        .counterfeits()
        .give(1, "peaches_of_immortality")
        .give(1, "holy_grail", pawned=True)
        .ingots(10, 7, 10, 10)
    )
    assert table.legal() == {"decline", "redeem_holy_grail"}
    table.play("redeem_holy_grail")
    assert (table.purses, table.reserve) == ([10, 2, 10, 10], 28)
    assert table.points(1)["blue"] == 8


def test_pawned_peaches_must_be_redeemed_at_the_full_price_first():  # E1, P4, effect: redeem_price
    table = Table(4).counterfeits().give(1, "peaches_of_immortality", "holy_grail", pawned=True).ingots(10, 15, 10, 10)
    ended(table).play("redeem_peaches_of_immortality")
    assert table.purses[1] == 5
    assert table.legal() == {"decline", "redeem_holy_grail"}
    table.play("redeem_holy_grail")
    assert (table.purses, table.reserve) == ([10, 0, 10, 10], 30)


# ---- scoring: seats 0 and 1 have blue relics of value 3 each; the first place brings 8 points, the second 6


def tied_in_blue() -> Table:
    return Table(4).counterfeits().give(0, "holy_grail").give(1, "malleus_maleficarum")


def blue_points(table: Table) -> tuple[int, int]:
    return table.points(0)["blue"], table.points(1)["blue"]


def test_the_yata_no_kagami_wins_ties():  # G4, P4, effect: wins_ties
    assert blue_points(ended(tied_in_blue())) == (6, 6)
    assert blue_points(ended(tied_in_blue().give(1, "yata_no_kagami"))) == (6, 8)
    assert blue_points(ended(tied_in_blue().ingots(10, 5, 10, 10).give(1, "yata_no_kagami", pawned=True))) == (6, 6)


def test_the_shirt_of_nessus_loses_ties_pawned_or_not():  # G4, P4, effect: loses_ties
    assert blue_points(ended(tied_in_blue().give(1, "shirt_of_nessus"))) == (8, 6)
    assert blue_points(ended(tied_in_blue().ingots(10, 5, 10, 10).give(1, "shirt_of_nessus", pawned=True))) == (8, 6)


def test_the_harp_lifts_the_shirt():  # G4, P4, effect: lifts_curses, effect: loses_ties
    assert blue_points(ended(tied_in_blue().give(1, "shirt_of_nessus", "davids_harp"))) == (6, 6)
    pawned_harp = tied_in_blue().ingots(10, 5, 10, 10).give(1, "shirt_of_nessus").give(1, "davids_harp", pawned=True)
    assert blue_points(ended(pawned_harp)) == (8, 6)
