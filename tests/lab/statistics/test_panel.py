"""An agent in populations of others: mixtures that are played, both directions, and what follows of them."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from tests.lab.arena.small import finish
from w51_agents import AgentError
from w51_lab.arena.plan import Plan
from w51_lab.arena.seatings import line_ups
from w51_lab.arena.spec import TournamentSpec
from w51_lab.arena.tournament import TournamentResult
from w51_lab.report.figures import marks
from w51_lab.report.strength_figures import draw_panel
from w51_lab.report.summary import summary_of
from w51_lab.report.terminal_tables import summary_tables
from w51_lab.statistics.panel import PanelMeans, panel_results


def played(*agents: str, players: int = 4, games: int = 1200, options=None, **changes) -> tuple[Plan, TournamentResult]:
    options = {"num_players": players, **(options or {})}
    spec = TournamentSpec(agents=agents, options=options, games=games, seed=3, format="panel", **changes)
    plan = Plan(spec)
    return plan, finish(plan)


def test_the_first_agent_plays_in_every_mixture_with_each_other_one():
    assert line_ups("panel", 3, 4, 0).tolist() == [
        *([0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]),
        *([0, 2, 2, 2], [0, 0, 2, 2], [0, 0, 0, 2]),
    ]
    assert line_ups("panel", 2, 2, 0).tolist() == [[0, 1]]
    with pytest.raises(AgentError, match="agents: 1, but panel need at least 2"):
        line_ups("panel", 1, 4, 0)


@pytest.mark.parametrize(
    ("game", "players"), [("warehouse51_v1", 3), ("warehouse51_v1", 5), ("alles_futsch_v1", 2), ("alles_futsch_v1", 4)]
)
def test_its_figures_are_means_over_the_games_of_each_population(game, players):
    plan, found = played("heuristic", "random", players=players, games=800, game=game)
    panel = panel_results(found.games)
    (member,) = panel.members
    assert (panel.agent, member.name) == ("heuristic", "random")
    assert [population.seats for population in member.populations] == list(range(1, players))
    own, seats = found.games.seats == 0, (found.games.seats == 0).sum(axis=1)
    for population in member.populations:
        games = seats == population.seats
        assert population.result.mean == pytest.approx(found.games.wins[games][own[games]].mean())
        assert population.member_result.mean == pytest.approx(found.games.wins[games][~own[games]].mean())
    rates = [population.result.mean for population in member.populations]
    assert member.invasion == member.populations[0].result
    assert member.resistance == member.populations[-1].member_result
    assert member.strength.mean == pytest.approx(np.mean(rates))
    assert (member.half is None) == (players < 4)
    assert players < 4 or member.half.mean == pytest.approx(np.mean(rates[1:-1]))
    assert (member.invades, member.resists) == (True, True)
    assert summary_of(plan, found).panel == panel


def test_the_means_are_those_over_the_members_and_have_intervals():
    _, found = played("heuristic", "random", "heuristic")
    panel = panel_results(found.games)
    assert [member.name for member in panel.members] == ["random", "heuristic (2)"]
    for key in PanelMeans.model_fields:
        mean = getattr(panel, key)
        assert mean.mean == pytest.approx(np.mean([getattr(member, key).mean for member in panel.members]))
        assert mean.low < mean.mean < mean.high
    copy = panel.members[1]
    assert (copy.invades, copy.resists) == (None, None)


def test_a_weak_agent_neither_invades_nor_resists():
    (member,) = panel_results(played("random", "heuristic", players=3, games=600)[1].games).members
    assert (member.invades, member.resists) == (False, False)


def test_where_payoffs_decide_populations_are_compared_by_what_they_earn_and_not_by_wins():
    options = {"auction": "all_pay"}
    plan, found = played("truthful", "equilibrium", players=3, games=900, game="auctions_v0", options=options)
    assert plan.lineups.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    panel = panel_results(found.games)
    (member,) = panel.members
    alone = found.games.of_lineup(1)
    own = alone.seats == 0
    assert alone.wins[own].mean() > 0.4  # it is first more often than an equal share, and loses money
    assert member.invasion.mean == pytest.approx(alone.scores[own].mean())
    assert member.invasion.high < member.own.low
    assert (member.invades, member.resists) == (False, False)
    assert panel.own.mean == pytest.approx(found.games.of_lineup(3).scores.mean())
    summary = summary_of(plan, found)
    text = str(summary_tables(summary, ratings=False)[-1].caption)
    assert "mean score" in text
    assert "win rate" not in text
    assert draw_panel(summary, marks([agent.name for agent in summary.agents]))


def test_the_table_has_a_row_for_each_member_and_one_for_their_mean():
    table = summary_tables(summary_of(*played("heuristic", "random", "heuristic", games=960)), ratings=False)[-1]
    rows = list(zip(*(list(column.cells) for column in table.columns), strict=True))
    assert [str(row[0]) for row in rows] == ["random", "heuristic (2)", "mean"]
    assert [tuple(map(str, row[-2:])) for row in rows] == [("yes", "yes"), ("?", "?"), ("", "")]
    assert "equal share (25.0%)" in str(table.caption)


def test_names_of_13_letters_are_whole_in_a_table_of_80_columns():
    summary = summary_of(*played("heuristic", "pretrained-v1=random", "first=random", games=96))
    console = Console(width=80, file=StringIO())
    console.print(summary_tables(summary, ratings=False)[-1])
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[3:6]] == ["pretrained-v1", "first", "mean"]


def test_two_populations_fill_the_width_of_their_figure():
    summary = summary_of(*played("heuristic", "random", "first=random", games=96))
    (drawing,) = draw_panel(summary, marks([agent.name for agent in summary.agents]))
    drawing.figure.draw_without_rendering()
    assert max(axes.get_position().x1 for axes in drawing.figure.axes) > 0.95
