"""The summary: complete, plain, and the same figures as its parts."""

import json
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tests.lab.report.pages import invented
from tests.lab.statistics.made import made, played, rows_of
from w51_agents.agent.interface import AgentError
from w51_lab.arena.agent_statistics import AgentStatistics
from w51_lab.arena.deals import DealFacts
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import run
from w51_lab.arena.workers import InProcessExecutor
from w51_lab.behaviour.summary import BehaviourSummary
from w51_lab.report.models import FORM, Played, Stopped, Summary
from w51_lab.report.summary import summarise, summary_of
from w51_lab.report.terminal_tables import summary_tables
from w51_lab.statistics.estimates import design_effect, win_rate_intervals
from w51_lab.statistics.records import Estimate
from w51_lab.statistics.sequential import pair_differences, sequential_test

FACTS = Played(
    game="warehouse51_v1",
    options={"rival_bids": "open"},
    versions={"w51_env": "0.1.0"},
    deals=DealFacts(name="v1", count=50, digest="ab12"),
    seatings="rotations",
    seconds=1.5,
)


def summarised(games, how=FACTS, statistics=(), **more):
    """The summary of agents that made no decision, if nothing else is said."""
    return summarise(games, how, statistics or [AgentStatistics().facts] * len(games.agents), **more)


def test_a_summary_is_plain_data_and_complete():
    summary = summarised(made([0, 1, 2], 50))
    assert Summary.model_validate(json.loads(json.dumps(summary.model_dump(), allow_nan=False))) == summary
    assert (summary.form, summary.deals, summary.stopped) == (FORM, FACTS.deals, None)
    assert (summary.games, summary.players, summary.equal_share) == (150, 3, pytest.approx(1 / 3))
    assert [(pair.first, pair.second) for pair in summary.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all((pair.better in ("a", "b", "c")) == pair.decided for pair in summary.pairs)
    assert np.shape(summary.payoffs.table) == (3, 3)
    assert np.shape(summary.seats) == np.shape(summary.seat_errors) == (3, 3)
    assert "at most 5 % false claims over all pairs" in summary.better


def test_its_figures_are_those_of_the_parts():
    games = made([0, 1], 50, lineup=[0, 1, 1])
    summary = summarised(games)
    assert [agent.win_rate for agent in summary.agents] == list(map(Estimate.of, win_rate_intervals(games)))
    assert [agent.seats for agent in summary.agents] == [1, 2]
    assert summary.agents[1].score.mean == pytest.approx(games.scores[games.seats == 1].mean())
    assert summary.agents[0].rank.mean == pytest.approx(games.ranks[games.seats == 0].mean())
    by_deal = games.by_deal(games.wins)
    assert summary.pairs[0].win_rate.mean == pytest.approx((by_deal[:, 0] - by_deal[:, 1]).mean())
    assert summary.payoffs.table[0][1] == pytest.approx(summary.pairs[0].win_rate.mean)
    assert summary.design_effect.win_rate == design_effect(games, games.wins)
    assert summary.seats[0][2] == pytest.approx(games.wins[games.seats[:, 2] == 0, 2].mean())


def test_every_line_up_has_its_own_standings():
    seats = np.array([[0, 1, 1], [1, 2, 2], [0, 1, 1], [1, 2, 2]])
    scores = np.array([[9, 3, 6], [7, 5, 6], [1, 8, 2], [4, 4, 1]], np.int16)
    summary = summarised(played(seats, scores, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])))
    assert [match.lineup for match in summary.matches] == [["a", "b", "b"], ["b", "c", "c"]]
    assert [agent.name for agent in summary.matches[1].agents] == ["b", "c"]
    assert summary.matches[1].agents[0].score.mean == 5.5
    assert summary.payoffs.table[0][2] is None
    assert summary.agents[0].nash is None
    assert summary.seats[0] == [0.5, None, None]


def test_a_stopped_tournament_reports_played_and_planned_deals():
    games = made([0, 6], 1000)
    at = sequential_test(pair_differences(games)[1][:, 0], 1000).at
    summary = summarised(rows_of(games, games.deals < at), planned=1000)
    assert summary.stopped == Stopped(deals=at, of=1000, reason="all differences decided")
    assert (summary.pairs[0].decided, summary.pairs[0].better) == (True, "b")
    undecided = summarised(rows_of(made([0, 0], 1000), slice(2 * 50)), planned=1000)
    assert undecided.stopped is None
    assert (undecided.pairs[0].decided, undecided.pairs[0].better) == (False, None)


def test_manners_and_behaviour_are_passed_on():
    failed = AgentStatistics(decisions=90, failures={"errors": 1, "illegal": 0, "late": 0})
    behaviour = BehaviourSummary.model_validate(invented()["behaviour"])
    statistics = [failed.facts, AgentStatistics(decisions=80).facts]
    summary = summarised(made([0, 1], 5), statistics=statistics, behaviour=behaviour)
    assert [agent.forfeits.count for agent in summary.agents] == [1, 0]
    assert [agent.decisions for agent in summary.agents] == [90, 80]
    assert summary.behaviour is behaviour


def test_ratings_and_alpha_rank_are_added_on_request():
    pytest.importorskip("open_spiel", reason="needs the extra 'games'")
    for agent in summarised(made([0, 1], 20), ratings=True, alpha=True).agents:
        assert agent.rating.sigma > 0
        assert 0 <= agent.alpha_rank <= 1


@pytest.mark.parametrize("lineup", [[0, 1], [0, 1, 1, 1]])
def test_intervals_of_one_deal_are_unknown(lineup: list[int]):
    summary = summarised(made([0, 1], 1, lineup), planned=10)
    agent, pair = summary.agents[0], summary.pairs[0]
    assert (agent.win_rate.low, agent.win_rate.high) == (0, 1)
    assert (agent.rank.low, agent.rank.high) == (1, len(lineup))
    assert agent.score.low is agent.elo.low is summary.design_effect.win_rate is None
    assert (pair.win_rate.low, pair.win_rate.high, pair.decided) == (-1, 1, False)


def test_an_agent_alone_has_no_pairs():
    summary = summarised(made([0], 5, lineup=[0, 0]))
    assert summary.pairs == []
    assert summary.agents[0].win_rate == Estimate(mean=0.5, low=0.5, high=0.5)


def test_an_agent_without_a_game_is_an_error():
    with pytest.raises(AgentError, match="agent 'c': 0 games"):
        summarised(replace(made([0, 1], 5), agents=("a", "b", "c")))


def test_who_is_better_follows_one_rule_with_or_without_a_sequential_stop():
    """Of 20 equal agents, uncorrected intervals would name some winner in most tournaments."""
    equal = made([0] * 4, 400, seed=3)
    assert not any(pair.decided for pair in summarised(equal).pairs)
    clear = summarised(made([0, 4], 400)).pairs[0]
    assert (clear.decided, clear.better) == (True, "b")


def test_seats_have_standard_errors_by_deal():
    """Without luck of the seat the errors are those of independent draws."""
    summary = summarised(made([0, 0], 2000, luck=0.0))
    np.testing.assert_allclose(summary.seat_errors, 0.5 / np.sqrt(2000), rtol=0.1)


def test_a_seat_without_a_win_is_no_certain_difference():
    """One of 600 games won: the seat without a win has the error of games at that rate."""
    games = made([0, 10], 300, luck=1.0)
    rates, errors = (
        np.array(of_seats, float)[0] for of_seats in (summarised(games).seats, summarised(games).seat_errors)
    )
    assert 0 == rates.min() < rates.max() < 0.01
    assert (3 * errors - np.abs(rates - rates.mean())).min() >= 0


def test_payoffs_decide_where_the_game_pays_them():
    """Truthful bids in an all-pay auction are first most often and lose money."""
    spec: Any = {"game": "auctions_v0", "agents": ("truthful", "equilibrium", "half"), "format": "pairs", "games": 3000}
    plan = Plan(TournamentSpec(**spec, options={"auction": "all_pay"}))
    summary = summary_of(plan, run(plan, InProcessExecutor(plan)))
    truthful, equilibrium, _ = (agent.win_rate.mean for agent in summary.agents)
    assert truthful > equilibrium
    assert [agent.name for agent in summary.ordered] == ["equilibrium", "half", "truthful"]
    assert summary.pairs[0].better == "equilibrium"
    assert summary.agents[0].elo is None
    console = Console(width=100, record=True, file=StringIO())
    for table in summary_tables(summary, ratings=False):
        console.print(table)
    said = console.export_text()
    assert "Payoffs decide" in said
    assert "Scores are in units / 100." in " ".join(said.split())
    assert "Differences of the mean scores, paired by deal" in said
    assert "\\x" not in said
    plan = Plan(TournamentSpec(**spec, options={"auction": "all_pay", "reward": "win"}))
    assert summary_of(plan, run(plan, InProcessExecutor(plan))).pairs[0].better == "truthful"
