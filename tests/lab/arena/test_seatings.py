"""Who sits down with whom, and where."""

import numpy as np
import pytest

from w51_agents import AgentError
from w51_lab.arena.seatings import MAX_GROUPS, PERMUTATIONS, ROTATIONS, arrangements, line_ups, num_arrangements, seat


@pytest.mark.parametrize(
    ("lineup", "count"),
    [
        ([0, 1, 2], 6),
        ([0, 1, 2, 3, 4], 120),
        ([0, 1, 1, 1], 4),
        ([0, 0, 0], 1),
        ([0, 0, 1, 1], 6),
        ([0, 1, 2, 1, 2], 30),
    ],
)
def test_every_way_to_seat_a_line_up_comes_once(lineup: list, count: int):
    found = arrangements(np.array(lineup))
    assert len(found) == num_arrangements(np.array(lineup)) == len(np.unique(found, axis=0)) == count
    np.testing.assert_array_equal(*np.broadcast_arrays(np.sort(found, axis=1), np.sort(lineup)))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_in_rotations_each_agent_has_every_seat_once_in_each_deal(players: int):
    seated = seat(np.arange(players), ROTATIONS, 50, seed=1)
    assert seated.shape == (50, players, players)
    for axis in (1, 2):
        in_order = np.moveaxis(np.sort(seated, axis=axis), axis, 2)
        np.testing.assert_array_equal(*np.broadcast_arrays(in_order, np.arange(players)))


def test_in_rotations_neighbours_stay_neighbours():
    seated = seat(np.arange(4), ROTATIONS, 30, seed=2)
    for deal in seated:
        left = {(int(seats[place]), int(seats[(place + 1) % 4])) for seats in deal for place in range(4)}
        assert len(left) == 4


def test_all_circular_orders_come_equally_often():
    """Of 4 there are 6, so any 6 deals from a multiple of 6 on have each once."""
    seated = seat(np.arange(4), ROTATIONS, 60, seed=3)
    first = np.array([np.roll(seats, -int(np.flatnonzero(seats == 0)[0])) for seats in seated[:, 0]])
    for start in range(0, 60, 6):
        assert len(np.unique(first[start : start + 6], axis=0)) == 6


@pytest.mark.parametrize("seatings", [PERMUTATIONS, ROTATIONS])
def test_the_first_deals_are_seated_alike_however_many_there_are(seatings: str):
    lineup = np.array([0, 1, 2, 1])
    np.testing.assert_array_equal(seat(lineup, seatings, 7, 5), seat(lineup, seatings, 100, 5)[:7])


def test_in_pairs_each_agent_is_alone_among_each_other_one():
    pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert line_ups("pairs", 3, 4, 0).tolist() == [[one, other, other, other] for one, other in pairs]


def test_in_groups_every_combination_sits_down():
    groups = line_ups("groups", 5, 3, 0).tolist()
    assert len(set(map(frozenset, groups))) == len(groups) == 10
    assert groups == sorted(map(sorted, groups))
    assert line_ups("groups", 2, 4, 0).tolist() == [[0, 1, 1, 1]]


@pytest.mark.parametrize(("agents", "players"), [(30, 4), (13, 5), (19, 3)])
def test_of_too_many_combinations_a_part_plays_in_which_all_play_equally_often(agents: int, players: int):
    tables = line_ups("groups", agents, players, 7)
    assert tables.shape == (MAX_GROUPS, players)
    assert all(len(set(table)) == players for table in tables.tolist())
    counts = np.bincount(tables.ravel(), minlength=agents)
    assert counts.max() - counts.min() <= 2


@pytest.mark.parametrize(
    ("kind", "agents", "message"),
    [
        ("match", 0, "agents: 0, but 1 to 4 are allowed in a game of 4"),
        ("match", 5, "agents: 5, but 1 to 4"),
        ("pairs", 1, "agents: 1, but pairs"),
        ("groups", 1, "agents: 1, but groups"),
    ],
)
def test_too_many_or_too_few_agents_are_errors(kind: str, agents: int, message: str):
    with pytest.raises(AgentError, match=message):
        line_ups(kind, agents, 4, 0)
