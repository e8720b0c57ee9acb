"""Figures are written to files whatever MPLBACKEND says: programs inherit that of the notebook they start from."""

import os

import pytest

from tests.extras import run_with
from w51_lab import figure_backend
from w51_lab.figure_backend import VARIABLE, drop_missing_backend

# Matplotlib finds the backends of other packages by their metadata, which `tests.extras` does not hide.
NO_BACKENDS = "from importlib import metadata; metadata.entry_points = lambda **_: metadata.EntryPoints()\n"
COMMAND = "from w51_agents.console.w51 import main; main(sys.argv[1:])"
SMALL = "decisions=512 num_envs=8 ppo.num_steps=16 ppo.minibatch_size=64 evaluation.games=8"
CURVES = "decisions,seconds,players,against,games,mean_score,win_rate,low,high\n0,1,4,random,100,9,0.2,0.1,0.3\n"
INLINE = "module://matplotlib_inline.backend_inline"


@pytest.mark.parametrize(
    ("backend", "installed", "kept"),
    [(INLINE, False, False), ("inline", False, False), (INLINE, True, True), ("agg", False, True), ("", False, True)],
)
def test_a_backend_of_a_package_that_is_not_installed_is_forgotten(monkeypatch, backend, installed, kept):
    monkeypatch.setenv(VARIABLE, backend)
    monkeypatch.setattr(figure_backend, "find_spec", lambda name: object() if installed else None)
    drop_missing_backend()
    assert (os.environ.get(VARIABLE) == backend) == kept


DRAWINGS = f"""{NO_BACKENDS}
import sys
from pathlib import Path
from benchmarks import ablations
from docs._generators import leaderboard, scale
import experiments.psro
scale.files(), leaderboard.files()
ablations.PICTURE = Path(sys.argv[1])
ablations.draw({{"a": {{"1": {{"decisions": [0, 9], "win_rate": [0.1, 0.2]}}}}}}, 9)
"""


@pytest.mark.slow
def test_what_else_draws_needs_no_backend(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, INLINE)
    done = run_with("train,arena,games,experiments", DRAWINGS, tmp_path / "a.png")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [f"train --config quick {SMALL}", "evaluate heuristic random --games 4 --out found", "curves . --out a.png"],
)
def test_a_command_ends_with_its_figures(tmp_path, monkeypatch, command):
    monkeypatch.setenv(VARIABLE, INLINE)
    (tmp_path / "strength.csv").write_text(CURVES)
    program = f"{NO_BACKENDS}import os, sys; os.chdir({str(tmp_path)!r}); {COMMAND}"
    done = run_with("train,arena", program, *command.split())
    assert done.returncode == 0, done.stderr
    assert [*tmp_path.rglob("*.png")]
