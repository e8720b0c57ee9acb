"""bin/quickstart, run as a program with short training."""

import signal

import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")
pytest.importorskip("safetensors", reason="needs the extra 'train'")
from tests.commands import refused, run, start, wait_for
from w51_agents.training.run import Run
from w51_env.engine.errors import W51Error

pytestmark = pytest.mark.slow
SHORT = ["decisions=1000", "evaluation.games=40"]
NAMES = ("quick", "bots_quick")
PATIENCE = 600.0  # seconds, for a busy machine


def test_the_quickstart_ends_with_one_table_of_all_agents_and_commands_that_work(tmp_path):
    status, printed, errors = run("bin/quickstart.py", *SHORT, folder=tmp_path)
    assert (status, errors) == (0, "")
    rows = {line[:14].strip(): line for line in printed.splitlines()}
    assert all(rows[name].count("%") == 3 for name in ("MaskablePPO", "self-play PPO", "pretrained"))
    assert "equal share: 25%" in printed
    for name in NAMES:
        assert f"runs/{name}/checkpoint.safetensors" in printed
        assert (tmp_path / "runs" / name / "learning_curve.png").is_file()
    (command,) = [line for line in printed.splitlines() if "w51 evaluate runs/bots_quick" in line]
    agents = command.split("w51 evaluate ")[1].split()
    assert run("evaluate.py", *agents, "--games", 24, folder=tmp_path)[0] == 0


def begin_long(folder):
    """The quickstart with a training of days, after the first updates of both runs."""
    process = start("bin/quickstart.py", "decisions=1000000000", folder=folder)
    curves = [folder / "runs" / name / "progress.csv" for name in NAMES]
    wait_for(lambda: process.poll() is not None or all(map(has_rows, curves)), PATIENCE)
    assert process.poll() is None, process.communicate()
    return process


def has_rows(path):
    return path.exists() and path.read_text().count("\n") > 1


def is_saved(folder):
    """Whether the run can be resumed, with decisions; False while another process uses it."""
    try:
        run = Run.resume(folder)
    except W51Error:
        return False
    run.close()
    return run.trainer.decisions == run.updates[-1].decisions > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_both_runs_and_both_have_checkpoints(number, tmp_path):
    process = begin_long(tmp_path)
    process.send_signal(number)
    printed, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "")
    assert "press Ctrl-C again to stop at once" in printed
    for name in NAMES:
        assert f"w51 train --resume runs/{name}" in printed
        assert is_saved(tmp_path / "runs" / name)


def test_both_runs_stop_with_their_checkpoints_when_the_first_process_is_killed(tmp_path):
    process = begin_long(tmp_path)
    process.kill()
    process.communicate()
    for name in NAMES:
        wait_for(lambda name=name: is_saved(tmp_path / "runs" / name), PATIENCE)


def test_an_error_of_one_run_is_printed_once_and_stops_the_other(tmp_path):
    errors = refused(run("bin/quickstart.py", "decisions=1000000000", "evaluation.against=[nobody]", folder=tmp_path))
    assert errors.count("agent 'nobody' is unknown") == 1
    assert "Traceback" not in errors


def test_the_quickstart_refuses_an_unknown_setting_before_it_trains(tmp_path):
    refused(
        run("bin/quickstart.py", "decisons=5", folder=tmp_path), "decisons: unknown key (did you mean 'decisions'?)"
    )
    assert not (tmp_path / "runs").exists()
