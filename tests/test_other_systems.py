"""The environment and trainings where a system lacks what only POSIX or Linux has, as macOS and Windows do.

One program compiles, the others find what was compiled."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT
from tests.env.compiler.test_compile import SMALL
from w51_env.compiler.cache import cache_folder

pytest.importorskip("torch", reason="needs the extra 'train'")

WITHOUT = """
import os, sys
for module in ("resource", "pwd", "grp", "termios"):
    sys.modules[module] = None
for name in "geteuid getuid O_NOFOLLOW O_NONBLOCK sched_getaffinity fork killpg setsid waitid".split():
    delattr(os, name)
"""
PLAY = """
import w51_env
from w51_env.adapters.gymnasium_env import LearnerEnv

batch = w51_env.make_vec("auctions_v0", num_envs=4, seed=1)
batch.reset()
for _ in range(50):
    batch.step(batch.sample_actions())
LearnerEnv("auctions_v0").reset(seed=1)
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
"""
TRAIN = """
import w51_lab.arena.tournament, w51_table.play.table, w51_table.web.limits
from w51_agents.console.w51 import main

assert w51_table.web.limits.fit_limits()[1] == ""
main(["train", "--config", "selfplay_quick", "decisions=3000", "selfplay.games=[{num_players: 3, num_envs: 8}]",
      "selfplay.minibatch_size=64", "evaluation.games=6", "threads=1"])
"""


@pytest.mark.parametrize(
    ("program", "cached"), [(SMALL, False), (PLAY, True), (TRAIN, True)], ids=["rules", "environment", "training"]
)
def test_nothing_of_one_system_alone_is_needed_to_play_or_to_train(program: str, cached: bool, tmp_path: Path):
    cache = cache_folder()[0] if cached else tmp_path / "cache"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + program],
        cwd=tmp_path,
        env={"PATH": "", "HOME": str(tmp_path), "W51_ENV_CACHE": str(cache), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
