"""The pages of docs/recipes run as they are printed, with the libraries of today."""

import re
import shutil
from pathlib import Path

import pytest

from tests.clients.record import client

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "recipes"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MOST_LINES = 40


def run(page: str, namespace: dict | None = None) -> None:
    """Run the Python of a page, block after block."""
    text = (FOLDER / page).read_text("utf-8")
    names = namespace if namespace is not None else {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        code = "\n" * text[: block.start(1)].count("\n") + block[1]
        exec(compile(code, str(FOLDER / page), "exec"), names)


def test_recipes_are_short():
    for page in FOLDER.glob("*.md"):
        for block in BLOCK.findall(page.read_text("utf-8")):
            assert block.count("\n") <= MOST_LINES, page


@client("open-spiel", "the recipe")
def test_the_openspiel_recipe_runs():
    run("openspiel.md")


@client("torchrl", "the recipe: `PettingZooWrapper` and `GymEnv` with masks")
def test_the_torchrl_recipe_runs():
    run("torchrl.md")


@client("tianshou", "the recipe: DQN in one seat, `MultiAgentOffPolicyAlgorithm`, `Collector`")
def test_the_tianshou_recipe_runs():
    run("tianshou.md")


@client("supersuit", "the recipe: `observation_lambda_v0`, `frame_stack_v1`")
def test_the_supersuit_recipe_runs():
    run("supersuit.md")


@client("agilerl", "the recipe: PPO with masks, `collect_rollouts`")
def test_the_agilerl_recipe_runs():
    run("agilerl.md")


@client("jax", "the recipe: a jitted rollout with a host callback")
def test_the_jax_recipe_runs(capsys: pytest.CaptureFixture[str]):
    run("jax.md")
    assert "decisions per second" in capsys.readouterr().out


@client("minari", "`w51 dataset`, then the recipe: behaviour cloning of a Minari dataset")
def test_the_recipe_of_offline_data_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from w51_env.commands import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")
    with pytest.raises(SystemExit) as ended:
        main(["dataset", "runs/games", "heuristic", "--players", "3", "--games", "5"])
    assert ended.value.code == 0
    run("offline_data.md")
    shutil.rmtree("runs")
