"""E1, and the order of the end: what happens after the last auction and before scoring."""

import pytest

from tests.env.warehouse51.endings import asked_in_turn, finish, table_without_counterfeits, take_certificate
from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import PHASES

REDEEM = PHASES.index("redeem")


# ---- the order of the end


def test_the_end_goes_in_its_order():  # E1, E2, E3, E4
    table = table_without_counterfeits(4, last_winner=3).give(3, "muramasa", pawned=True)
    table.give(0, "excalibur", pawned=True).give(0, "holy_grail").give(2, "unicorns_horn", "sharur")
    finish(take_certificate(table.counterfeits(sharur=0, holy_grail=1), "gleipnir", buyer=0))
    steps = []
    for choice in ("redeem_muramasa", "decline", "certify_holy_grail", "choose_sharur"):
        steps.append((table.phase, table.seat))
        table.play(choice)
    assert steps == [("redeem", 3), ("redeem", 0), ("certify", 0), ("cancel", 2)]
    assert (table.over, table.legal()) == (True, set())
    assert table.event_names()[:1] == ["cancelled"]
    assert table.event_names()[-4:] == ["finished"] * 4


# ---- E1: redeeming


def each_with_a_pawned_relic(**options) -> Table:
    table = table_without_counterfeits(4, **options)
    for seat, pawned in enumerate(("excalibur", "golden_fleece", "sharur", "oracle_bones")):
        table.give(seat, pawned, pawned=True)
    return table.ingots(10, 10, 10, 10)


@pytest.mark.parametrize(("winner", "order"), [(0, [0, 1, 2, 3]), (2, [2, 3, 0, 1]), (3, [3, 0, 1, 2])])
def test_redeeming_goes_clockwise_from_the_winner_of_the_last_auction(winner, order):  # E1
    assert asked_in_turn(finish(each_with_a_pawned_relic(last_winner=winner))) == order


def test_the_last_auction_is_the_last_one_that_had_a_winner():  # E1, T6, T9
    table = each_with_a_pawned_relic().ingots(10, 10, 10, 11).decks("holy_grail", "ark_of_the_covenant")
    table.play("choose_deck_blue", "pass", "pass", "bid_1", "pass")  # seat 3 wins this one
    table.play("pass", "pass", "pass", "pass")  # and nobody the last
    assert asked_in_turn(table) == [3, 0, 1, 2]


def test_redeeming_costs_ten_ingots_paid_to_the_reserve():  # E1
    table = finish(each_with_a_pawned_relic(last_winner=0).ingots(12, 10, 10, 10))
    assert table.legal() == {"decline", "redeem_excalibur"}
    table.play("redeem_excalibur")
    assert (table.purses, table.reserve) == ([2, 10, 10, 10], 28)
    assert not table.is_pawned("excalibur")
    assert table.events("redeemed") == [
        {"event": "redeemed", "seat": 0, "relic": table.index("excalibur"), "ingots": 10, "forced": False}
    ]


@pytest.mark.parametrize(("ingots", "may"), [(9, False), (10, True)])
def test_who_is_too_poor_to_redeem_is_not_asked(ingots, may):  # E1, T9
    table = finish(table_without_counterfeits(4).give(2, "sharur", pawned=True).ingots(10, 10, ingots, 10))
    assert table.over is not may
    if not may:
        assert table.events("declined") == [{"event": "declined", "seat": 2, "phase": REDEEM, "forced": True}]


# ---- E1: what the Peaches change


@pytest.mark.parametrize(
    ("pawned", "ingots", "actions"),
    [
        ((), 10, ("redeem_sharur", "redeem_muramasa")),
        (("peaches_of_immortality",), 20, ("redeem_peaches_of_immortality", "redeem_sharur", "redeem_muramasa")),
    ],
)
def test_with_the_peaches_redeeming_costs_five_but_ten_while_they_are_pawned(pawned, ingots, actions):
    # E1, P4, effect: redeem_price
    table = table_without_counterfeits(4).give(1, "peaches_of_immortality").give(1, "sharur", "muramasa", pawned=True)
    finish(table.give(1, *pawned, pawned=True).ingots(10, ingots, 10, 10))
    assert table.play(*actions).purses == [10, 0, 10, 10]
    assert not table["pawned"].any()


# ---- E1: what was not redeemed


@pytest.mark.parametrize(
    ("own", "action", "points", "other"),
    [
        ("cornucopia", "decline", {"ingots": 2, "sets": 0, "blue": 0}, 8),  # 2 against nothing that counts
        ("gleipnir", "redeem_holy_grail", {"ingots": 0, "sets": 5, "blue": 8}, 6),
    ],
)
def test_only_a_relic_that_was_redeemed_counts_for_values_and_sets(own, action, points, other):  # E1, G2, G3
    table = table_without_counterfeits(4).give(0, "holy_grail", pawned=True).give(0, own, "sharur", "oracle_bones")
    table.give(1, "excalibur").ingots(10, 0, 0, 0)
    finish(table, action)
    assert table.points(0) == {**points, "green": 7, "golden": 6, "red": 5}
    assert table.points(1)["blue"] == other


@pytest.mark.parametrize("prices", [(0,), (3,), (15,), (4, 2), (2, 4), (4, 0), (0, 4)])
def test_the_price_of_a_relic_holds_instead_of_the_usual_one_and_the_least_of_two(prices, tmp_path):
    # R2, E1, effect: redeem_price
    trees = [relic(f"tree_{number}", "red", 1, "redeem_price", price) for number, price in enumerate(prices)]
    table = table_with(tmp_path, *trees, relic("jar", "blue"), relic("lot", "blue")).ingots(10, 15, 10, 10)
    table.give(1, *(tree["id"] for tree in trees)).give(1, "jar", pawned=True)
    assert finish(table, "redeem_jar").purses[1] == 15 - min(prices)
