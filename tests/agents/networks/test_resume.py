"""train.py as a program that is killed or stopped: a resumed run ends equal to an uninterrupted one."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.agents.networks.small import ONE_LOT, TRAINERS, learned, resume, rows, small, train
from tests.commands import COMPILING, ROOT, paste, refused, run, start
from w51_agents.training.config import config_text
from w51_agents.training.run import Run
from w51_agents.training.settings import TrainingConfig
from w51_lab.trainings.evaluation import evaluate

pytestmark = pytest.mark.slow
DECISIONS = {"selfplay": 8_000, "maskable_ppo": 4_000}  # a second or two each
OFTEN = 0.003  # minutes between two checkpoints


def config_of(trainer: str, folder: Path, **changes) -> TrainingConfig:
    evaluation = {"games": 4, "games_while_training": 2, "against": ["shader"], "num_players": [2]}
    return small(
        trainer,
        folder,
        **{"decisions": DECISIONS[trainer], "checkpoint_minutes": OFTEN, "evaluation": evaluation, **changes},
    )


def errors_of(process: subprocess.Popen[str]) -> str:
    """Its errors when it has ended; that rules are compiled the first time is none."""
    _, errors = process.communicate(timeout=120)
    return "".join(line for line in errors.splitlines(keepends=True) if COMPILING not in line)


def begin(config: TrainingConfig, folder: Path, wrapper: tuple = ("train.py",)) -> tuple[subprocess.Popen[str], Path]:
    """A program that trains, and the folder of its run."""
    (folder / "one.yaml").write_text(config_text(config))
    return start(*wrapper, "--config", folder / "one.yaml", "--allow", ONE_LOT, folder=folder), Path(
        config.runs
    ) / config.name


def wait_for_rows(process: subprocess.Popen[str], folder: Path, count: int) -> None:
    """Until it has made so many updates."""
    deadline = time.monotonic() + 60
    path = folder / "progress.csv"
    while (
        process.poll() is None
        and time.monotonic() < deadline
        and not (path.exists() and path.read_bytes().count(b"\n") > count)
    ):
        time.sleep(0.005)
    assert process.poll() is None, process.communicate()
    assert time.monotonic() < deadline


def uninterrupted(trainer: str, folder: Path, **changes) -> Path:
    """The folder of the same run, which nothing happened to."""
    return train(Run.begin(config_of(trainer, folder, **changes))).folder


def same(folder: Path, whole: Path) -> None:
    assert rows(folder) == rows(whole)
    assert learned(folder) == learned(whole)
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".unfinished")]


OF_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""

# ---- ended


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_killed_and_resumed_run_ends_equal_to_an_uninterrupted_one(trainer, tmp_path):
    whole = uninterrupted(trainer, tmp_path / "whole")
    evaluate(resume(whole), Console(quiet=True))
    process, folder = begin(config_of(trainer, tmp_path / "runs"), tmp_path)
    wait_for_rows(process, folder, 3)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert len(rows(folder)) < len(rows(whole)), "it ended before it could be killed"
    process = start("train.py", "--resume", folder, "--allow", ONE_LOT, folder=tmp_path)
    assert (errors_of(process), process.returncode) == ("", 0)
    same(folder, whole)
    assert (folder / "evaluation.json").read_text() == (whole / "evaluation.json").read_text()


STOPS = [
    ("selfplay", signal.SIGINT),
    ("maskable_ppo", signal.SIGTERM),
    ("maskable_ppo", signal.SIGHUP),
    ("selfplay", signal.SIGUSR1),
]


@pytest.mark.parametrize(("trainer", "number"), STOPS)
def test_a_run_that_a_signal_stopped_can_be_resumed(trainer, number, tmp_path):
    process, folder = begin(config_of(trainer, tmp_path / "runs", checkpoint_minutes=9), tmp_path)
    wait_for_rows(process, folder, 5)
    process.send_signal(number)
    if number in (signal.SIGHUP, signal.SIGUSR1):  # of a shell and of its terminal
        process.send_signal(number)
    printed = process.stdout.read()
    assert (errors_of(process), process.returncode) == ("", 130)
    assert "Stopping after this update; press Ctrl-C again to stop at once." in printed
    assert re.search(r"Checkpoint  .*/checkpoint\.safetensors", printed)
    assert not (folder / "evaluation.json").exists()
    stopped = rows(folder)
    assert learned(folder)["facts"]["trainer"]["decisions"] == int(stopped[-1]["decisions"])
    status, more = paste(printed, tmp_path)
    assert status == 0, more
    whole = uninterrupted(trainer, tmp_path / "whole", checkpoint_minutes=9)
    assert rows(folder)[: len(stopped)] == stopped
    same(folder, whole)


def test_a_run_whose_terminal_is_closed_keeps_what_it_has_learned(tmp_path):
    """Its output goes to the terminal, where nothing can be written any more."""
    (tmp_path / "one.yaml").write_text(config_text(config_of("selfplay", tmp_path / "runs", checkpoint_minutes=9)))
    folder = tmp_path / "runs" / "one"
    leader, child = pty.openpty()
    line = [sys.executable, str(ROOT / "train.py"), "--config", "one.yaml", "--allow", ONE_LOT]
    with subprocess.Popen(
        [sys.executable, "-c", OF_TERMINAL, *line], cwd=tmp_path, stdin=child, stdout=child, stderr=child
    ) as process:
        os.close(child)
        path, deadline = folder / "progress.csv", time.monotonic() + 60
        while not (path.exists() and path.read_bytes().count(b"\n") > 5) and time.monotonic() < deadline:
            if select.select([leader], [], [], 0.01)[0]:
                os.read(leader, 65536)
        os.close(leader)
        assert process.wait(60) == 130
    assert learned(folder)["facts"]["trainer"]["decisions"] == int(rows(folder)[-1]["decisions"]) > 0


def test_a_run_begun_with_nohup_outlives_its_terminal(tmp_path):
    (tmp_path / "one.yaml").write_text(config_text(config_of("maskable_ppo", tmp_path / "runs", checkpoint_minutes=9)))
    line = ["nohup", sys.executable, str(ROOT / "train.py"), "--config", "one.yaml", "--allow", ONE_LOT]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_rows(process, tmp_path / "runs" / "one", 3)
        process.send_signal(signal.SIGHUP)
        process.communicate()
        assert process.returncode == 0


def test_a_second_signal_stops_at_once(tmp_path):
    process, folder = begin(config_of("selfplay", tmp_path / "runs", selfplay={"update_epochs": 10**9}), tmp_path)
    deadline = time.monotonic() + 60
    while (
        not (folder / "progress.csv").exists() and time.monotonic() < deadline
    ):  # then its first update has begun, and never ends
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert "Loading" in process.stdout.readline()
    assert any("press Ctrl-C again to stop at once" in line for line in process.stdout)  # after one of load
    process.send_signal(signal.SIGINT)
    assert (errors_of(process), process.returncode) == ("", 130)
    assert len(resume(folder).updates) == 0


# ---- messages of --resume


def test_a_finished_run_is_evaluated_again(tmp_path):
    folder = train(Run.begin(config_of("selfplay", tmp_path, decisions=300))).folder
    before = learned(folder), rows(folder)
    status, printed, errors = run("train.py", "--resume", folder, "--allow", ONE_LOT)
    assert (status, errors) == (0, "")
    assert f"{folder}: the run is complete already; it is evaluated again." in printed
    matches = json.loads((folder / "evaluation.json").read_text())
    assert [[agent["name"] for agent in match["agents"]] for match in matches] == [["one", "shader"], ["shader", "one"]]
    assert (learned(folder), rows(folder)) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "runs/none"], "run runs/none: there is no such folder"),
        (["--resume", "runs/one", "seed=2", "threads=2"], "--resume continues a run with its own config"),
        (["--resume", "runs/one", "--config", "one.yaml"], "--resume continues a run with its own config"),
        (["--resume", "runs/one", "--exploit", "random"], "--resume continues a run with its own config"),
    ],
)
def test_a_run_that_cannot_be_resumed_is_an_error(arguments, message, tmp_path):
    refused(run("train.py", *arguments, folder=tmp_path), message)


# ---- killed before there is anything to resume

KILLED = """
import os, runpy, signal, sys

path, *sys.argv[1:] = sys.argv[1:]

def kill(event, arguments):
    if event in ("open", "os.rename") and str(arguments[event == "os.rename"]).endswith(path):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
runpy.run_module("w51_env", run_name="__main__")
"""
NANO = ["decisions=3000", "options.preset=nano", "options.num_players=3", "evaluation.games=6", "name=s"]
LEARNS = [*NANO, "evaluation.against=random", "selfplay.games=[{num_players: 3, num_envs: 16}]"]
BENCHMARK = ["--quick", "--track", "alles-futsch-2", "--folder", "b"]


@pytest.mark.parametrize(
    ("line", "state", "made"),
    [
        (["train", "--config", "selfplay_quick", *LEARNS, "runs=.", "--seeds", "4-4"], "state.safetensors", "s-seeds"),
        (["train", "--exploit", "random", *LEARNS, "runs=here"], "responses.json", "here"),
        (["benchmark", "random", *BENCHMARK], "tournament.json", "b/random"),
        (["evaluate", "random", "--games", "4", "--out", "here/cup"], "tournament.json", "here"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_process_killed_before_its_first_state_leaves_a_folder_that_the_next_one_uses(line, state, made, tmp_path):
    for path in (".lock", state):  # after its folder is made, and before the state has its name
        command = [sys.executable, "-c", KILLED, path, *line]
        killed = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        assert killed.returncode == -signal.SIGKILL
    command = [sys.executable, "-m", "w51_env", *line]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    assert [path for path in (tmp_path / made).rglob("*") if re.search(r"-2$|unfinished", path.name)] == []
