"""Networks play and learn alike whatever the process has set of PyTorch and numpy, and in forked processes."""

import multiprocessing
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

from tests.agents.networks.small import ALONE, learned, small, train
from tests.commands import ROOT
from w51_agents.networks.making import make_network
from w51_agents.training.run import Run
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.engine.registry import make_game


@contextmanager
def changed(change: Callable, value, back) -> Iterator[None]:
    change(value)
    try:
        yield
    finally:
        change(back)


@contextmanager
def seeded() -> Iterator[None]:
    random.seed(5), np.random.seed(5), torch.manual_seed(5)  # noqa: NPY002
    yield


@contextmanager
def errors_for_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


SETTINGS: dict[str, Callable[[], AbstractContextManager]] = {
    "dtype": lambda: changed(torch.set_default_dtype, torch.float64, torch.float32),
    "half": lambda: changed(torch.set_default_dtype, torch.bfloat16, torch.float32),
    "device": lambda: changed(torch.set_default_device, "meta", None),
    "in_device": lambda: torch.device("meta"),
    "no_grad": lambda: changed(torch.set_grad_enabled, False, True),
    "inference_mode": torch.inference_mode,
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "precision": lambda: changed(torch.set_float32_matmul_precision, "medium", "highest"),
    "deterministic": lambda: changed(torch.use_deterministic_algorithms, True, False),
    "seterr": lambda: np.errstate(all="raise"),
    "print": lambda: np.printoptions(precision=1, threshold=2),
    "seeded": seeded,
    "warnings": errors_for_warnings,
}
if not hasattr(getattr(torch.backends.mkldnn, "matmul", None), "fp32_precision"):
    del SETTINGS["precision"]  # PyTorch 2.8
TOGETHER = {
    "most": [name for name in SETTINGS if name not in ("half", "in_device", "inference_mode")],
    "inference": ["half", "in_device", "inference_mode"],
}


OPPONENTS = {
    "pretrained-v2": {},
    "exploiter": {},
    "search:playouts=4,prior=pretrained-v2,playout_bot=pretrained-v2": {"preset": "nano"},
}


def played() -> bytes:
    """What a learner meets against networks and a search with them."""
    seen = b""
    for opponent, options in OPPONENTS.items():
        games = LearnerVectorEnv("warehouse51_v1", 3, opponents=opponent, **options)
        _, infos = games.reset(seed=3)
        for _ in range(4):
            observations, *_, infos = games.step(infos["action_mask"].argmax(axis=1))
            seen += observations.tobytes()
    return seen


def trained(trainer: str, folder: Path) -> dict[str, Any]:
    """The state of a run after some updates."""
    changes = {"selfplay": ALONE} if trainer == "compiled" else {}
    run = train(Run.begin(small("selfplay" if trainer == "compiled" else trainer, folder, seed=1, **changes)), 3)
    return learned(run.folder)


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> Callable[[str], Any]:
    """What a process that has set nothing plays, or learns."""
    known: dict[str, Any] = {}

    def of(what: str) -> Any:
        if what not in known:
            known[what] = played() if what == "play" else trained(what, tmp_path_factory.mktemp(what))
        return known[what]

    return of


@pytest.mark.parametrize("settings", TOGETHER)
@pytest.mark.parametrize("what", ["play", "selfplay", "compiled", "maskable_ppo"])
def test_networks_play_and_learn_alike_whatever_the_process_has_set(what: str, settings: str, usual, tmp_path):
    expected = usual(what)
    with ExitStack() as stack:
        for name in TOGETHER[settings]:
            stack.enter_context(SETTINGS[name]())
        before = torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        found = played() if what == "play" else trained(what, tmp_path)
        assert before == (torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_inference_mode_enabled())
    assert found == expected


def test_a_new_network_is_float32_and_a_loaded_one_draws_no_random_numbers():
    with SETTINGS["dtype"](), SETTINGS["device"]():
        network = make_network(make_game("warehouse51_v1"), hidden_sizes=[8])
        assert {(each.dtype, each.device.type) for each in network.parameters()} == {(torch.float32, "cpu")}
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    LearnerVectorEnv("warehouse51_v1", 3, opponents="pretrained-v2")
    np.testing.assert_array_equal(torch.rand(3), expected)


def play(opponent: str) -> None:
    env = gymnasium.make("w51_env/Warehouse51-v1", opponents=opponent)
    mask = env.reset(seed=1)[1]["action_mask"]
    for _ in range(3):
        mask = env.step(mask.argmax())[4]["action_mask"]


FORK = """
import multiprocessing, sys, torch
import w51_env, gymnasium
from pathlib import Path
from tests.commands import ROOT
from tests.agents.networks.small import small, train
from tests.agents.networks.test_process_settings import play
from w51_agents.training.run import Run

def learn(folder):
    train(Run.begin(small("selfplay", Path(folder), torch_threads=None, selfplay={"hidden_sizes": [512, 512]})), 2)

def vector(envs):
    envs.reset()
    envs.close()

method, before, does, argument = sys.argv[1:]
if __name__ == "__main__":
    torch.set_num_threads(4)
    if before == "matmul":
        torch.linalg.qr(torch.rand(600, 600) @ torch.rand(600, 600))
    if before == "training":
        learn(argument)
        torch.rand(10**6).sum()
    if before == "threads":
        batch = w51_env.make_vec("warehouse51_v1", 600, threads=4)
        batch.reset()
        batch.step(batch.sample_actions())
        torch.rand(10**6).sum()
    if does == "sb3":
        from stable_baselines3.common.vec_env import SubprocVecEnv
        make = lambda: gymnasium.make("w51_env/Warehouse51-v1", opponents=argument)
        vector(SubprocVecEnv([make, make], start_method=method))
    elif does == "gymnasium":
        make = lambda: gymnasium.make("w51_env/Warehouse51-v1", opponents=argument)
        vector(gymnasium.vector.AsyncVectorEnv([make, make], context=method))
    else:
        with multiprocessing.get_context(method).Pool(1) as pool:
            pool.apply(globals()[does], (argument,))
"""


def in_processes(tmp_path: Path, *arguments: str) -> None:
    """Run `FORK` as a program, with a time limit for it and its children."""
    program = tmp_path / "forks.py"
    program.write_text(FORK)
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", program, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    try:
        assert process.wait(60) == 0
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, 9)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("opponent", ["pretrained-v2", "search:playouts=2,playout_bot=pretrained-v2"])
def test_a_network_is_an_opponent_in_a_forked_process_whose_parent_used_pytorch(opponent: str):
    with changed(torch.set_num_threads, 4, torch.get_num_threads()):
        torch.rand(600, 600) @ torch.rand(600, 600)
        with multiprocessing.get_context("fork").Pool(1) as pool:
            pool.apply_async(play, (opponent,)).get(60)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
@pytest.mark.parametrize("before", ["nothing", "matmul", "training", "threads"])
@pytest.mark.parametrize("does", ["sb3", "gymnasium", "play", "learn"])
def test_forked_processes_play_and_train_whatever_their_parent_did(method: str, before: str, does: str, tmp_path):
    if does == "learn" or before == "training":
        in_processes(tmp_path, method, before, "learn", str(tmp_path / "runs"))
        return
    opponents = ["search:playouts=2,prior=pretrained-v2,playout_bot=pretrained-v2"]
    for opponent in [*opponents, *(["heuristic", "pretrained-v2"] if method == "fork" else [])]:
        in_processes(tmp_path, method, before, does, opponent)
