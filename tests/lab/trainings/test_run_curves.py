"""Learning curves of several runs in one figure."""

import numpy as np
import pytest

from tests.commands import invoke, refused
from w51_agents.training.run_facts import MatchRow
from w51_lab.commands.curves import app
from w51_lab.trainings import curves
from w51_lab.trainings.curves import read_curves

HEADER = "decisions,seconds,players,against,games,mean_score,win_rate,low,high"


def log(folder, *rates: float) -> None:
    folder.mkdir(parents=True)
    lines = [
        f"{1000 * k},{k}.5,4,random,100,9.5,{rate},{rate - 0.1:.2f},{rate + 0.1:.2f}" for k, rate in enumerate(rates)
    ]
    (folder / "strength.csv").write_text("\n".join([HEADER, *lines, ""]))


def test_the_axis_of_win_rates_fits_the_best_responses_and_the_equal_share(tmp_path, monkeypatch):
    rates = {"cold": (0.19, 0.27), "warm": (0.25, 0.26)}
    rows = [
        MatchRow(1000 * k, k, players, kind, 400, 9.5, rate, rate - 0.01, rate + 0.01)
        for players in (3, 4)
        for kind in rates
        for k, rate in enumerate(rates[kind])
    ]
    figures = []
    monkeypatch.setattr(curves, "save_figure", lambda figure, path: figures.append(figure))
    curves.draw_strength(rows, "Best responses", tmp_path / "exploit.png")
    assert [text.get_text() for text in figures[0].legends[0].texts] == [*rates]  # beside no curve
    for axes, equal_share in zip(figures[0].axes, (1 / 3, 1 / 4), strict=True):
        low, high = axes.get_ylim()
        assert 0.1 < low < 0.18
        assert equal_share < high < 0.4


def test_a_run_and_runs_of_several_seeds_are_read(tmp_path):
    log(tmp_path / "one", 0.2, 0.3)
    log(tmp_path / "seeds" / "1", 0.2, 0.5)
    log(tmp_path / "seeds" / "2", 0.4, 0.7)
    assert [len(read_curves("x", tmp_path / name).by_run) for name in ("one", "seeds")] == [1, 2]
    seeds = read_curves("x", tmp_path / "seeds")
    assert seeds.pairs == [(4, "random")]
    seconds, rates, low, _ = seeds.lines(4, "random", "seconds")[1]
    np.testing.assert_allclose([seconds, rates, low], [[0.5, 1.5], [0.4, 0.7], [0.3, 0.6]])
    assert seeds.lines(3, "random", "seconds") == []


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_the_figure_has_all_runs(tmp_path, suffix):
    log(tmp_path / "one", 0.2, 0.3)
    log(tmp_path / "seeds" / "1", 0.2, 0.5)
    log(tmp_path / "seeds" / "2", 0.4, 0.7)
    out = tmp_path / f"curves.{suffix}"
    status, printed, _ = invoke(app, f"mine={tmp_path / 'one'}", tmp_path / "seeds", "--out", out, "--over", "seconds")
    assert (status, printed.strip()) == (0, f"Figure: {out}")
    assert out.stat().st_size > 5000
    if suffix == "svg":
        assert all(f"<!-- {label} -->" in out.read_text() for label in ("mine", "seeds, 2 runs"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none"], "run none: there is no such folder"),
        (["empty"], "run empty: no strength.csv"),
        (["empty"], "with evaluation.decisions=N every N decisions"),
        (["bad"], "damaged, or no log of matches"),
        (["good", "--out", "curves.gif"], "'.gif', but allowed are .png, .pdf, .svg"),
        (["good", "--out", "none/curves.png"], "cannot be written: there is no folder none"),
        (["good", "--over", "games"], "--over games: but allowed are decisions, seconds"),
        (9 * ["good"], "runs: 9, but a figure has 8 colours"),
    ],
)
def test_what_cannot_be_drawn_is_an_error(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    log(tmp_path / "good", 0.2)
    log(tmp_path / "bad", 0.2)
    (tmp_path / "bad" / "strength.csv").write_text("decisions,players\n1,x\n")
    refused(invoke(app, *arguments), message)
