"""Matches while training: against earlier states of the learner; payoffs where these decide."""

import csv
import io

import pytest

from tests.commands import invoke, refused
from w51_lab.commands.curves import app as curves
from w51_lab.commands.train import app

SMALL = ["selfplay.games=[{num_players: 2, num_envs: 64, opponents: self}]", "evaluation.games=40",
         "evaluation.decisions=1280", "evaluation.games_while_training=20", "decisions=5120"]  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    changes = [*SMALL, "evaluation.earlier=2", "evaluation.against=[random, half]", f"runs={folder}"]
    status, printed, _ = invoke(app, "--config", "auctions_quick", *changes)
    assert status == 0, printed
    return folder / "auctions_quick", printed


def rows_of(folder):
    return list(csv.DictReader(io.StringIO((folder / "strength.csv").read_text())))


def test_earlier_states_of_the_learner_are_opponents_of_later_ones(trained):
    rows = rows_of(trained[0])
    found = {row["decisions"]: [] for row in rows}
    for row in rows:
        found[row["decisions"]].append(row["against"])
    first, second, third, fourth = found.values()
    assert first == ["random", "half"]
    assert second == [*first, "earlier 1"]
    assert third == fourth == [*second, "earlier 2"]
    assert len(list((trained[0] / "earlier").iterdir())) == 2


def test_where_payoffs_decide_tables_logs_and_curves_are_of_payoffs(trained, tmp_path):
    folder, printed = trained
    rows = rows_of(folder)
    assert {row["decides"] for row in rows} == {"payoff"}
    assert all(float(row["low"]) <= float(row["mean_score"]) <= float(row["high"]) for row in rows)
    assert "Payoffs decide" in " ".join(printed.split())
    assert "win rate" in printed  # a column; the interval is of the scores
    status, printed, _ = invoke(curves, folder, "--out", tmp_path / "curves.svg")
    assert (status, "mean score" in (tmp_path / "curves.svg").read_text()) == (0, True), printed


def test_responses_are_not_measured_by_wins_where_payoffs_decide():
    changes = [
        "game=auctions_v0",
        "options.reward=payoff",
        "selfplay.base_policy=null",
        "selfplay.heuristic_features=false",
    ]
    refused(invoke(app, "--exploit", "half", *changes), "in auctions_v0 the payoff decides")
