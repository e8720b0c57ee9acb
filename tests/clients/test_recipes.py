"""The pages of docs/recipes run as they are printed, with the libraries of today."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.agents.chat_servers import chooses_first, serving
from tests.clients.record import client
from tests.lab.behaviour.behaviour_matches import NAMES, record
from w51_env import make_game
from w51_lab.behaviour import write_behaviour, write_wide

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "recipes"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MAX_LINES = 40


def run(page: str) -> dict[str, Any]:
    """Run the Python of a page, block after block; its names."""
    text = (FOLDER / page).read_text("utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        code = "\n" * text[: block.start(1)].count("\n") + block[1]
        exec(compile(code, str(FOLDER / page), "exec"), names)
    return names


def steps_of(optimizer: Any) -> int:
    """How often an optimizer of PyTorch has changed its parameters."""
    return max(int(state["step"]) for state in optimizer.state.values())


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """The behaviour tables of some games, which are in the working folder as the recipes read them."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    _, tables = record(make_game("warehouse51_v1"), 24)
    write_behaviour(make_game("warehouse51_v1"), NAMES, [tables], Path("runs/cup/behaviour"))
    write_wide(Path("runs/cup/behaviour"))
    return tables


def test_recipes_are_short():
    for page in FOLDER.glob("*.md"):
        for block in BLOCK.findall(page.read_text("utf-8")):
            assert block.count("\n") <= MAX_LINES, page


def test_the_recipes_for_data_frames_run(tables, capsys):
    for package in ("pandas", "polars"):
        pytest.importorskip(package)
    names = run("tables.md")
    assert len(names["joined"].collect()) == (tables["lots"]["seat"] >= 0).sum()
    printed = capsys.readouterr().out
    assert "heuristic" in printed
    assert "efficient" in printed


def test_the_recipe_for_duckdb_runs(tables):
    duckdb = pytest.importorskip("duckdb")
    (block,) = re.findall(r"^```sql\n(.*?)^```$", (FOLDER / "tables.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    paid, by_deal, wins = (duckdb.sql(query).fetchall() for query in block.split(";\n") if query.strip())
    assert {row[0] for row in paid} == {row[0] for row in by_deal} == {*NAMES}
    assert sum(row[-1] for row in paid) == (tables["lots"]["seat"] >= 0).sum()
    assert len(wins) > 2


def test_the_recipe_for_r_runs(tables):
    if not shutil.which("Rscript"):
        pytest.skip("needs R")
    (block,) = re.findall(r"^```r\n(.*?)^```$", (FOLDER / "tables.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    printed = subprocess.run(["Rscript", "-e", block], capture_output=True, text=True, check=True).stdout
    paid = {tuple(line.split()[1:3]): line.split()[3] for line in printed.splitlines() if re.match(r"\d+ ", line)}
    assert {agent for agent, _ in paid} == {*NAMES}
    lots = tables["lots"]
    of_first = lots["price"][(lots["agent"] == 0) & (lots["category"] == lots["category"][0])]
    assert any(float(price) == pytest.approx(of_first.mean(), abs=1e-4) for price in paid.values())


@client("open-spiel", "the recipe")
def test_the_openspiel_recipe_runs():
    run("openspiel.md")


@client("torchrl", "the recipe: `PettingZooWrapper` and `GymEnv` with masks, `LSTMModule`")
def test_the_torchrl_recipe_runs():
    names = run("torchrl.md")
    assert steps_of(names["optimizer"]) == 5
    assert steps_of(names["recurrent_optimizer"]) == 3
    assert all(weight.grad.abs().sum() > 0 for weight in names["lstm"].parameters())


@client("torchrl", "`GymEnv` with `history`")
def test_torchrl_has_the_history_beside_the_observation():
    from torchrl.envs import GymEnv

    steps = GymEnv("w51_env/Warehouse51-v1", num_players=3, history=32).rollout(20)
    assert steps["history"].shape == (len(steps), 32, 6)
    assert steps["next", "history"][-1].any()


@client("torchrl", "`auto_register_info_dict`")
@pytest.mark.parametrize("env_id", ["w51_env/Warehouse51-v1", "w51_env/AllesFutsch-v1"])
def test_torchrl_registers_the_infos_by_itself(env_id: str):
    from torchrl.envs import GymEnv

    steps = GymEnv(env_id, num_players=3).auto_register_info_dict().rollout(20)
    assert {"action_mask", "seat", "scores", "ranks", "rewards", "rank", "illegal"} <= set(steps["next"].keys())


@client("tianshou", "the recipe: DQN in one seat, `MultiAgentOffPolicyAlgorithm`, `Collector`")
def test_the_tianshou_recipe_runs():
    assert steps_of(run("tianshou.md")["learner"].optim._optim) == 3


@client("supersuit", "the recipe: `observation_lambda_v0`, `frame_stack_v1`, learning")
def test_the_supersuit_recipe_runs():
    assert steps_of(run("supersuit.md")["optimizer"]) == 5


@client("agilerl", "the recipe: PPO with masks, `collect_rollouts`")
def test_the_agilerl_recipe_runs():
    assert steps_of(run("agilerl.md")["agent"].optimizer.optimizer) > 2


@client("jax", "the recipe: a jitted rollout with a host callback")
def test_the_jax_recipe_runs(capsys: pytest.CaptureFixture[str]):
    run("jax.md")
    assert "decisions per second" in capsys.readouterr().out


@client("inspect-ai", "the recipe")
def test_the_inspect_recipe_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert run("inspect.md")["log"].status == "success"


@client("verifiers", "the recipe")
def test_the_verifiers_recipe_runs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SERVER_KEY", "none")
    with serving(chooses_first) as stub:
        monkeypatch.setenv("SERVER", stub.url)
        assert run("verifiers.md")["trace"].metrics["finished"] == 1


@client("openenv-core", "the recipe")
def test_the_openenv_recipe_runs():
    result = run("openenv.md")["result"]
    assert result.done
    assert sum(result.observation.rewards) == pytest.approx(0, abs=1e-6)


@client("minari", "`w51 dataset`, then the recipe: behaviour cloning of a Minari dataset")
def test_the_recipe_of_offline_data_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from w51_agents.console.w51 import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", "")
    with pytest.raises(SystemExit) as ended:
        main(["dataset", "runs/games", "heuristic", "--players", "3", "--games", "5"])
    assert ended.value.code == 0
    assert steps_of(run("offline_data.md")["optimizer"]) > 5
    shutil.rmtree("runs")
