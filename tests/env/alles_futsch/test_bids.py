"""The two-part raise: every bid can be said, in one way only."""

import pytest

from tests.env.alles_futsch.table import Table
from w51_env.alles_futsch.actions import NUM_ACTIONS
from w51_env.alles_futsch.state import MAX_BONUS, MAX_MONEY, MAX_PLAYERS, MAX_START_MONEY


def spellings(table: Table) -> dict[int, list[tuple[str, ...]]]:
    """Every bid the seat to move can make, with all sequences of actions that make it. The table is left as it was."""
    state = table.batch.state_bytes(0)
    seat = table.seat
    found: dict[int, list[tuple[str, ...]]] = {}
    for first in sorted(table.legal() - {"pass"}):
        table.batch.load_bytes(0, state)
        table.play(first)
        if first.startswith("raise"):
            found.setdefault(table.events("bid")[0]["money"], []).append((first,))
            continue
        assert (table.seat, table.phase) == (seat, "bid")  # nobody is asked between the two parts
        assert "pass" not in table.legal()
        between = table.batch.state_bytes(0)
        for second in sorted(table.legal()):
            table.batch.load_bytes(0, between)
            table.play(second)
            found.setdefault(table.events("bid")[0]["money"], []).append((first, second))
    table.batch.load_bytes(0, state)
    return found


BIDS = [(1, 0), (19, 0), (20, 0), (21, 0), (40, 0), (41, 0), (200, 0), (200, 37), (123, 122), (221, 180), (1100, 700)]


@pytest.mark.parametrize(("money", "standing"), [*BIDS, (MAX_MONEY, 0)])
def test_every_bid_above_the_standing_one_up_to_all_money_has_exactly_one_encoding(money, standing):  # A2
    table = Table(2, ask_forced=True, bonus=0).money(standing, money)
    table.play("select_0")
    table.change(standing_bid=standing, leader=0 if standing else -1, seat=1)
    found = spellings(table)
    assert sorted(found) == list(range(standing + 1, money + 1))
    assert all(len(ways) == 1 for ways in found.values())
    assert all(len(ways[0]) == (1 if bid - standing <= 20 else 2) for bid, ways in found.items())


def test_the_first_bid_has_an_exact_encoding_too():  # A2, option: minimum_bid
    table = Table(2, minimum_bid=0, ask_forced=True).money(45, 50).play("select_0")
    assert sorted(spellings(table)) == list(range(46))
    table = Table(2, minimum_bid=13, ask_forced=True).money(70, 50).play("select_0")
    assert sorted(spellings(table)) == list(range(13, 71))


def test_a_raise_by_47_takes_two_actions():  # A2
    table = Table(3).play("select_0", "raise_3", "add_40")
    assert table.events() == []
    assert (table.seat, table["added"], table["standing_bid"], table["leader"]) == (1, 40, 3, 0)
    assert table.legal() == {f"raise_{raised}" for raised in range(1, 21)}
    table.play("raise_7")
    assert table.events() == [{"event": "bid", "seat": 1, "money": 50, "forced": False}]
    assert (table.seat, table["added"]) == (2, 0)


def test_the_second_part_is_played_by_the_engine_if_it_can_only_be_one_and_the_bid_is_free():  # A2, T9
    table = Table(3).money(41, 50, 50).play("select_0", "add_40")
    assert table.events() == [{"event": "bid", "seat": 0, "money": 41, "forced": False}]
    assert table.seat == 1


def test_the_action_table_is_small_and_reaches_all_the_money_there_can_be():  # A2
    assert MAX_PLAYERS * (MAX_START_MONEY + 4 * MAX_BONUS) == MAX_MONEY == 1800  # 4 rows on a table, one bonus each
    table = Table(2, minimum_bid=0, bonus=0).money(MAX_MONEY, 0).play("select_0")
    assert len(table.game.actions) == NUM_ACTIONS == 125
    assert len(table.legal()) == 1 + 20 + 90
    table.play("add_1800")  # the rest can only be 1, as the first raise counts from -1
    assert table.events("bid") == [{"event": "bid", "seat": 0, "money": 1800, "forced": False}]
