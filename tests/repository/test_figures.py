"""Figures of the documentation: each is in a file of benchmarks/results, and one command measures all of them anew."""

import json

import pytest
import typer

from benchmarks import update
from benchmarks.renew import MEASUREMENTS, main
from docs import _strength
from docs._generators import benchmarks, figures
from tests.commands import ROOT, invoke, printed_by, succeeded

RESULTS = ROOT / "benchmarks" / "results"


def test_the_command_lists_every_measurement():
    app = typer.Typer()
    app.command()(main)
    listed, _ = succeeded(invoke(app, "--list"))
    assert [line.split()[0] for line in listed.splitlines()] == [one.name for one in MEASUREMENTS]


@pytest.mark.parametrize(
    ("written", "found"), [("It makes 3.2 M steps per second.", ["3.2 M steps per second"]), ("It has 12 rooms.", [])]
)
def test_a_speed_typed_by_hand_is_a_problem(written, found, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(f"{written}\n\n<!-- table: speed -->\n9 ms\n<!-- end -->\n", "utf-8")
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "PAGES", [page])
    assert [*figures._typed()] == [f"page.md: {one} is measured, and no file has it" for one in found]


def test_a_file_of_figures_of_another_history_is_a_problem(tmp_path, monkeypatch):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "a.json").write_text('{"machine": {"commit": "0000000"}}', "utf-8")
    (tmp_path / "b.json").write_text('{"machine": {}}', "utf-8")
    monkeypatch.setattr(figures, "ROOT", tmp_path)
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    monkeypatch.setattr(figures, "_history", lambda: ["1" * 40])
    assert [one.split(";")[0] for one in figures._commits()] == [
        "a.json: 0000000 is no commit of this history",
        "b.json: names no commit",
    ]


def test_the_steps_of_an_update_that_are_timed_exist():
    assert [step for (owner, name), step in update.STEPS.items() if not callable(getattr(owner, name, None))] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["isolation", "openspiel", "pretrained", "pictures"])
def test_a_short_measurement_writes_its_file_elsewhere(name, tmp_path):
    if name == "openspiel":
        pytest.importorskip("pyspiel", reason="needs the extra 'games'")
    before = (RESULTS / f"{name}.json").read_bytes()
    printed_by("-m", "benchmarks.renew", name, "--short", tmp_path)
    made, kept = (json.loads(text) for text in ((tmp_path / f"{name}.json").read_bytes(), before))
    assert made.keys() == kept.keys()
    assert (RESULTS / f"{name}.json").read_bytes() == before


def test_the_strength_in_the_readme_is_that_of_the_matches_and_its_figure_follows_the_theme():
    rates = _strength.rates_of([json.loads((RESULTS / f"{name}.json").read_text()) for name in _strength.RESULTS])
    changed = {**rates, ("pretrained", "heuristic"): {"win_rate": 0.615, "low": 0.6, "high": 0.63}}
    texts = [benchmarks.strength(one) for one in (rates, changed)]
    assert texts[0] in (ROOT / "README.md").read_text("utf-8")
    assert "they win 62, " in texts[1].replace("\n", " ") != texts[0].replace("\n", " ")
    assert len(texts[0].splitlines()) <= 6
    drawn = _strength.figure(rates).decode()
    assert "prefers-color-scheme: dark" in drawn
    assert drawn.count("var(--ink)") > 10
    assert "#1d2126" not in drawn.partition("</style>")[2]
