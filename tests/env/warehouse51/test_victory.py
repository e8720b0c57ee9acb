"""G5: who wins, how ties for the victory are broken, and the ranks of all."""

import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.table import Table


def ranks_of(table: Table) -> list[int]:
    return finish(table)["ranks"][: table.game.num_players].tolist()


@pytest.mark.parametrize(
    ("ingots", "ranks"),
    [
        ((20, 15, 10, 5), [1, 2, 3, 4]),
        ((5, 10, 15, 20), [4, 3, 2, 1]),
        ((25, 15, 15, 5), [1, 2, 2, 4]),
        ((20, 20, 10, 10), [1, 1, 3, 3]),
        ((20, 20, 20, 0), [1, 1, 1, 4]),
        ((30, 10, 10, 10), [1, 2, 2, 2]),
        ((10, 10, 10, 10), [1, 1, 1, 1]),
        ((14, 13, 12, 5), [1, 1, 1, 4]),  # ingots left over after full fives break no tie
        ((40, 25, 5), [1, 2, 3]),
        ((15, 15, 20), [2, 2, 1]),
        ((15, 10, 15, 10, 5), [1, 3, 1, 3, 5]),
        ((20, 15, 15, 15, 0), [1, 2, 2, 2, 5]),
    ],
)
def test_the_highest_total_wins_and_equal_totals_share_a_rank(ingots, ranks):  # G5
    table = table_without_counterfeits(len(ingots), start_ingots=10, reserve=20 if len(ingots) > 3 else 40)
    assert ranks_of(table.ingots(*ingots)) == ranks


def test_yata_breaks_a_tie_for_the_victory():  # G5, G4, effect: wins_ties
    # Seat 0: red 5 + 5 / 5 = 6. Seat 1: golden 6. Seat 2: 30 / 5 = 6.
    table = table_without_counterfeits(4).give(0, "yata_no_kagami").give(1, "ark_of_the_covenant").ingots(5, 0, 30, 4)
    assert ranks_of(table) == [1, 2, 2, 4]
    assert table["scores"][:4].tolist() == [6, 6, 6, 0]


def test_the_shirt_loses_a_tie_for_the_victory():  # G5, G4, effect: loses_ties
    # Seat 0: green 7. Seat 1: golden 6 + 5 / 5 = 7. Seat 2: 35 / 5 = 7.
    table = table_without_counterfeits(4).give(0, "shirt_of_nessus").give(1, "ark_of_the_covenant").ingots(0, 5, 35, 4)
    assert ranks_of(table) == [3, 1, 1, 4]
    assert table["scores"][:4].tolist() == [7, 7, 7, 0]


@pytest.mark.parametrize(
    ("relics", "ingots"),
    [
        # Seat 0: green 7 + golden 4 (Harp 1, Ark 3) = 11. Seat 1: golden 6 + 25 / 5 = 11.
        (("shirt_of_nessus", "davids_harp"), (0, 25, 0, 4)),
        # Seat 0: green 7 + red 5 = 12. Seat 1: golden 6 + 30 / 5 = 12.
        (("shirt_of_nessus", "yata_no_kagami"), (0, 30, 0, 4)),
    ],
)
def test_the_shirt_breaks_no_tie_for_the_victory_beside_the_harp_or_yata(relics, ingots):
    # G5, G4, effect: lifts_curses, effect: wins_ties, effect: loses_ties
    table = table_without_counterfeits(4).give(0, *relics).give(1, "ark_of_the_covenant").ingots(*ingots)
    assert ranks_of(table) == [1, 1, 3, 3]
