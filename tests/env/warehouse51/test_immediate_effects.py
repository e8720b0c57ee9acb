"""Immediate effects (section 6, T8): once, when the relic is bought; as far as it goes; then never again."""

import pytest

from tests.env.warehouse51.relic_files import relic, table_with
from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import NO_RELIC


def selling(lot: str, deck: str) -> Table:
    """This lot is on the block, turned over by seat 0; three open lots are left."""
    return Table(4).decks(lot, "holy_grail", "golden_fleece", "ark_of_the_covenant").play(f"choose_deck_{deck}")


def sold_for(table: Table, bid: int) -> Table:
    """Seat 1 buys the lot; who still could bid passes."""
    table.play(f"bid_{bid}")
    while table.phase in ("open_auction", "blind_auction"):
        table.play("pass")
    return table


# ---- gain_ingots


@pytest.mark.parametrize(("in_reserve", "gained"), [(20, 5), (5, 5), (3, 3), (0, 0)])
def test_the_lamp_brings_five_ingots_as_far_as_the_reserve_lasts(in_reserve, gained):  # T8, effect: gain_ingots
    table = selling("aladdins_lamp", "golden").ingots(10, 10, 10, 30 - in_reserve)
    sold_for(table, 4)
    assert table.purses == [10, 6 + gained, 14, 30 - in_reserve]
    assert table.reserve == in_reserve - gained


# ---- pay_each_other


@pytest.mark.parametrize(
    ("bid", "purses"),
    [
        (3, [12, 1, 15, 12]),  # 2 for each other player
        (4, [12, 0, 16, 12]),  # 6 are left: 2, 2, 2
        (5, [11, 0, 17, 12]),  # 5: 2, 2, 1
        (7, [10, 0, 19, 11]),  # 3: 2, 1
        (9, [10, 0, 20, 10]),  # 1: 1
        (10, [10, 0, 20, 10]),
    ],
)
def test_pandoras_box_pays_clockwise_from_the_left_as_far_as_ingots_last(bid, purses):  # T8, effect: pay_each_other
    table = sold_for(selling("pandoras_box", "green"), bid)
    assert (table.purses, table.reserve) == (purses, 20)
    assert all((event["seat"], event["payee"] in (2, 3, 0)) == (1, True) for event in table.events("paid"))


# ---- take_relic


def test_the_carpet_takes_an_unpawned_relic_of_value_one_from_another():  # T8, effect: take_relic
    table = selling("flying_carpet", "golden").give(0, "cornucopia", "sharur").give(1, "gleipnir")
    sold_for(table.give(2, "seven_league_boots", "excalibur").give(3, "philosophers_stone", pawned=True), 1)
    assert (table.seat, table.phase, table.lot) == (1, "take", "flying_carpet")
    # Not of value 2, own, or pawned; and no way out.
    assert table.legal() == {"choose_cornucopia", "choose_seven_league_boots"}
    table.play("choose_seven_league_boots")
    assert [table.owner(name) for name in ("seven_league_boots", "cornucopia", "flying_carpet")] == [1, 0, 1]
    assert table.events("took") == [
        {"event": "took", "seat": 1, "relic": table.index("seven_league_boots"), "owner": 2, "forced": False}
    ]


def test_without_a_relic_to_take_or_to_give_the_effect_is_left_out():  # effect: take_relic, effect: give_relic
    table = selling("flying_carpet", "golden").give(1, "gleipnir").give(3, "excalibur")
    assert sold_for(table, 1).event_names() == ["passed", "sold"]
    assert (table.seat, table.phase) == (1, "reveal")
    table = sold_for(selling("muramasa", "red").give(1, "gleipnir", pawned=True), 1)
    assert (table.seat, table.phase) == (1, "reveal")
    assert (table.owner("muramasa"), table.owner("gleipnir")) == (1, 1)


@pytest.mark.parametrize("taken", ["lamp", "seal", "lens", "rope"])
def test_a_taken_relic_has_no_immediate_effect_again(tmp_path, taken):  # T8, effect: take_relic
    relics = [
        relic("lamp", "green", effect="gain_ingots", amount=5),
        relic("seal", "green", effect="certificate"),
        relic("lens", "green", effect="look_at_counterfeits"),
        relic("rope", "green", effect="take_relic", amount=1),
        relic("rug", "golden", effect="take_relic", amount=1),
    ]
    table = table_with(tmp_path, *relics, relic("cup", "blue"), relic("bell", "red"))
    table.give(3, taken).give(2, "seal" if taken == "rope" else "rope").decks("rug", "cup", "bell")
    table.play("choose_deck_golden", "bid_1", "pass", "pass", "pass", f"choose_{taken}")
    assert table.event_names() == ["took"]
    assert (table.seat, table.phase) == (1, "reveal")
    assert (table.purses, table.reserve) == ([10, 9, 11, 10], 20)
    assert table["certificate_from"].tolist() == [NO_RELIC, NO_RELIC]


# ---- give_relic


def test_muramasa_gives_another_unpawned_relic_to_the_left():  # T8, effect: give_relic
    table = selling("muramasa", "red").give(0, "davids_harp").give(1, "gleipnir", "excalibur")
    sold_for(table.give(1, "cornucopia", pawned=True), 1)
    assert (table.seat, table.phase, table.lot) == (1, "give", "muramasa")
    assert table.legal() == {"choose_gleipnir", "choose_excalibur"}  # not Muramasa itself, and no way out
    table.play("choose_excalibur")
    assert [table.owner(name) for name in ("muramasa", "gleipnir", "excalibur", "cornucopia")] == [1, 1, 2, 1]
    assert table.events("gave") == [
        {"event": "gave", "seat": 1, "relic": table.index("excalibur"), "receiver": 2, "forced": False}
    ]


@pytest.mark.parametrize(
    ("lot", "deck", "bids", "event", "owner"),
    [
        ("flying_carpet", "golden", ("bid_1", "pass", "pass", "pass"), "took", 1),
        ("muramasa", "red", ("pass", "pass", "bid_1", "pass"), "gave", 0),
    ],
)
def test_a_single_relic_to_take_or_give_changes_hands_unasked(lot, deck, bids, event, owner):
    # T9, effect: take_relic, effect: give_relic
    table = selling(lot, deck).give(3, "gleipnir").play(*bids)
    assert table.owner("gleipnir") == owner
    assert [entry["forced"] for entry in table.events(event)] == [True]


# ---- lifts_curses, on immediate curses


@pytest.mark.parametrize("harp_pawned", [False, True])
def test_the_harp_lifts_immediate_curses_unless_it_is_pawned(harp_pawned):
    # P4, effect: lifts_curses, effect: pay_each_other, effect: give_relic
    table = selling("pandoras_box", "green").give(1, "davids_harp", pawned=harp_pawned)
    assert sold_for(table, 3).purses == ([12, 1, 15, 12] if harp_pawned else [10, 7, 13, 10])
    table = selling("muramasa", "red").give(1, "excalibur").give(1, "davids_harp", pawned=harp_pawned)
    assert sold_for(table, 1).owner("excalibur") == (2 if harp_pawned else 1)
    assert (table.seat, table.phase) == (1, "reveal")


# ---- look_at_counterfeits


def test_the_oracle_bones_show_one_gap_that_is_not_beside_the_buyer():  # T8, effect: look_at_counterfeits
    table = selling("oracle_bones", "red").counterfeits(holy_grail=0, mjollnir=1, sharur=2, muramasa=3)
    table.play("bid_1", "pass", "pass", "pass")
    assert (table.seat, table.phase) == (1, "look")
    assert table.legal() == {"choose_gap_1", "choose_gap_2"}  # gaps 2 and 3; 1 and 0 lie beside seat 1
    table.play("choose_gap_2")
    assert table.seen(1, "counterfeit_elsewhere") == {"muramasa": 2}
    assert table.events("saw", viewer=1) == [
        {"event": "saw", "seat": 1, "gap": 3, "relic": table.index("muramasa"), "forced": False}
    ]
    assert (table.seat, table.phase) == (1, "reveal")


def test_without_counterfeit_cards_there_is_nothing_to_look_at():
    # effect: look_at_counterfeits, option: counterfeits_per_gap
    table = Table(4, counterfeits_per_gap=0).decks("oracle_bones", "holy_grail", "golden_fleece")
    table.play("choose_deck_red", "bid_1", "pass", "pass", "pass")
    assert (table.seat, table.phase) == (1, "reveal")
