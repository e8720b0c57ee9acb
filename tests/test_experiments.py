"""The experiments, in small, as their pages say."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")

from experiments.exploitability import LEARNERS
from tests.commands import ROOT


@pytest.mark.slow
def test_exploitability_over_training_trains_every_learner_and_draws(tmp_path):
    small = ["--decisions=20000", "--points=2", "--seeds=1", f"--data={tmp_path / 'found.json'}"]
    command = [sys.executable, "-m", "experiments.exploitability", *small, f"--figure={tmp_path / 'figure'}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)
    found = json.loads((tmp_path / "found.json").read_text())
    assert [curve["learner"] for curve in found["curves"]] == list(LEARNERS)
    for curve in found["curves"]:
        assert [row["decisions"] >= due for row, due in zip(curve["points"], (10_000, 20_000), strict=True)] == [
            True
        ] * 2
        assert 0 < curve["points"][-1]["mixture"] < 2 / 3
    assert found["cfr"] < 0.001 < found["uniform"]
    assert (tmp_path / "figure.png").stat().st_size > 10_000
    assert (tmp_path / "figure.pdf").is_file()
