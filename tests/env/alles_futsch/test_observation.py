"""The observation: what its slices say, relative to the seat that looks."""

import numpy as np
import pytest

from tests.env.alles_futsch.table import Table
from w51_env.alles_futsch.state import MAX_MONEY


def amount(parts: np.ndarray) -> int:
    """An amount of money from its five numbers: three hundreds, then hundreds and rest of what is above 300."""
    return int(parts[:3].sum()) + 100 * int(parts[3]) + int(parts[4])


def test_seats_are_counted_clockwise_from_the_observer():
    table = Table(4, first_player=2).cards("vase clock jewel").money(10, 20, 30, 40).give(0, jewel=2)
    table.play("select_0", "raise_3")
    assert [amount(parts) for parts in table.read(1, "money")] == [20, 30, 40, 10, 0]
    assert table.read(1, "to_move").tolist() == [0, 0, 1, 0, 0]
    assert table.read(1, "selector").tolist() == table.read(1, "leader").tolist() == [0, 1, 0, 0, 0]
    assert table.read(1, "bidding").tolist() == [1, 1, 1, 1, 0]
    assert table.read(1, "owned")[3].tolist() == [0, 0, 0, 0, 2]
    assert table.read(1, "lacks")[:4].tolist() == np.eye(5, dtype=int)[[1, 2, 3, 0]].tolist()
    assert table.read(1, "lacks")[4].tolist() == [0] * 5


def test_cards_are_shown_by_how_many_of_each_type():
    table = Table(2).cards("painting painting vase", "clock clock clock").play("select_0")
    assert table.read(0, "card").tolist() == [2, 0, 1, 0, 0]
    assert table.read(0, "face_up")[:2].tolist() == [[0] * 5, [0, 0, 0, 3, 0]]
    table.play("raise_9", "pass")
    assert table.read(0, "to_place").tolist() == [2, 0, 1, 0, 0]
    assert amount(table.read(0, "standing_bid")) == 9


def test_cards_that_are_gone_are_remembered_one_by_one():
    table = Table(2).cards("painting painting painting", "sculpture sculpture sculpture")
    table.play("select_0", "pass", "pass", "select_1", "pass", "pass")
    gone = table.read(0, "gone")
    assert (gone.sum(), gone[0]) == (2, 1)  # the first of all cards is painting, painting, painting
    assert table.read(1, "deck_left").tolist() == [28]


@pytest.mark.parametrize("money", [0, 1, 99, 100, 101, 200, 299, 300, 301, 399, 400, 1234, MAX_MONEY])
def test_amounts_are_exact_up_to_all_the_money_there_can_be(money):
    table = Table(2, bonus=0).money(money, 0)
    assert amount(table.read(0, "money")[0]) == amount(table.read(1, "money")[1]) == money
    np.testing.assert_array_equal(table.read(0, "money") <= 100, True)


def test_half_of_a_raise_is_shown():
    table = Table(2, bonus=0, minimum_bid=0).money(MAX_MONEY, 0).play("select_0", "add_1780")
    assert amount(table.read(0, "added")) == amount(table.read(1, "added")) == 1780
    assert amount(table.read(0, "standing_bid")) == 0


def test_prices_and_rulings_are_shown():
    options = {"minimum_bid": 2, "sale_price": 8, "fine": 3, "bonus": 9, "no_buyer": "taken"}
    table = Table(3, **options)
    assert table.read(0, "prices").tolist() == [2, 8, 3, 9]
    assert table.read(0, "rulings").tolist() == [0, 0, 1, 0]
    others = {"cards": "random", "no_bid_selector": "left", "deck_exhausted": "end"}
    assert Table(2, **others).read(0, "rulings").tolist() == [1, 1, 0, 1]
    assert table.read(0, "num_players").tolist() == [0, 1, 0, 0]
