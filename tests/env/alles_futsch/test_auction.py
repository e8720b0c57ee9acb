"""A2: selecting a card, bidding, and who pays."""

import pytest

from tests.env.alles_futsch.table import Table


def test_the_selector_chooses_one_of_the_face_up_cards_and_bids_first():  # A2
    table = Table(3, first_player=1).cards("vase vase vase", "clock clock clock")
    assert (table.seat, table.legal()) == (1, {"select_0", "select_1", "select_2", "select_3", "select_4"})
    table.play("select_1")
    assert (table.phase, table.card, table.face_up[1], table.seat) == ("bid", "clock clock clock", None, 1)


def test_a_pass_is_final():  # A2
    table = Table(4).play("select_0", "raise_1", "pass", "raise_1")  # player 1 is out
    asked = []
    for _ in range(6):
        asked.append(table.seat)
        table.play("raise_1")
    assert asked == [3, 0, 2, 3, 0, 2]


def test_the_highest_bidder_pays_the_bank():  # A2
    table = Table(3).cards("vase clock jewel").play("select_0", "raise_5", "raise_2", "pass", "pass")
    assert table.balances == [200, 193, 200]
    assert table.events() == [
        {"event": "passed", "seat": 0, "forced": False},
        {"event": "bought", "seat": 1, "card": table["card"], "money": 7, "forced": False},
    ]
    assert (table.seat, table.phase) == (1, "place")


def test_the_last_seat_in_the_auction_may_still_bid_if_nobody_has():  # A2
    table = Table(3).play("select_0", "pass", "pass")
    assert (table.seat, table.phase) == (2, "bid")
    assert {"pass", "raise_1"} <= table.legal()
    table.play("raise_1")
    assert (table.phase, table["leader"], table.balances) == ("place", 2, [200, 200, 199])


def test_the_next_card_is_turned_up_once_all_three_objects_are_placed():  # A6
    table = Table(2, ask_forced=True).cards("vase clock jewel").play("select_0", "raise_3", "pass")
    for name in ("place_vase", "place_clock", "place_jewel"):
        assert table.face_up[0] is None
        table.play(name)
    assert table.event_names()[-1] == "turned_up"
    assert table.face_up[0] is not None


# ---- nobody bids


def test_a_card_nobody_bids_for_is_out_and_the_same_player_selects_again():  # A2, option: no_bid_selector
    table = Table(3, first_player=2).cards("vase vase vase").play("select_0", "pass", "pass", "pass")
    assert table.event_names() == ["passed", "unsold", "turned_up"]
    assert (table.phase, table.seat, table["selector"]) == ("select", 2, 2)
    assert "vase vase vase" not in table.face_up
    assert table["gone"].sum() == 1
    assert table.balances == [200, 200, 200]


def test_after_unsold_cards_the_buyer_of_the_last_card_that_was_sold_selects():  # A2
    table = Table(3).cards("vase clock jewel").buy(5).play("place_vase", "place_clock")
    for _ in range(3):
        assert (table.phase, table.seat) == ("select", 0)
        table.play("select_1", "pass", "pass", "pass")


def test_with_no_bid_selector_left_the_left_neighbour_selects():  # A2, option: no_bid_selector
    table = Table(3, first_player=2, no_bid_selector="left").play("select_0", "pass", "pass", "pass")
    assert (table.phase, table.seat) == ("select", 0)


# ---- what may be bid


def test_the_first_bid_is_at_least_1000():  # A2, ruling
    table = Table(2).money(7, 9).play("select_0")
    assert table.legal() == {"pass", *(f"raise_{raised}" for raised in range(1, 8))}
    table.play("raise_1")
    assert table["standing_bid"] == 1


def test_who_holds_no_more_than_the_standing_bid_passes_by_force():  # A2, T9, option: ask_forced
    table = Table(3, ask_forced=True).money(20, 8, 20).play("select_0", "raise_8")
    assert (table.seat, table.legal()) == (1, {"pass"})


@pytest.mark.parametrize(("minimum_bid", "first"), [(0, 0), (1, 1), (5, 5), (20, 20)])
def test_minimum_bid_is_what_the_smallest_first_raise_bids(minimum_bid, first):  # A2, option: minimum_bid
    table = Table(2, minimum_bid=minimum_bid).play("select_0", "raise_1")
    assert table["standing_bid"] == first
    assert table.events("bid") == [{"event": "bid", "seat": 0, "money": first, "forced": False}]
    table.play("raise_1")
    assert table["standing_bid"] == first + 1


def test_with_no_minimum_a_card_may_be_had_for_nothing():  # A2, option: minimum_bid
    table = Table(2, minimum_bid=0, ask_forced=True).money(0, 0).play("select_0")
    assert table.legal() == {"pass", "raise_1"}
    table.play("raise_1")
    assert (table["standing_bid"], table["leader"], table.legal()) == (0, 0, {"pass"})
    table.play("pass")
    assert (table.phase, table.balances) == ("place", [0, 0])
