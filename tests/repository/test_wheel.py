"""The wheel in an environment of its own, used in another folder: nothing of the repository is needed."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.commands import ROOT

pytestmark = pytest.mark.slow

SMALL = ["decisions=512", "num_envs=16", "ppo.num_steps=16", "ppo.minibatch_size=64", "evaluation.games=40"]
GYMNASIUM = """
import gymnasium, numpy, w51_env
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.sb3_vec_env import LearnerVecEnv
from w51_agents.registry import make_agent

assert "site-packages" in w51_env.__file__, w51_env.__file__
env = gymnasium.make("w51_env/Warehouse51-v1", num_players=4, opponents="pretrained")
observation, info = env.reset(seed=1)
over = False
while not over:
    observation, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
print("rank", info["rank"])
game = w51_env.make_game("warehouse51_v1", num_players=3)
searcher = make_agent("search:playouts=20", game)
for make in (LearnerVectorEnv, LearnerVecEnv):
    envs = make(game, num_envs=2, opponents=["heuristic", searcher])
    envs.reset()
    for _ in range(3):
        envs.step(envs.action_masks().argmax(axis=1))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this repository, built as pip builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    arguments = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    built = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    if built.returncode and "hatchling" in built.stderr:
        pytest.skip("pip cannot download hatchling, with which the wheel is built")
    assert built.returncode == 0, built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a fresh environment with the wheel; other packages are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    subprocess.run([programs / "pip", "install", "--quiet", "--no-deps", wheel], check=True)
    packages = next((folder / "lib").glob("python*/site-packages"))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib"))  # after its own, and without its .pth files
    return programs


def run(programs: Path, folder: Path, program: str, *arguments: object) -> str:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [programs / program, *map(str, arguments)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_holds_agents_arena_report_configs_and_the_pretrained_weights_and_no_rubbish(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    for name in (
        "agents/w51_agents/registry.py",
        "agents/w51_agents/pretrained/warehouse51_v1.safetensors",
        "agents/w51_agents/pretrained/alles_futsch_v1.safetensors",
        "agents/w51_agents/pretrained/exploiter/warehouse51_v1.safetensors",
        "report/page.html.jinja",
        "configs/quick.yaml",
        "play/table.py",
        "languages/en.toml",
        "warehouse51/relic_sets/reconstruction-1.toml",
        "py.typed",
    ):
        assert f"w51_env/{name}" in names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"w51_env"}
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
    assert len(names) == len(set(names))


def test_the_commands_train_and_evaluate_in_another_folder(programs: Path, tmp_path: Path):
    assert run(programs, tmp_path, "w51", "--version").startswith("w51_env ")
    help_text = run(programs, tmp_path, "w51", "--help")
    assert "w51 train" in help_text
    assert "w51 evaluate" in help_text
    run(programs, tmp_path, "w51", "train", "--config", "quick", *SMALL)
    assert (tmp_path / "runs" / "quick" / "checkpoint.safetensors").exists()
    agents = ["runs/quick", "pretrained", "heuristic", "search:playouts=2"]
    printed = run(programs, tmp_path, "w51", "evaluate", *agents, "--games", 48, "--workers", 1, "--out", "cup")
    assert "pretrained" in printed
    assert (tmp_path / "cup" / "report.html").exists()


def test_environments_take_agents_as_opponents(programs: Path, tmp_path: Path):
    assert run(programs, tmp_path, "python", "-c", GYMNASIUM).startswith("rank")
