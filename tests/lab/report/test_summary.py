"""The summary: complete, plain, and the same figures as its parts."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.lab.statistics.made import made, played, rows_of
from w51_agents.agent.interface import AgentError
from w51_lab.report.summary import SCHEMA, summarise
from w51_lab.statistics.estimates import design_effect, win_rate_intervals
from w51_lab.statistics.sequential import pair_differences, sequential_test

FACTS = {
    "game": "warehouse51_v1",
    "options": {"rival_bids": "open"},
    "versions": {"w51_env": "0.1.0"},
    "deals": {"name": "v1", "digest": "ab12"},
    "seatings": "rotations",
    "seconds": 1.5,
}
ENDS = {"mean", "low", "high"}


def test_a_summary_has_all_documented_keys():
    summary = json.loads(json.dumps(summarise(made([0, 1, 2], 50), FACTS), allow_nan=False))
    assert summary["schema"] == SCHEMA == 2
    played = {"game", "options", "players", "versions", "deals", "seatings", "games", "seconds", "matches", "stopped"}
    figures = {"equal_share", "confidence", "better", "agents", "pairs", "payoffs", "design_effect"}
    assert summary.keys() == {"schema", *played, *figures, "seats", "seat_errors"}
    assert summary["deals"] == {"name": "v1", "digest": "ab12", "count": 50}
    assert (summary["games"], summary["players"], summary["equal_share"]) == (150, 3, pytest.approx(1 / 3))
    for agent in summary["agents"]:
        assert agent.keys() == {"name", "seats", "games", "win_rate", "score", "rank", "elo", "nash", "nash_skill"}
        assert all(agent[figure].keys() == ENDS for figure in ("win_rate", "score", "rank", "elo"))
    assert [(pair["first"], pair["second"]) for pair in summary["pairs"]] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(
        (pair["better"] in ("a", "b", "c")) == pair["decided"] and pair["score"].keys() == ENDS
        for pair in summary["pairs"]
    )
    assert np.shape(summary["payoffs"]["table"]) == (3, 3)
    assert np.shape(summary["seats"]) == np.shape(summary["seat_errors"]) == (3, 3)
    assert "at most 5 % false claims over all pairs" in summary["better"]
    assert summary["stopped"] is None


def test_its_figures_are_those_of_the_parts():
    games = made([0, 1], 50, lineup=[0, 1, 1])
    summary = summarise(games, FACTS)
    assert [tuple(agent["win_rate"].values()) for agent in summary["agents"]] == win_rate_intervals(games)
    assert [agent["seats"] for agent in summary["agents"]] == [1, 2]
    assert summary["agents"][1]["score"]["mean"] == pytest.approx(games.scores[games.seats == 1].mean())
    assert summary["agents"][0]["rank"]["mean"] == pytest.approx(games.ranks[games.seats == 0].mean())
    by_deal = games.by_deal(games.wins)
    assert summary["pairs"][0]["win_rate"]["mean"] == pytest.approx((by_deal[:, 0] - by_deal[:, 1]).mean())
    assert summary["payoffs"]["table"][0][1] == pytest.approx(summary["pairs"][0]["win_rate"]["mean"])
    assert summary["design_effect"]["win_rate"] == design_effect(games, games.wins)
    assert summary["seats"][0][2] == pytest.approx(games.wins[games.seats[:, 2] == 0, 2].mean())


def test_every_line_up_has_its_own_standings():
    seats = np.array([[0, 1, 1], [1, 2, 2], [0, 1, 1], [1, 2, 2]])
    scores = np.array([[9, 3, 6], [7, 5, 6], [1, 8, 2], [4, 4, 1]], np.int16)
    summary = summarise(played(seats, scores, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])), FACTS)
    assert [match["lineup"] for match in summary["matches"]] == [["a", "b", "b"], ["b", "c", "c"]]
    assert [agent["name"] for agent in summary["matches"][1]["agents"]] == ["b", "c"]
    assert summary["matches"][1]["agents"][0]["score"]["mean"] == 5.5
    assert summary["payoffs"]["table"][0][2] is None
    assert "nash" not in summary["agents"][0]
    assert summary["seats"][0] == [0.5, None, None]


def test_a_stopped_tournament_reports_played_and_planned_deals():
    games = made([0, 6], 1000)
    at = sequential_test(pair_differences(games)[1][:, 0], 1000).at
    summary = summarise(rows_of(games, games.deals < at), FACTS, planned=1000)
    assert summary["stopped"] == {"deals": at, "of": 1000, "reason": "all differences decided"}
    assert (summary["pairs"][0]["decided"], summary["pairs"][0]["better"]) == (True, "b")
    undecided = summarise(rows_of(made([0, 0], 1000), slice(2 * 50)), FACTS, planned=1000)
    assert undecided["stopped"] is None
    assert (undecided["pairs"][0]["decided"], undecided["pairs"][0]["better"]) == (False, None)


def test_manners_and_behaviour_are_passed_on():
    statistics = [
        {"forfeits": {"errors": 1, "illegal": 0, "late": 0, "first": "boom"}, "decisions": 90},
        {"decisions": 80},
    ]
    summary = summarise(made([0, 1], 5), FACTS, statistics, behaviour={"pawned": [0.5, 0.25]})
    assert summary["agents"][0]["forfeits"]["first"] == "boom"
    assert [agent["decisions"] for agent in summary["agents"]] == [90, 80]
    assert summary["behaviour"] == {"pawned": [0.5, 0.25]}


def test_ratings_and_alpha_rank_are_added_on_request():
    pytest.importorskip("open_spiel", reason="needs the extra 'games'")
    for agent in summarise(made([0, 1], 20), FACTS, ratings=True, alpha=True)["agents"]:
        assert agent["rating"].keys() == {"mu", "sigma"}
        assert 0 <= agent["alpha_rank"] <= 1


@pytest.mark.parametrize("lineup", [[0, 1], [0, 1, 1, 1]])
def test_intervals_of_one_deal_are_unknown(lineup: list[int]):
    summary = json.loads(json.dumps(summarise(made([0, 1], 1, lineup), FACTS, planned=10), allow_nan=False))
    agent, pair = summary["agents"][0], summary["pairs"][0]
    assert (agent["win_rate"]["low"], agent["win_rate"]["high"]) == (0, 1)
    assert (agent["rank"]["low"], agent["rank"]["high"]) == (1, len(lineup))
    assert agent["score"]["low"] is agent["elo"]["low"] is summary["design_effect"]["win_rate"] is None
    assert (pair["win_rate"]["low"], pair["win_rate"]["high"], pair["decided"]) == (-1, 1, False)


def test_an_agent_alone_has_no_pairs():
    summary = summarise(made([0], 5, lineup=[0, 0]), FACTS)
    assert summary["pairs"] == []
    assert summary["agents"][0]["win_rate"] == {"mean": 0.5, "low": 0.5, "high": 0.5}


def test_an_agent_without_a_game_is_an_error():
    with pytest.raises(AgentError, match="agent 'c': 0 games"):
        summarise(replace(made([0, 1], 5), agents=("a", "b", "c")), FACTS)


def test_who_is_better_follows_one_rule_with_or_without_a_sequential_stop():
    """Of 20 equal agents, uncorrected intervals would name some winner in most tournaments."""
    equal = made([0] * 4, 400, seed=3)
    assert not any(pair["decided"] for pair in summarise(equal, FACTS)["pairs"])
    clear = summarise(made([0, 4], 400), FACTS)["pairs"][0]
    assert (clear["decided"], clear["better"]) == (True, "b")


def test_seats_have_standard_errors_by_deal():
    """Without luck of the seat the errors are those of independent draws."""
    summary = summarise(made([0, 0], 2000, luck=0.0), FACTS)
    assert np.allclose(summary["seat_errors"], 0.5 / np.sqrt(2000), rtol=0.1)


def test_a_seat_without_a_win_is_no_certain_difference():
    """One of 600 games won: the seat without a win has the error of games at that rate."""
    games = made([0, 10], 300, luck=1.0)
    rates, errors = (np.array(summarise(games, FACTS)[key], float)[0] for key in ("seats", "seat_errors"))
    assert 0 == rates.min() < rates.max() < 0.01
    assert (np.abs(rates - rates.mean()) <= 3 * errors).all()
