"""A4: in which order is paid, and who is broke."""

import pytest

from tests.env.alles_futsch.table import Table


def sale(money: int, owned: int, **options) -> Table:
    """Player 0 sells a painting to player 1, who has so much money and so many paintings; player 2 has 50."""
    table = Table(3, **options).cards("painting clock jewel").money(100, money, 50).give(1, painting=owned)
    return table.buy(5).play("place_painting", "sell_to_1")


def test_a_third_object_that_cannot_be_paid_in_full_breaks_its_buyer_who_gets_no_bonus():  # A4
    table = sale(19, owned=2)
    assert table.over
    assert table.balances == [100 - 5 + 19, 0, 50]
    assert table["broke"] == 1
    assert table.event_names()[:2] == ["sold", "broke"]
    assert "bonus" not in table.event_names()
    assert table.owned(1) == {"painting": 2}  # it is over before the object changes hands


def test_the_bonus_is_paid_for_a_third_object_bought_with_the_last_20():  # A4
    table = sale(20, owned=2)
    assert (table.over, table.balances) == (False, [115, 30, 50])
    assert table.event_names() == ["sold", "took", "bonus"]


def test_a_fourth_object_with_exactly_20_the_seller_is_paid_then_the_fine_breaks_its_buyer():  # A4
    table = sale(20, owned=3)
    assert table.over
    assert table.balances == [115, 0, 50]
    assert table.event_names()[:4] == ["sold", "took", "fined", "broke"]
    assert table.events("fined") == [{"event": "fined", "seat": 1, "money": 0, "forced": False}]
    assert table["broke"] == 1


@pytest.mark.parametrize("owned", range(5))
def test_who_has_nothing_is_broke_by_any_sale(owned):  # A4
    table = sale(0, owned)
    assert (table.over, table.balances, table["broke"]) == (True, [95, 0, 50], 1)
    assert table.events("sold") == [{"event": "sold", "seat": 0, "type": 0, "buyer": 1, "money": 0, "forced": False}]


def test_the_game_ends_at_once_with_objects_still_to_place():  # A4
    table = Table(3).cards("painting painting vase").money(100, 15, 50).give(0, vase=2)
    table.buy(5).play("place_painting", "sell_to_1")
    assert (table.over, table.balances, table.legal()) == (True, [110, 0, 50], set())
    assert table["to_place"].tolist() == [1, 0, 1, 0, 0]  # the vase would have brought 30


def test_a_seller_can_be_broke_by_the_fine_for_an_object_nobody_else_may_buy():  # A4, option: no_buyer
    table = Table(2, no_buyer="taken").cards("vase clock jewel").money(12, 50).give(0, vase=3).give(1, vase=5)
    table.buy(5).play("place_vase")
    assert (table.over, table.balances, table["broke"]) == (True, [0, 50], 0)
    assert table.events("fined") == [{"event": "fined", "seat": 0, "money": 7, "forced": False}]


def test_sale_price_and_fine_of_the_options_break_too():  # A4, option: sale_price, option: fine
    assert sale(7, owned=0, sale_price=8).over
    assert not sale(8, owned=0, sale_price=8).over
    assert sale(10, owned=3, sale_price=8, fine=3).over
    assert not sale(8, owned=3, sale_price=8, fine=0).over
