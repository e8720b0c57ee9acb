"""Agents with a name in tables, classes with arguments, functions as agents, and tables for papers: as a user types."""

import csv
import json
import sys

import numpy as np
import pytest

from tests.commands import invoke, refused, succeeded
from w51_agents import make_agent
from w51_agents.agent.interface import AgentError
from w51_agents.named.registry import split_label
from w51_env import make_game
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec
from w51_lab.commands.evaluate import app
from w51_lab.report.exports import write_table
from w51_lab.report.models import Summary

CODE = """
import numpy as np
from w51_agents import BatchAgent


class Mine(BatchAgent):
    def __init__(self, game, path="", rate=0.0, greedy=False):
        self.given = (path, rate, greedy)

    def reset(self, seed):
        pass

    def act_batch(self, observations, action_masks, infos=None):
        return action_masks.argmax(axis=1)


def policy(observation, mask, last=True):
    return np.flatnonzero(mask)[-1 if last else 0]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "own_agents_of_tests.py").write_text(CODE)
    (tmp_path / "w.bin").write_bytes(b"weights")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "own_agents_of_tests", raising=False)
    return tmp_path


def test_a_class_gets_its_arguments_and_a_function_is_an_agent(folder):
    game = make_game("warehouse51_v1")
    mine = make_agent("own_agents_of_tests:Mine,path=a/b.bin,rate=0.5,greedy=true", game)
    assert mine.given == ("a/b.bin", 0.5, True)
    for name, chosen in (("policy", 3), ("policy,last=false", 1)):
        agent = make_agent(f"own_agents_of_tests:{name}", game)
        mask = [0] * len(game.actions)
        mask[1] = mask[3] = 1
        observations = np.zeros((2, game.layout.size), np.int8)
        assert agent.act_batch(observations, np.array([mask, mask])).tolist() == [chosen] * 2


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_agents_of_tests:Mine,path", "'path', but key=value is needed"),
        ("own_agents_of_tests:Mine,rate=1,rate=2", "rate is given twice"),
        ("own_agents_of_tests:Mine,pth=x", "unexpected keyword argument 'pth'"),
        ("own_agents_of_tests:policy,lst=1", "unexpected keyword argument 'lst'"),
        ("own_agents_of_tests:Nobody,path=x", "cannot be made: AttributeError"),
    ],
)
def test_wrong_arguments_are_named(folder, name, message):
    with pytest.raises((AgentError, TypeError), match=message):
        make_agent(name, make_game("warehouse51_v1")).act(np.zeros(1), np.ones(1))


@pytest.mark.parametrize("label", ["$mine", "my$net", "2nd", "「甲」", "my bot (new)", " mine", "", "a" * 41])
def test_a_label_that_is_none_is_named(label):
    said = f"its label is {label!r}, but a letter is needed"
    refused(invoke(app, f"{label}=random", "heuristic", "--games", 8), said)
    for name in ("机器人", "my net", "Käthe-2.0"):
        assert split_label(f"{name}=heuristic") == (name, "heuristic")


def test_a_label_is_no_part_of_the_agent(folder):
    assert split_label("mine=own_agents_of_tests:Mine,path=x") == ("mine", "own_agents_of_tests:Mine,path=x")
    assert split_label("search:playouts=50") == ("", "search:playouts=50")
    assert split_label("runs/a=b") == ("", "runs/a=b")
    (folder / "a=b.safetensors").touch()
    assert split_label("a=b.safetensors") == ("", "a=b.safetensors")
    plan = Plan(TournamentSpec(agents=("one=random", "random", "my net=heuristic"), games=8, seed=1))
    assert plan.names == ("one", "random", "my net")
    assert plan.spec.agents == ("random", "random", "heuristic")
    for letter in "\x1b\u202e\u2066\u200b\u200d\ufeff\u00ad\u3164":  # of a terminal, of direction, of no width
        with pytest.raises(AgentError, match="the letters of a name must be visible"):
            Plan(TournamentSpec(agents=("random", "heuristic"), names=(f"a{letter}", ""), games=8))


def test_tables_of_a_tournament_in_every_form_and_its_resumption(folder):
    agents = ["mine=own_agents_of_tests:Mine,path=w.bin", "a_b=own_agents_of_tests:policy", "random"]
    line = (*agents, "--players", 3, "--games", 12, "--workers", 1)
    printed, _ = succeeded(invoke(app, *line, "--json", "-", "--table", "t.tex", "--out", "cup"))
    summary = json.loads(printed)
    assert [agent["name"] for agent in summary["agents"]] == ["mine", "a_b", "random"]
    for suffix in ("csv", "md"):
        write_table(Summary.model_validate(summary), folder / f"t.{suffix}")
    with (folder / "t.csv").open() as file:
        rows = {row["agent"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"mine", "a_b", "random"}
    assert sum(float(row["win_rate"]) for row in rows.values()) == pytest.approx(1)
    assert "| mine | 12 |" in (folder / "t.md").read_text()
    tex = (folder / "t.tex").read_text()
    assert r"a\_b & 12 & " in tex
    assert tex.count("\\\\") == 4
    classes = [name.partition("=")[2] for name in agents[:2]]
    kept = json.loads((folder / "cup" / "tournament.json").read_text())["files"][classes[0]]
    assert [file["path"].rpartition("/")[2] for file in kept] == ["own_agents_of_tests.py", "w.bin"]
    (folder / "w.bin").write_bytes(b"others")
    allowed = [part for name in classes for part in ("--allow", name)]
    errors = refused(invoke(app, "--resume", "cup", *allowed))
    assert "w.bin was" in errors.replace("\n", " ")
    assert "allowed are .csv, .md, .tex" in invoke(app, *line, "--table", "t.doc")[2]
