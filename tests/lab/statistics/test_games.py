"""Games as rows: win rates, means by deal and by game, whole deals only."""

from dataclasses import replace

import numpy as np
import pytest

from tests.lab.statistics.made import made, played, rows_of
from w51_agents.agent.interface import AgentError

# Two deals, two seatings each, a against b and b.
TWO_DEALS = played(
    np.array([[0, 1, 1], [1, 0, 1], [0, 1, 1], [1, 0, 1]]),
    np.array([[9, 3, 6], [7, 5, 6], [8, 1, 2], [4, 4, 1]], np.int16),
    np.array([3, 3, 8, 8]),
)


def test_tied_winners_share_the_win():
    assert TWO_DEALS.wins.tolist() == [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0.5, 0.5, 0]]
    assert TWO_DEALS.equal_share == 1 / 3


def test_means_by_deal_are_over_all_seats_of_an_agent():
    assert TWO_DEALS.deal_ids.tolist() == [3, 8]
    assert TWO_DEALS.by_deal(TWO_DEALS.wins).tolist() == [[0.5, 0.25], [0.75, 0.125]]
    assert TWO_DEALS.by_deal(TWO_DEALS.scores).tolist() == [[7.0, 5.5], [6.0, 2.0]]


def test_means_by_game_are_nan_where_an_agent_did_not_sit():
    games = played(np.array([[0, 1], [1, 2]]), np.array([[5, 3], [4, 4]], np.int16), np.array([0, 0]), np.array([0, 1]))
    assert np.isnan(games.by_game(games.scores)).tolist() == [[False, False, True], [True, False, False]]
    assert games.by_game(games.scores)[1].tolist()[1:] == [4, 4]
    assert games.seat_counts.tolist() == [[1, 1, 0], [0, 1, 1]]


def test_means_are_the_same_in_parts_of_any_number_of_games(monkeypatch):
    games = made([0, 1, 2, 3], 50)
    whole = games.by_deal(games.wins), games.by_game(games.scores)
    monkeypatch.setattr("w51_lab.statistics.games._PART", 1)  # each deal is a part
    np.testing.assert_array_equal(games.by_deal(games.wins), whole[0])
    np.testing.assert_array_equal(games.by_game(games.scores), whole[1])


def test_games_of_one_line_up_keep_the_names_of_all():
    games = played(np.array([[0, 1], [1, 2]]), np.array([[5, 3], [4, 4]], np.int16), np.array([0, 0]), np.array([0, 1]))
    own = games.of_lineup(1)
    assert own.seats.tolist() == [[1, 2]]
    assert own.agents == ("a", "b", "c")


def test_the_wins_of_all_seats_sum_to_one_in_each_game():
    games = made([0, 1, 2, 3], 50)
    assert games.wins.sum(axis=1) == pytest.approx(1.0)
    assert games.by_deal(games.wins).sum(axis=1) == pytest.approx(1.0)


def test_a_deal_with_missing_games_is_an_error():
    with pytest.raises(AgentError, match="deal 8 has 1 games, but the first has 2"):
        rows_of(TWO_DEALS, slice(3))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seats": np.array([[0, 1, 2]] * 4)}, "agents 0 to 2, but 0 to 1 is allowed"),
        ({"ranks": np.ones((4, 2), np.int8)}, r"ranks: shape \(4, 2\), but \(4, 3\) is needed"),
        ({"seats": np.zeros((0, 3), np.int16)}, "games: 0"),
    ],
)
def test_arrays_that_do_not_fit_are_errors(wrong: dict, message: str):
    with pytest.raises(AgentError, match=message):
        replace(TWO_DEALS, **wrong)
