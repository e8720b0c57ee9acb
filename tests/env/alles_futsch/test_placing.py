"""A3: the three objects of a bought card are taken, sold, or lost. Player k's table has no row for type k."""

import pytest

from tests.env.alles_futsch.table import Table


def test_the_buyer_places_the_objects_one_at_a_time_in_the_order_they_like():  # A3
    table = Table(2).cards("vase clock jewel").buy(5)
    assert (table.seat, table.phase, table.legal()) == (0, "place", {"place_vase", "place_clock", "place_jewel"})
    table.play("place_clock")
    assert (table.owned(0), table.legal()) == ({"clock": 1}, {"place_vase", "place_jewel"})
    table.play("place_jewel")  # the last one is placed by the engine
    assert table.owned(0) == {"vase": 1, "clock": 1, "jewel": 1}
    assert [event["forced"] for event in table.events("took")] == [False, True]
    assert (table.phase, table.seat) == ("select", 0)


# ---- taken


@pytest.mark.parametrize("owned", [0, 1, 2])
def test_an_object_on_the_buyers_table_of_which_they_own_0_to_2_must_be_taken(owned):  # A3
    table = Table(4).cards("vase clock jewel").give(0, vase=owned).buy(5).play("place_vase")
    assert table.owned(0) == {"vase": owned + 1}
    assert table.phase == "place"  # nobody was asked to buy


def test_the_bank_pays_30000_for_the_third_of_a_kind_or_another_bonus():  # A3, option: bonus
    table = Table(2).cards("vase clock jewel").give(0, vase=2).buy(5).play("place_vase")
    assert table.balances == [225, 200]
    assert table.events() == [
        {"event": "took", "seat": 0, "type": 2, "owned": 3, "forced": False},
        {"event": "bonus", "seat": 0, "money": 30, "forced": False},
    ]
    assert Table(2, bonus=7).cards("vase vase vase").buy(5).balances == [202, 200]
    assert Table(2, bonus=0).cards("vase vase vase").buy(5).balances == [195, 200]


# ---- sold


def test_a_type_that_is_not_on_the_buyers_table_must_be_sold():  # A3
    table = Table(4).cards("painting clock jewel").buy(5).play("place_painting")
    assert (table.phase, table.seat) == ("sell", 0)
    assert table.legal() == {"sell_to_1", "sell_to_2", "sell_to_3"}
    assert table.read(0, "selling").tolist() == [1, 0, 0, 0, 0]
    table.play("sell_to_2")
    assert table.balances == [215, 200, 180, 200]
    assert (table.owned(0), table.owned(2)) == ({}, {"painting": 1})
    assert (table.phase, table.seat) == ("place", 0)


def test_a_fourth_of_a_kind_must_be_sold():  # A3
    table = Table(4).cards("vase clock jewel").give(0, vase=3).buy(5).play("place_vase")
    assert (table.phase, table.legal()) == ("sell", {"sell_to_1", "sell_to_3"})  # player 2 has no row for a vase
    table.play("sell_to_3")
    assert (table.owned(0), table.owned(3)) == ({"vase": 3}, {"vase": 1})
    assert table.balances == [215, 200, 200, 180]


@pytest.mark.parametrize("owned", range(6))
def test_a_fellow_player_who_owns_0_to_4_may_be_made_to_buy(owned):  # A3
    table = Table(3).cards("vase painting jewel").give(1, painting=owned).buy(5).play("place_painting")
    expected = {"sell_to_1", "sell_to_2"} if owned < 5 else set()  # with one left, the engine sells to player 2
    assert table.legal() & {"sell_to_1", "sell_to_2"} == expected
    if owned == 5:
        assert table.owned(2) == {"painting": 1}
        assert table.events("sold") == [
            {"event": "sold", "seat": 0, "type": 0, "buyer": 2, "money": 20, "forced": True}
        ]


@pytest.mark.parametrize(
    ("owned", "money", "then"),
    [(0, 180, []), (1, 180, []), (2, 210, ["bonus"]), (3, 170, ["fined"]), (4, 170, ["fined"])],
)
def test_an_object_costs_its_price_the_third_pays_a_bonus_and_more_a_fine(owned, money, then):  # A3
    table = Table(3).cards("painting clock jewel").give(1, painting=owned).buy(5).play("place_painting", "sell_to_1")
    assert (table.balances, table.owned(1)) == ([215, money, 200], {"painting": owned + 1})
    assert table.event_names() == ["sold", "took", *then]
    assert table.events()[:2] == [
        {"event": "sold", "seat": 0, "type": 0, "buyer": 1, "money": 20, "forced": False},
        {"event": "took", "seat": 1, "type": 0, "owned": owned + 1, "forced": False},
    ]


def test_sale_price_and_fine_are_options():  # A3, option: sale_price, option: fine
    table = Table(2, sale_price=8, fine=3).cards("painting painting painting").give(1, painting=2).buy(5)
    assert table.balances == [200 - 5 + 24, 200 - 24 + 30 - 3 - 3]
    assert Table(2, fine=0).cards("painting painting painting").give(1, painting=2).buy(5).balances == [255, 170]


# ---- nobody may buy


@pytest.mark.parametrize(
    ("players", "card", "owned"),
    [(2, "painting clock jewel", {1: 5}), (3, "vase clock jewel", {0: 3, 1: 5})],  # 2 has no row for a vase
)
def test_an_object_that_nobody_may_buy_is_lost(players, card, owned):  # A3, ruling
    kind = card.partition(" ")[0]
    table = Table(players).cards(card)
    for seat, number in owned.items():
        table.give(seat, **{kind: number})
    table.buy(5).play(f"place_{kind}")
    assert [(event["event"], event["seat"]) for event in table.events()] == [("lost", 0)]
    assert (table.lost, table.balances[0], table.phase) == ({kind: 1}, 195, "place")


@pytest.mark.parametrize(
    ("players", "card", "owned", "lost", "owners"),
    [
        (3, "vase clock jewel", (3, 5), {}, ({"vase": 4}, {"vase": 5})),  # and pays the fine
        (3, "vase clock jewel", (3, 4), {}, ({"vase": 3}, {"vase": 5})),  # player 1 may buy
        (2, "painting clock jewel", (0, 5), {"painting": 1}, ({}, {"painting": 5})),  # player 0 has no row for it
        (2, "vase clock jewel", (5, 5), {"vase": 1}, ({"vase": 5}, {"vase": 5})),
    ],
)
def test_with_no_buyer_taken_the_seller_takes_what_nobody_else_may_buy(players, card, owned, lost, owners):
    # A3, option: no_buyer
    kind = card.partition(" ")[0]
    table = Table(players, no_buyer="taken").cards(card).give(0, **{kind: owned[0]}).give(1, **{kind: owned[1]})
    table.buy(5).play(f"place_{kind}")
    assert (table.lost, (table.owned(0), table.owned(1))) == (lost, owners)
    if owners[0] == {"vase": 4}:
        assert (table.event_names(), table.balances) == (["took", "fined"], [185, 200, 200])
