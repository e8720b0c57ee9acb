"""train.py, run as a program: a run as small as can be."""

import csv
import json
import re

import pytest
import yaml

from agents.training.config import ConfigError, load_config
from agents.training.maskable_ppo import opponents_of
from tests.commands import ROOT, run
from w51_env import make_game

pytest.importorskip("sb3_contrib", reason="needs the extra 'train'")

SMALL = [
    "games_at_once=16",
    "decisions=512",
    "ppo.steps_per_update=16",
    "ppo.minibatch=64",
    "ppo.network=[8]",
    "evaluation.games=40",
]
SMALL += [
    "selfplay.tables=[{games: 8}, {games: 4, opponents: heuristic}, {games: 4, opponents: pool}]",
    "selfplay.network=[8]",
]
SMALL += ["selfplay.steps_per_update=32", "selfplay.minibatch=64", "selfplay.pool_every=1", "selfplay.pool=2"]
QUICK = ROOT / "configs" / "quick.yaml"
CONFIGS = sorted((ROOT / "configs").glob("*quick.yaml"))


@pytest.mark.parametrize("config", CONFIGS, ids=[config.stem for config in CONFIGS])
def test_a_run_trains_evaluates_and_keeps_what_it_made(config, tmp_path):
    status, printed, errors = run("train.py", "--config", config, *SMALL, folder=tmp_path)
    assert (status, errors) == (0, "")
    folder = tmp_path / "runs" / config.stem
    kept = {
        "checkpoint.safetensors",
        "config.yaml",
        "evaluation.json",
        "evaluation.png",
        "learning_curve.png",
        "progress.csv",
        "state.safetensors",
    }
    assert {path.name for path in folder.iterdir()} == kept | {"strength.csv", "tensorboard", "versions.json"}
    assert "Checkpoint  runs/" in printed
    matches = json.loads((folder / "evaluation.json").read_text())
    assert [[agent["name"] for agent in match["agents"]] for match in matches] == [
        [config.stem, "random"],
        [config.stem, "heuristic"],
        ["heuristic", "random"],
    ]
    assert matches[2]["agents"][0]["low"] > matches[2]["equal_share"]
    resolved = yaml.safe_load((folder / "config.yaml").read_text())
    with (folder / "progress.csv").open() as file:
        decisions = [int(row["decisions"]) for row in csv.DictReader(file)]
    assert (
        decisions == [256, 512]
        if resolved["trainer"] == "maskable_ppo"
        else decisions == sorted(set(decisions)) and decisions[-1] >= 512
    )
    assert resolved["ppo"]["network"] == resolved["selfplay"]["network"] == [8]

    again = run(
        "evaluate.py", f"runs/{config.stem}", "random", "--game", resolved["game"], "--games", 40, folder=tmp_path
    )
    assert again[0] == 0
    assert run("train.py", "--config", folder / "config.yaml", folder=tmp_path)[0] == 0
    assert (tmp_path / "runs" / f"{config.stem}-2" / "progress.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("trainer", ["maskable_ppo", "selfplay"])
def test_the_same_seed_gives_the_same_curve(tmp_path, trainer):
    def curve(folder: str, seed: int) -> list[list[str]]:
        arguments = [*SMALL, "evaluation.games=4", f"trainer={trainer}", f"seed={seed}", f"runs={folder}"]
        assert run("train.py", "--config", QUICK, *arguments, folder=tmp_path)[0] == 0
        with (tmp_path / folder / QUICK.stem / "progress.csv").open() as file:
            return [[value for name, value in row.items() if name != "seconds"] for row in csv.DictReader(file)]

    assert curve("a", 1) == curve("b", 1) != curve("c", 2)


@pytest.mark.slow
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
        (
            ["trainer=selfplay", "selfplay.tables=[{games: 4, opponents: gone/checkpoint.safetensors}]"],
            "gone/checkpoint.safetensors",
        ),
        (["trainer=selfplay", "selfplay.teacher=heuristc"], "heuristc"),
        (["evaluation.players=[9]"], "num_players: 9"),
    ],
)
def test_bad_input_is_told_in_words_before_anything_is_written(arguments: list, message: str, tmp_path):
    status, _, errors = run("train.py", "--config", QUICK, *arguments, folder=tmp_path)
    assert status == 2
    assert message in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").iterdir())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("selfplay.critic=seats", "selfplay.critic: 'seats': input should be 'seat' or 'table'"),
        ("selfplay.magnet=-0.1", "selfplay.magnet: -0.1: input should be greater than or equal to 0"),
        ("selfplay.magnet_pace=0", "selfplay.magnet_pace: 0: input should be greater than 0"),
        ("selfplay.magnet_pace=1.5", "selfplay.magnet_pace: 1.5: input should be less than or equal to 1"),
        ("selfplay.magnets=1", "selfplay.magnets: unknown key (did you mean 'magnet'?)"),
        ("selfplay.teacher=3", "selfplay.teacher: 3: input should be a valid string"),
        ("selfplay.teacher_weight=-1", "selfplay.teacher_weight: -1: input should be greater than or equal to 0"),
        ("selfplay.teacher_until=0", "selfplay.teacher_until: 0: input should be greater than 0"),
        ("selfplay.device=gpu", "selfplay.device: 'gpu'"),
        ("selfplay.precision=float16", "selfplay.precision: 'float16'"),
        ("selfplay.pool_every=0", "selfplay.pool_every: 0"),
        (
            "selfplay.tables=[{games: 4, opponents: ''}]",
            "selfplay.tables.0.opponents: '': string should have at least 1 character",
        ),
        ("selfplay.tables=[{players: 4}]", "selfplay.tables.0.games: missing"),
        ("checkpoint_minutes=0", "checkpoint_minutes: 0: input should be greater than 0"),
        ("evaluation.minute=3", "evaluation.minute: unknown key (did you mean 'minutes'?)"),
        ("evaluation.minutes=-1", "evaluation.minutes: -1: input should be greater than 0"),
        (
            "evaluation.games_while_training=1",
            "evaluation.games_while_training: 1: input should be greater than or equal to 2",
        ),
        ("torch_threads=0", "torch_threads: 0: input should be greater than or equal to 1"),
        ("runs=3", "runs: 3: input should be a valid string"),
        ("name=a/b", "name: 'a/b'"),
    ],
)
def test_a_value_that_is_not_allowed_is_told_with_its_key(change, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_config(QUICK, [change])


@pytest.mark.slow
def test_a_best_response_to_an_agent_is_trained_and_its_gain_told(tmp_path):
    few = ["selfplay.tables=[{games: 8}]", "selfplay.network=[8]", "selfplay.steps_per_update=32"]
    few += ["decisions=300", "evaluation.games=8", "torch_threads=1"]
    status, printed, errors = run("train.py", "--exploit", "random", *few, folder=tmp_path)
    assert (status, errors) == (0, "")
    folder = tmp_path / "runs" / "exploit"
    config = load_config(folder / "config.yaml")
    assert [(table.players, table.games, table.opponents) for table in config.selfplay.tables] == [(4, 8, "random")]
    (match,) = json.loads((folder / "evaluation.json").read_text())
    assert [agent["name"] for agent in match["agents"]] == ["exploit", "random"]
    (response,) = json.loads((folder / "exploit.json").read_text())
    assert (response["agent"], response["win_rate"]) == ("random", match["agents"][0]["win_rate"])
    assert "Against copies of random in games of 4" in printed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--config is missing; there are alles_futsch_quick.yaml, exploit.yaml"),
        (
            ["--exploit", "nobody"],
            "agent 'nobody' is unknown; known are random, heuristic, pretrained, paths of checkpoints",
        ),
    ],
)
def test_a_run_of_nothing_is_refused(arguments, message, tmp_path):
    status, _, errors = run("train.py", *arguments, folder=tmp_path)
    assert status == 2
    assert message in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "runs").exists()


def test_one_name_needs_no_brackets():
    config = load_config(QUICK, ["opponents=heuristic", "evaluation.against=random"])
    assert (config.opponents, config.evaluation.against) == (("heuristic",), ("random",))
    assert opponents_of(config, make_game("warehouse51_v0", num_players=5)) == ["heuristic"] * 4


@pytest.mark.slow
def test_a_config_that_cannot_be_read_is_named(tmp_path):
    assert "cannot be read" in run("train.py", "--config", tmp_path / "none.yaml")[2]
    (tmp_path / "bad.yaml").write_text("name: [")
    assert "not valid YAML" in run("train.py", "--config", tmp_path / "bad.yaml")[2]
