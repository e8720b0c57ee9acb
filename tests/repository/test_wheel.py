"""The wheel in an environment of its own, used in another folder: nothing of the repository is needed."""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.commands import ROOT

pytestmark = pytest.mark.slow

PACKAGES = {"w51_env", "w51_agents", "w51_lab", "w51_table"}
SMALL = ["decisions=512", "num_envs=16", "ppo.num_steps=16", "ppo.minibatch_size=64", "evaluation.games=40"]
GYMNASIUM = """
import gymnasium, numpy, w51_env
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.sb3_vec_env import LearnerVecEnv
from w51_agents.named.registry import make_agent

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

SCRIPT = """
import contextlib, runpy, sys
from pathlib import Path

sys.path[0] = str(Path.cwd())
with contextlib.suppress(SystemExit):
    runpy.run_path("evaluate.py", run_name="__main__")
import w51_agents, w51_env, w51_lab, w51_table

print(Path(w51_env.__file__).parent)
for package in (w51_agents, w51_lab, w51_table):
    print(Path(package.__file__).parents[1])
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
    others = [path for path in sys.path if path.endswith("site-packages")]  # after its own, without their .pth files
    (packages / "others.pth").write_text("\n".join(others))
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
        "w51_env/languages/en.toml",
        "w51_env/warehouse51/relic_sets/reconstruction-1.toml",
        "w51_agents/named/registry.py",
        "w51_agents/configs/quick.yaml",
        "w51_agents/pretrained/warehouse51_v1.safetensors",
        "w51_agents/pretrained/alles_futsch_v1.safetensors",
        "w51_agents/pretrained/pretrained-v2/warehouse51_v1.safetensors",
        "w51_agents/pretrained/exploiter/warehouse51_v1.safetensors",
        "w51_lab/report/page.html.jinja",
        "w51_table/play/table.py",
        "w51_table/languages/de.toml",
        "w51_env/pictures/fonts/BarlowSemiCondensed-Medium.ttf",
        "w51_table/web/static/index.html",
        *(f"{package}/py.typed" for package in PACKAGES),
    ):
        assert name in names
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
    assert len(names) == len(set(names))


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path):
    pytest.importorskip("hatchling.build", reason="needs hatchling")
    build = "import sys, hatchling.build as backend; print(getattr(backend, sys.argv[1])(sys.argv[2]))"

    def built(kind: str, folder: Path) -> Path:
        command = [sys.executable, "-c", build, kind, str(tmp_path)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return tmp_path / done.stdout.split()[-1]

    with tarfile.open(built("build_sdist", ROOT)) as source:
        source.extractall(tmp_path / "source", filter="data")
    [source_folder] = (tmp_path / "source").iterdir()
    first, again = (zipfile.ZipFile(path).infolist() for path in (wheel, built("build_wheel", source_folder)))
    assert {file.filename: file.CRC for file in first} == {file.filename: file.CRC for file in again}


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
    run(programs, tmp_path, "w51", "play", "export", "heuristic", "random", "random", "game.html")
    assert (tmp_path / "game.html").exists()


def test_environments_take_agents_as_opponents(programs: Path, tmp_path: Path):
    assert run(programs, tmp_path, "python", "-c", GYMNASIUM).startswith("rank")


def test_a_clone_on_a_system_without_links_runs_what_it_holds(programs: Path, tmp_path: Path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "-c", "core.symlinks=false", ROOT, clone], check=True)
    printed = run(programs, clone, "python", "-c", SCRIPT, "heuristic", "random", "--games", 20)
    assert printed.splitlines()[-4:] == [str(clone / part) for part in ("w51_env", "agents", "lab", "table")]
