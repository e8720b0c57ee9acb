"""bin/quickstart, run as a program with short training."""

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")
pytest.importorskip("safetensors", reason="needs the extra 'train'")
from tests.commands import run

pytestmark = pytest.mark.slow
SHORT = ["decisions=1000", "evaluation.games=40", "torch_threads=1"]


def test_the_quickstart_ends_with_both_agents_in_one_table_and_commands_that_work(tmp_path):
    status, printed, errors = run("bin/quickstart.py", *SHORT, folder=tmp_path)
    assert (status, errors) == (0, "")
    assert printed.count("against heuristic") == 1
    rows = {line[:14].strip(): line for line in printed.splitlines()}
    assert " no " in rows["MaskablePPO"]
    assert " yes " in rows["self-play PPO"]
    assert "equal share: 25%" in printed
    for name in ("quick", "selfplay_quick"):
        assert f"runs/{name}/checkpoint.safetensors" in printed
        assert (tmp_path / "runs" / name / "learning_curve.png").is_file()
    (command,) = [line for line in printed.splitlines() if "evaluate.py runs/selfplay_quick" in line]
    agents = command.split("evaluate.py ")[1].split()
    assert run("evaluate.py", *agents, "--games", 24, folder=tmp_path)[0] == 0


def test_the_quickstart_refuses_an_unknown_setting_before_it_trains(tmp_path):
    status, _, errors = run("bin/quickstart.py", "decisons=5", folder=tmp_path)
    assert status == 2
    assert "decisons: unknown key (did you mean 'decisions'?)" in errors
    assert not (tmp_path / "runs").exists()
