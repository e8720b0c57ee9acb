"""Figures are written to files whatever MPLBACKEND says: programs inherit that of the notebook they start from."""

import pytest

pytest.importorskip("matplotlib", reason="needs the extra 'arena'")
pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")

from tests.extras import run_with

# Matplotlib finds the backends of other packages by their metadata, which `tests.extras` does not hide.
NO_BACKENDS = "from importlib import metadata; metadata.entry_points = lambda **_: metadata.EntryPoints()\n"
COMMAND = "from w51_env.commands import main; main(sys.argv[1:])"
SMALL = "decisions=512 num_envs=8 ppo.num_steps=16 ppo.minibatch_size=64 evaluation.games=8"
CURVES = "decisions,seconds,players,against,games,mean_score,win_rate,low,high\n0,1,4,random,100,9,0.2,0.1,0.3\n"


@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline", "inline"])
def test_a_figure_is_drawn_with_any_backend(tmp_path, monkeypatch, backend):
    monkeypatch.setenv("MPLBACKEND", backend)
    (tmp_path / "strength.csv").write_text(CURVES)
    done = run_with(
        "train,arena", f"{NO_BACKENDS}import sys; {COMMAND}", "curves", tmp_path, "--out", tmp_path / "a.svg"
    )
    assert (done.returncode, done.stdout.strip()) == (0, f"Figure: {tmp_path / 'a.svg'}"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        "import docs._generators.scale as scale, docs._generators.leaderboard as board; scale.files(), board.files()",
        """
from benchmarks import ablations
ablations.PICTURE = Path(sys.argv[1])
ablations.draw({"a": {"1": {"decisions": [0, 9], "win_rate": [0.1, 0.2]}}}, 9)""",
        "import experiments.psro",
    ],
)
def test_what_else_draws_needs_no_backend(tmp_path, monkeypatch, program):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    done = run_with(
        "train,arena,games,experiments",
        f"{NO_BACKENDS}import sys; from pathlib import Path\n{program}",
        tmp_path / "a.png",
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [f"train --config quick {SMALL}", "evaluate heuristic random --games 4 --out found"]
)
def test_a_command_ends_with_its_figures(tmp_path, monkeypatch, command):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    program = f"{NO_BACKENDS}import os, sys; os.chdir({str(tmp_path)!r}); {COMMAND}"
    done = run_with("train,arena", program, *command.split())
    assert done.returncode == 0, done.stderr
    assert [*tmp_path.rglob("*.png")]
