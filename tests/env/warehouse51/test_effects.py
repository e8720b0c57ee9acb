"""The order of effects after an auction is won."""

import pytest

from tests.env.warehouse51.table import Table


@pytest.mark.parametrize(
    ("ingots", "bids", "events", "purses", "reserve"),
    [
        # 3 in the reserve: the lamp takes what the surcharge brought, and nothing is left for the income.
        ((10, 10, 10, 27), ("bid_4", "pass", "bid_5", "pass", "bid_6", "pass"), [], [10, 10 - 6 - 1 + 4, 16, 27], 0),
        ((10, 10, 10, 10), ("bid_4", "pass", "pass", "pass"), ["income"], [10, 10 - 4 - 1 + 5 + 1, 14, 10], 15),
    ],
)
def test_payment_surcharge_effect_income_and_then_the_next_reveal(ingots, bids, events, purses, reserve):
    # T4, T8, effect: surcharge, effect: gain_ingots, effect: income
    table = Table(4).give(1, "malleus_maleficarum", "cornucopia").decks("aladdins_lamp", "holy_grail", "golden_fleece")
    table.ingots(*ingots).play("choose_deck_golden", *bids)
    assert table.event_names() == ["passed", "sold", "surcharged", "gained", *events]
    assert (table.purses, table.reserve, table.seat, table.phase) == (purses, reserve, 1, "reveal")


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
