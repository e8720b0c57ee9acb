"""Names of agents and messages that mean harm to a spreadsheet, a terminal or a file."""

import csv

import pytest

from tests.lab.behaviour.behaviour_matches import recorded_bots
from tests.lab.report.pages import NO_FORFEITS, invented
from w51_agents.agent.interface import AgentError
from w51_agents.console.terminal import printable
from w51_agents.system.files import csv_text
from w51_agents.training.config import load_config
from w51_agents.training.log import rounded
from w51_env.engine.errors import W51Error
from w51_env.engine.registry import make_game
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.behaviour import write_behaviour
from w51_lab.report.models import Summary
from w51_lab.report.sentences import failure_lines, forfeited_most
from w51_lab.report.values import with_interval
from w51_lab.statistics.records import Estimate


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1"])
def test_no_cell_of_a_csv_file_begins_like_a_formula(name: str, tmp_path):
    assert csv_text(name) == f"'{name}"
    assert rounded({"against": name})["against"] == f"'{name}"
    game = make_game("alles_futsch_v1", num_players=2)
    _, tables = recorded_bots(game, ["random", "heuristic"], 3)
    write_behaviour(game, [name, "other"], [tables], tmp_path)
    with (tmp_path / "seats.csv").open() as file:
        assert {row["agent"] for row in csv.DictReader(file)} == {f"'{name}", "other"}


def test_a_terminal_shows_escape_codes_and_does_not_act_on_them():
    assert printable("a\x1b[2Jb\x07\udcff\u202e") == r"a\x1b[2Jb\x07\udcff\u202e"
    assert printable("é 中\nb\u200d\u3164") == "é 中\nb\\u200d\\u3164"
    summary = Summary.model_validate(invented(("random", "bad\x1b")))  # the second one fails
    failed = summary.agents[1].forfeits.model_copy(update={"first": "Error: \x1b[2J\nmore"})
    agents = [summary.agents[0], summary.agents[1].model_copy(update={"forfeits": failed})]
    (line,) = failure_lines(summary.model_copy(update={"agents": agents}))
    assert "\x1b" not in line
    assert r"First failure: Error: \x1b[2J" in line
    assert "more" not in line.split("First failure")[1]


def test_a_table_says_whose_decisions_were_mostly_drawn():
    data = invented(("bad", "good"))
    for agent, fraction in zip(data["agents"], (0.93, 0.5), strict=True):
        agent["forfeits"] = {**NO_FORFEITS, "fraction": fraction}
    bad, good = Summary.model_validate(data).agents
    assert forfeited_most(bad) == "bad: 93% of its decisions were drawn at random, so its results are not its own."
    assert forfeited_most(good) == ""


@pytest.mark.parametrize("name", ["x" * 5000, "a/" * 3000, "\udcff", "a\0b", "\x1b[2J", "sb3:\0.zip", "a:\nb"])
def test_a_name_that_no_file_can_have_is_an_error_in_words(name: str):
    with pytest.raises(AgentError, match=r"agent|checkpoint .*: there is no such file or folder"):
        Plan(TournamentSpec(agents=(name, "random"), games=4, trust=True))


@pytest.mark.parametrize("text", ["[" * 1_000, "{b: " * 1_000])
def test_a_deeply_nested_change_of_a_config_is_an_error_in_words(text: str):
    with pytest.raises(W51Error, match=r"change .* not valid YAML"):
        load_config("quick", [f"seed={text}"])


def test_an_interval_that_is_not_symmetric_is_shown_as_it_is():
    shown = with_interval(Estimate(mean=1.0, low=1.0, high=2.19)).replace("\N{NO-BREAK SPACE}", " ")
    assert shown == "1.00 (1.00 to 2.19)"
