"""train.py, run as a program: a run as small as can be."""

import csv
import json
import signal
import time

import pytest
import yaml

from agents.config import load_config
from agents.maskable import opponents_of
from tests.commands import ROOT, run, start
from w51_env import make_game

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")

SMALL = ["games_at_once=16", "decisions=512", "ppo.steps_per_update=16", "ppo.minibatch=64", "ppo.network=[8]", "evaluation.games=40"]
SMALL += ["selfplay.tables=[{games: 8}, {games: 4, opponents: heuristic}, {games: 4, opponents: pool}]", "selfplay.network=[8]"]
SMALL += ["selfplay.steps_per_update=32", "selfplay.minibatch=64", "selfplay.pool_every=1", "selfplay.pool=2"]
QUICK = ROOT / "configs" / "quick.yaml"
CONFIGS = sorted((ROOT / "configs").glob("*quick.yaml"))


@pytest.mark.parametrize("config", CONFIGS, ids=[config.stem for config in CONFIGS])
def test_a_run_trains_evaluates_and_keeps_what_it_made(config, tmp_path):
    status, printed, errors = run("train.py", "--config", config, *SMALL, folder=tmp_path)
    assert (status, errors) == (0, "")
    folder = tmp_path / "runs" / config.stem
    checkpoint = "checkpoint.safetensors" if "selfplay" in config.stem else "checkpoint.zip"
    kept = {checkpoint, "config.yaml", "evaluation.json", "evaluation.png", "learning_curve.png", "progress.csv"}
    assert {path.name for path in folder.iterdir()} == kept
    assert "Checkpoint  runs/" in printed
    matches = json.loads((folder / "evaluation.json").read_text())
    assert [[agent["name"] for agent in match["agents"]] for match in matches] == [
        [config.stem, "random"],
        [config.stem, "heuristic"],
        ["heuristic", "random"],
    ]
    assert matches[2]["agents"][0]["low"] > matches[2]["par"]
    resolved = yaml.safe_load((folder / "config.yaml").read_text())
    with (folder / "progress.csv").open() as file:
        decisions = [int(row["decisions"]) for row in csv.DictReader(file)]
    assert (
        decisions == [256, 512] if resolved["trainer"] == "maskable_ppo" else decisions == sorted(set(decisions)) and decisions[-1] >= 512
    )
    assert resolved["ppo"]["network"] == resolved["selfplay"]["network"] == [8]

    again = run("evaluate.py", f"runs/{config.stem}", "random", "--game", resolved["game"], "--games", 40, folder=tmp_path)
    assert again[0] == 0
    assert run("train.py", "--config", folder / "config.yaml", folder=tmp_path)[0] == 0
    assert (tmp_path / "runs" / f"{config.stem}-2" / "progress.csv").exists()


@pytest.mark.parametrize("trainer", ["maskable_ppo", "selfplay"])
def test_the_same_seed_gives_the_same_curve(tmp_path, trainer):
    def curve(folder: str, seed: int) -> list[list[str]]:
        arguments = [*SMALL, "evaluation.games=4", f"trainer={trainer}", f"seed={seed}", f"runs={folder}"]
        assert run("train.py", "--config", QUICK, *arguments, folder=tmp_path)[0] == 0
        with (tmp_path / folder / QUICK.stem / "progress.csv").open() as file:
            return [[value for name, value in row.items() if name != "seconds"] for row in csv.DictReader(file)]

    assert curve("a", 1) == curve("b", 1) != curve("c", 2)


def test_one_who_stops_it_keeps_the_checkpoint(tmp_path):
    process = start("train.py", "--config", QUICK, *SMALL, "decisions=100000000", folder=tmp_path)
    assert process.stdout.readline().startswith("Loading")
    folder = tmp_path / "runs" / QUICK.stem
    while process.poll() is None and not folder.exists():
        time.sleep(0.01)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted" in printed
    assert "Traceback" not in errors
    assert (folder / "checkpoint.zip").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["decisons=5"], "decisons: unknown key (did you mean 'decisions'?)"),
        (["ppo.epoch=3"], "ppo.epoch: unknown key"),
        (["ppo.epochs=many"], "ppo.epochs: 'many'"),
        (["seed"], "change 'seed': key=value is needed"),
        (["options.num_players=7"], "num_players: 7"),
        (["options.preset=fancy"], "fancy"),
        (["opponents=[heuristc]"], "heuristc"),
        (
            ["opponents=[random, heuristic, random, random]"],
            "opponents: 4 names (random, heuristic, random, random), but a game of 4 has 3",
        ),
        (["opponents=[]"], "opponents: []: list should have at least 1 item"),
        (["opponents=3"], "opponents: 3: input should be a valid list"),
        (["ppo.network=[]"], "ppo.network: []: list should have at least 1 item"),
        (["learner_seat=9"], "learner_seat: 9"),
        (["game=chess_v0"], "chess_v0"),
        (["trainer=selfplai"], "trainer: 'selfplai'"),
        (
            ["trainer=selfplay", "selfplay.tables=[{games: 4, oponents: self}]"],
            "selfplay.tables.0.oponents: unknown key (did you mean 'opponents'?)",
        ),
        (["trainer=selfplay", "selfplay.tables=[{games: 4, players: 9}]"], "num_players: 9"),
        (["trainer=selfplay", "selfplay.tables=[{games: 4, opponents: heuristc}]"], "heuristc"),
        (["evaluation.against=[nobody]"], "nobody"),
    ],
)
def test_bad_input_is_told_in_words_before_anything_is_written(arguments: list, message: str, tmp_path):
    status, _, errors = run("train.py", "--config", QUICK, *arguments, folder=tmp_path)
    assert status == 2
    assert message in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").iterdir())


def test_one_name_needs_no_brackets():
    config = load_config(QUICK, ["opponents=heuristic", "evaluation.against=random"])
    assert (config.opponents, config.evaluation.against) == (("heuristic",), ("random",))
    assert opponents_of(config, make_game("warehouse51_v0", num_players=5)) == ["heuristic"] * 4


def test_a_config_that_cannot_be_read_is_named(tmp_path):
    assert "cannot be read" in run("train.py", "--config", tmp_path / "none.yaml")[2]
    (tmp_path / "bad.yaml").write_text("name: [")
    assert "not valid YAML" in run("train.py", "--config", tmp_path / "bad.yaml")[2]
