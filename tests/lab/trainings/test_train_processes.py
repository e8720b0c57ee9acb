"""`w51 train --processes`, and `torchrun train.py`: refusals, ranks that are killed or hang, machines that are gone."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agents.networks.small import learned
from tests.commands import ROOT, paste, refused, run, succeeded, wait_for
from w51_agents.training.config import load_config
from w51_agents.training.heartbeat import SILENT_SECONDS
from w51_lab.trainings import processes

GAMES = "selfplay.games=[{num_players: 4, num_envs: 256, opponents: self}]"
SMALL = ["--config", "selfplay_quick", "name=s", GAMES, "selfplay.num_steps=16", "selfplay.hidden_sizes=[16]"]
SMALL += ["evaluation.games=40", "evaluation.games_while_training=20", "evaluation.against=[random]"]
SHORT = [*SMALL, "decisions=9000", "evaluation.decisions=4000"]
LONG = [*SMALL, "decisions=1_000_000_000", "evaluation.minutes=100", "checkpoint_minutes=0.01"]
TORCHRUN = Path(sys.executable).with_name("torchrun")
MOST_SECONDS = 30


def children_of(parent: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


def is_alive(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@contextmanager
def training(folder: Path, *command: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A command whose ranks have written a checkpoint and some updates, and the ranks; they are gone at the end."""
    progress = folder / "runs" / "s" / "progress.csv"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)
    ranks: list[int] = []
    try:
        wait_for(lambda: progress.exists() and progress.read_text().count("\n") > 3)
        ranks = children_of(process.pid)
        yield process, ranks
        wait_for(lambda: not any(map(is_alive, ranks)), MOST_SECONDS)
    finally:
        for each in (process.pid, *ranks):
            if is_alive(each):
                os.kill(each, signal.SIGKILL)
        process.communicate()


def train(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "train.py"), *arguments]


def test_more_processes_than_parts_and_bad_combinations_are_refused_before_anything_is_written(tmp_path):
    few = "selfplay.games=[{num_players: 4, num_envs: 128, opponents: self}]"
    line = ["train.py", "--processes", "2", "--config", "selfplay_quick"]
    errors = refused(run(*line, few, folder=tmp_path), "processes: 2, but the 128 games of this config are 1 part")
    assert errors.count("error:") == 1
    rows = "selfplay.minibatch_size=1024"
    refused(run(*line, rows, folder=tmp_path), "a minibatch of this config is computed in 1 group of rows")
    refused(run("train.py", "--processes", "2", "--config", "quick", folder=tmp_path), "maskable_ppo learns in one")
    refused(run(*line, "--seeds", "2", folder=tmp_path), "--processes: shares one run")
    refused(run("train.py", "--config", "quick", "--ray", "auto", folder=tmp_path), "--ray: only with --seeds or")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_two_processes_and_torchrun_learn_what_one_does(tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "torchrun")]
    for folder in folders:
        folder.mkdir()
    succeeded(run("train.py", *SHORT, folder=folders[0]))
    succeeded(run("train.py", *SHORT, "--processes", "2", folder=folders[1]))
    command = [str(TORCHRUN), "--standalone", "--nproc-per-node", "2", str(ROOT / "train.py"), *SHORT]
    subprocess.run(command, cwd=folders[2], check=True, capture_output=True)
    one, *others = (folder / "runs" / "s" for folder in folders)
    for other in others:
        assert learned(other) == learned(one)
        for name in ("checkpoint.safetensors", "config.yaml", "evaluation.json"):
            assert (other / name).read_bytes() == (one / name).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_a_rank_that_is_killed_or_hangs_is_named_with_the_command_that_goes_on(tmp_path, rank, sent):
    with training(tmp_path, *train(*LONG, "--processes", "2")) as (process, ranks):
        os.kill(ranks[rank], sent)
        begun = time.monotonic()
        _, errors = process.communicate(timeout=2 * MOST_SECONDS)
        assert time.monotonic() - begun < MOST_SECONDS
        assert process.returncode in (1, 2)
        assert f"process {rank} of 2" in errors
    shown = subprocess.run(["grep", "-c", "", "runs/s/progress.csv"], cwd=tmp_path, capture_output=True, check=True)
    assert int(shown.stdout) > 3
    assert "--resume runs/s --processes 2" in errors


@pytest.mark.slow
def test_a_stopped_training_saves_and_goes_on_with_the_command_that_it_prints(tmp_path):
    with training(tmp_path, *train(*LONG, "decisions=60_000", "--processes", "2")) as (process, _):
        process.send_signal(signal.SIGTERM)
        printed, errors = process.communicate(timeout=MOST_SECONDS)
        assert process.returncode == 130, errors
    status, again = paste(printed, tmp_path)
    assert status == 0, again


@pytest.mark.slow
def test_a_training_whose_ranks_are_all_stopped_for_a_while_goes_on(tmp_path):
    with training(tmp_path, *train(*LONG, "--processes", "2")) as (process, ranks):
        for sent, seconds in ((signal.SIGSTOP, SILENT_SECONDS + 3), (signal.SIGCONT, 0)):
            for rank in ranks:
                os.kill(rank, sent)
            time.sleep(seconds)
        progress = tmp_path / "runs" / "s" / "progress.csv"
        before = progress.read_text().count("\n")
        wait_for(lambda: progress.read_text().count("\n") > before + 3)
        process.send_signal(signal.SIGTERM)
        assert process.wait(MOST_SECONDS) == 130


@pytest.mark.slow
def test_no_rank_outlives_the_command(tmp_path):
    with training(tmp_path, *train(*LONG, "--processes", "2")) as (process, _):
        process.kill()


@pytest.mark.slow
def test_torchrun_starts_a_killed_rank_again_and_comes_to_the_same_end(tmp_path):
    whole = [*SMALL, "decisions=150_000", "evaluation.minutes=100", "checkpoint_minutes=0.01"]
    torchrun = [str(TORCHRUN), "--standalone", "--nproc-per-node", "2", "--max-restarts", "1"]
    with training(tmp_path, *torchrun, str(ROOT / "train.py"), *whole) as (process, ranks):
        os.kill(ranks[1], signal.SIGKILL)
        _, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors
    (tmp_path / "alone").mkdir()
    succeeded(run("train.py", *whole, folder=tmp_path / "alone"))
    assert learned(tmp_path / "runs" / "s") == learned(tmp_path / "alone" / "runs" / "s")


@pytest.mark.slow
def test_ranks_of_different_configs_refuse_each_other_in_words(tmp_path):
    shared = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "W51_RENDEZVOUS": f"file://{tmp_path}/meeting"}
    ranks = []
    for number, seed in enumerate((1, 2)):
        environment = {**os.environ, **shared, "RANK": str(number)}
        line = train(*SHORT, f"seed={seed}")
        ranks.append(subprocess.Popen(line, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True))
    for rank in ranks:
        assert "process 1 (on " in (errors := rank.communicate(timeout=120)[1])
        assert "has another seed than process 0" in errors
        assert rank.returncode == 2
    assert not (tmp_path / "runs").exists()


def pids_of(name: str) -> list[int]:
    """The processes of a namespace."""
    listed = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


NAMES = ("w51test0", "w51test1")


@pytest.fixture
def machines() -> Iterator[None]:
    """Two network namespaces with a link between them."""
    if os.getuid() or shutil.which("ip") is None:
        pytest.skip("needs root and iproute2")

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    try:
        for name in NAMES:
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        ip("link", "add", "w51v0", "netns", NAMES[0], "type", "veth", "peer", "name", "w51v1", "netns", NAMES[1])
        for number, name in enumerate(NAMES):
            ip("-n", name, "addr", "add", f"10.51.0.{number + 1}/24", "dev", f"w51v{number}")
            ip("-n", name, "link", "set", f"w51v{number}", "up")
        yield
    finally:
        for name in NAMES:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


@pytest.mark.slow
def test_a_machine_that_is_gone_ends_the_others_with_the_command_that_goes_on(tmp_path, machines):
    started = []
    for number, name in enumerate(NAMES):
        meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "10.51.0.1:29400", "--rdzv-id", "s"]
        meeting += ["--rdzv-conf", f"is_host={1 - number}", "--local-addr", f"10.51.0.{number + 1}"]
        torchrun = [str(TORCHRUN), "--nnodes", "2", "--nproc-per-node", "1", *meeting, "--max-restarts", "0"]
        line = ["ip", "netns", "exec", name, *torchrun, str(ROOT / "train.py"), *LONG]
        with (tmp_path / name).open("w") as errors:
            started.append(subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=errors))
    try:
        progress = tmp_path / "runs" / "s" / "progress.csv"
        wait_for(lambda: progress.exists() and progress.read_text().count("\n") > 3)
        subprocess.run(["ip", "-n", NAMES[0], "link", "set", "w51v0", "down"], check=True)
        said = [tmp_path / name for name in NAMES]
        wait_for(lambda: all("--resume runs/s" in path.read_text() for path in said), MOST_SECONDS)
        assert "process 1 of 2" in said[0].read_text()
        assert "this machine is cut off" in said[1].read_text()
        for process in started:
            process.wait(MOST_SECONDS)
        wait_for(lambda: not any(map(pids_of, NAMES)), MOST_SECONDS)
    finally:
        for name in NAMES:
            for number in pids_of(name):
                os.kill(number, signal.SIGKILL)
        for process in started:
            process.wait()


@pytest.mark.parametrize(
    ("config", "changes", "expected"),
    [
        ("standard", [], 6),
        ("selfplay_quick", [], 2),
        ("selfplay_quick", ["decisions=9000"], 1),
        ("selfplay_quick", ["threads=2"], 1),
        ("populations", [], 1),
        ("quick", [], 1),
        ("large", ["selfplay.device=cuda"], 1),
    ],
)
def test_a_training_gets_the_processes_that_are_faster_than_threads(config, changes, expected, monkeypatch):
    monkeypatch.setattr(processes, "usable_cores", lambda: 16)
    settings = load_config(config, changes)
    assert processes.processes_by_itself(settings) == 1  # this program cannot be started again
    monkeypatch.setattr(sys, "argv", ["/somewhere/w51", "train"])
    assert processes.processes_by_itself(settings) == expected
