"""G5: who wins, how ties for the victory are broken, the ranks of all, and the rewards `win`, `rank` and `margin`."""

import pytest

from tests.env.warehouse51.endings import finish, table_without_counterfeits
from tests.env.warehouse51.table import Table


def rich(reward: str, *ingots: int) -> Table:
    """A finished game of seats with nothing but ingots: of 25, 15, 15, 5 the totals are 5, 3, 3, 1."""
    table = table_without_counterfeits(len(ingots), reward=reward, reserve=20 if len(ingots) > 3 else 40)
    return finish(table.ingots(*ingots))


@pytest.mark.parametrize(
    ("ingots", "ranks", "win", "rank"),
    [
        ((25, 20, 10, 5), [1, 2, 3, 4], [3 / 4, -1 / 4, -1 / 4, -1 / 4], [1, 1 / 3, -1 / 3, -1]),
        ((5, 10, 15, 20), [4, 3, 2, 1], [-1 / 4, -1 / 4, -1 / 4, 3 / 4], [-1, -1 / 3, 1 / 3, 1]),
        ((25, 15, 15, 5), [1, 2, 2, 4], [3 / 4, -1 / 4, -1 / 4, -1 / 4], [1, 0, 0, -1]),  # they share places 2 and 3
        ((20, 20, 10, 10), [1, 1, 3, 3], [1 / 4, 1 / 4, -1 / 4, -1 / 4], [2 / 3, 2 / 3, -2 / 3, -2 / 3]),
        ((20, 20, 0, 20), [1, 1, 4, 1], [1 / 12, 1 / 12, -1 / 4, 1 / 12], [1 / 3, 1 / 3, -1, 1 / 3]),
        ((30, 10, 10, 10), [1, 2, 2, 2], [3 / 4, -1 / 4, -1 / 4, -1 / 4], [1, -1 / 3, -1 / 3, -1 / 3]),
        ((10, 10, 10, 10), [1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]),
        ((14, 13, 12, 5), [1, 1, 1, 4], [1 / 12, 1 / 12, 1 / 12, -1 / 4], [1 / 3, 1 / 3, 1 / 3, -1]),  # only full fives
        ((40, 25, 5), [1, 2, 3], [2 / 3, -1 / 3, -1 / 3], [1, 0, -1]),
        ((15, 15, 20), [2, 2, 1], [-1 / 3, -1 / 3, 2 / 3], [-1 / 2, -1 / 2, 1]),
        ((15, 10, 15, 10, 5), [1, 3, 1, 3, 5], [0.3, -0.2, 0.3, -0.2, -0.2], [3 / 4, -1 / 4, 3 / 4, -1 / 4, -1]),
        ((20, 15, 15, 15, 0), [1, 2, 2, 2, 5], [4 / 5, -1 / 5, -1 / 5, -1 / 5, -1 / 5], [1, 0, 0, 0, -1]),
    ],
)
def test_the_highest_total_wins_and_equal_totals_share_a_rank_and_its_rewards(ingots, ranks, win, rank):
    # G5, option: reward
    for reward, expected in (("win", win), ("rank", rank)):
        table = rich(reward, *ingots)
        assert table.of_seats("ranks") == ranks
        assert table.batch.rewards[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ingots", "expected"),
    [
        ((25, 15, 15, 5), [5 - 7 / 3, 3 - 9 / 3, 3 - 9 / 3, 1 - 11 / 3]),
        ((5, 10, 20), [1 - 6 / 2, 2 - 5 / 2, 4 - 3 / 2]),
        ((20, 15, 10, 5, 0), [4 - 6 / 4, 3 - 7 / 4, 2 - 8 / 4, 1 - 9 / 4, 0 - 10 / 4]),
    ],
)
def test_margin_is_ones_total_less_the_mean_of_the_others(ingots, expected):  # G5, option: reward
    assert rich("margin", *ingots).batch.rewards[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        ("win", [3 / 4, -1 / 4, -1 / 4, -1 / 4]),
        ("rank", [1, 0, 0, -1]),
        ("margin", [6 - 12 / 3, 6 - 12 / 3, 6 - 12 / 3, 0 - 18 / 3]),  # points, whoever wins the tie
    ],
)
def test_yata_breaks_a_tie_for_the_victory_which_shows_in_win_and_rank(reward, expected):
    # G5, G4, effect: wins_ties, option: reward
    # Seat 0: red 5 + 5 / 5 = 6. Seat 1: golden 6. Seat 2: 30 / 5 = 6.
    table = table_without_counterfeits(4, reward=reward).give(0, "yata_no_kagami").give(1, "ark_of_the_covenant")
    finish(table.ingots(5, 0, 30, 4))
    assert (table.of_seats("ranks"), table.of_seats("scores")) == ([1, 2, 2, 4], [6, 6, 6, 0])
    assert table.batch.rewards[0].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("relics", "ingots", "ranks"),
    [
        # Seat 0: green 7. Seat 1: golden 6 + 5 / 5 = 7. Seat 2: 35 / 5 = 7.
        (("shirt_of_nessus",), (0, 5, 35, 4), [3, 1, 1, 4]),
        # Seat 0: green 7 + golden 4 (Harp 1, Ark 3) = 11. Seat 1: golden 6 + 25 / 5 = 11.
        (("shirt_of_nessus", "davids_harp"), (0, 25, 0, 4), [1, 1, 3, 3]),
        # Seat 0: green 7 + red 5 = 12. Seat 1: golden 6 + 30 / 5 = 12.
        (("shirt_of_nessus", "yata_no_kagami"), (0, 30, 0, 4), [1, 1, 3, 3]),
    ],
)
def test_the_shirt_loses_a_tie_for_the_victory_unless_the_harp_or_yata_is_there(relics, ingots, ranks):
    # G5, G4, effect: lifts_curses, effect: wins_ties, effect: loses_ties
    table = table_without_counterfeits(4).give(0, *relics).give(1, "ark_of_the_covenant").ingots(*ingots)
    assert finish(table).of_seats("ranks") == ranks
