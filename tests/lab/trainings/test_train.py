"""train.py: its output files, and its messages for bad input."""

import csv
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.commands import ROOT, invoke, refused, run, succeeded
from w51_agents.training.config import ConfigError, load_config
from w51_agents.training.maskable_ppo import opponents_of
from w51_env import make_game
from w51_lab.commands.train import EXAMPLES, app

pytestmark = pytest.mark.usefixtures("one_thread")

BOTH = ["decisions=512", "evaluation.games=20"]
SMALL = {
    "quick": [*BOTH, "num_envs=16", "ppo.num_steps=16", "ppo.minibatch_size=64", "ppo.hidden_sizes=[8]"],
    "selfplay_base_policy": [
        *BOTH,
        "selfplay.games=[{num_envs: 8}, {num_envs: 4, opponents: heuristic}, {num_envs: 4, opponents: pool}]",
        *("selfplay.hidden_sizes=[8]", "selfplay.num_steps=32", "selfplay.minibatch_size=64"),
        *("selfplay.pool_every=1", "selfplay.pool=2"),
    ],
}
SMALL["alles_futsch_quick"] = SMALL["quick"]
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """train.py in this process and an empty folder: exit status, output, errors."""
    monkeypatch.chdir(tmp_path)
    return partial(invoke, app)


# ---- a run


@pytest.mark.parametrize("name", SMALL)
def test_a_run_trains_evaluates_and_writes_its_files(name, call, tmp_path):
    printed, _ = succeeded(call("--config", name, *SMALL[name]))
    folder = tmp_path / "runs" / name
    files = {"checkpoint.safetensors", "state.safetensors", "config.yaml", "versions.json", "evaluation.json"}
    files |= {".lock"}
    files |= {"progress.csv", "strength.csv", "tensorboard", "evaluation.png", "learning_curve.png"}
    assert {path.name for path in folder.iterdir()} == files
    assert f"Checkpoint  runs/{name}/checkpoint.safetensors" in printed
    assert ("the action of heuristic (base_policy)" in printed) == (name == "selfplay_base_policy")
    matches = json.loads((folder / "evaluation.json").read_text())
    pairs = [[agent["name"] for agent in match["agents"]] for match in matches]
    bots = ["random", "heuristic"]
    assert pairs == [*([name, bot] for bot in bots), *([bot, name] for bot in bots), ["heuristic", "random"]]
    assert matches[4]["agents"][0]["low"] > matches[4]["equal_share"]
    settings = yaml.safe_load((folder / "config.yaml").read_text())
    section, other = ("selfplay", "ppo") if name == "selfplay_base_policy" else ("ppo", "selfplay")
    assert settings[section]["hidden_sizes"] == [8]
    assert other not in settings
    with (folder / "progress.csv").open() as file:
        decisions = [int(row["decisions"]) for row in csv.DictReader(file)]
    assert decisions == sorted(set(decisions))
    assert decisions[-1] >= 512


def test_a_run_whose_name_is_taken_says_in_which_folder_it_is(call, tmp_path):
    (tmp_path / "runs" / "quick").mkdir(parents=True)
    (tmp_path / "runs" / "quick" / "notes.txt").touch()
    printed, _ = succeeded(
        call("--config", "quick", *SMALL["quick"], "evaluation.games=4", "evaluation.against=random")
    )
    assert "There is a run quick already; this one is in runs/quick-2." in printed
    assert "Checkpoint  runs/quick-2/checkpoint.safetensors" in printed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quick", "selfplay_base_policy"])
def test_the_config_of_a_run_gives_the_same_curve_again_and_another_seed_another_one(name, call, tmp_path):
    def curve(folder: str, *arguments: object) -> list[list[str]]:
        assert call("--config", *arguments, f"runs={folder}")[0] == 0
        with (tmp_path / folder / name / "progress.csv").open() as file:
            return [[value for column, value in row.items() if column != "seconds"] for row in csv.DictReader(file)]

    first = curve("a", name, *SMALL[name], "evaluation.games=4")
    config = tmp_path / "a" / name / "config.yaml"
    assert first == curve("b", config) != curve("c", config, "seed=2")


@pytest.mark.slow
def test_train_py_runs_as_a_program_and_evaluate_py_plays_its_run(tmp_path):
    status, printed, errors = run("train.py", "--config", "quick", *SMALL["quick"], folder=tmp_path)
    assert (status, errors) == (0, "")
    assert "Checkpoint  runs/quick/checkpoint.safetensors" in printed
    assert run("evaluate.py", "runs/quick", "random", "--games", 40, folder=tmp_path)[0] == 0


def test_a_best_response_to_an_agent_is_trained_and_its_gain_printed(call, tmp_path):
    few = ["selfplay.games=[{num_envs: 8}]", "selfplay.hidden_sizes=[8]", "selfplay.num_steps=32"]
    printed, _ = succeeded(
        call(
            "--exploit",
            "random",
            *few,
            "decisions=300",
            "evaluation.games=8",
            "--response",
            "cold",
            "--response",
            "search=4",
        )
    )
    folder = tmp_path / "runs" / "exploit"
    kinds = load_config(folder / "cold" / "config.yaml").selfplay.games
    assert [(kind.num_players, kind.num_envs, kind.opponents) for kind in kinds] == [(4, 8, "random")]
    (match,) = json.loads((folder / "cold" / "evaluation.json").read_text())
    assert [agent["name"] for agent in match["agents"]] == ["cold", "random"]
    (response,) = json.loads((folder / "exploit.json").read_text())
    cold, search = response["responses"]
    assert (response["agent"], cold["win_rate"]) == ("random", match["agents"][0]["win_rate"])
    assert (search["response"], search["playouts"], search["games"]) == ("search", 4, 8)
    assert response["win_rate"] == max(cold["win_rate"], search["win_rate"])
    assert "Against copies of random in games of 4" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--exploit", "random", "--response", "cold=0"],
            "--response cold=0: '0' decisions, but an integer of at least 1",
        ),
        (["--exploit", "random", "--response", "cold=1.5"], "'1.5' decisions, but an integer of at least 1"),
        (["--exploit", "random", "--response", "cold=yes"], "'yes' decisions, but an integer of at least 1"),
        (
            ["--exploit", "random", "--response", "warm=1e5"],
            "response 'warm' to 'random': needs a network of self-play",
        ),
        (["--exploit", "random", "--response", "warm"], "response 'warm' to 'random': needs a network of self-play"),
        (["--config", "quick", "--response", "cold"], "--response: only with --exploit"),
    ],
)
def test_a_response_that_cannot_be_learned_is_an_error(arguments, message, call, tmp_path):
    refused(call(*arguments), message)
    assert not (tmp_path / "runs").exists()


def test_examples_in_the_help_name_configs_and_keys_that_exist():
    commands = [line.split("w51 train ")[1] for line in EXAMPLES.splitlines() if "w51 train " in line]
    assert len(commands) >= 4
    assert all(len(line) < 80 for line in EXAMPLES.splitlines())
    for command in commands:
        option, name, *changes = command.replace("'", "").split()
        if option == "--config":
            load_config(name, [change for change in changes if "=" in change])


# ---- bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("decisons=5", "decisons: unknown key (did you mean 'decisions'?)"),
        ("ppo.update_epochs=many", "ppo.update_epochs: 'many'"),
        ("seed", "change 'seed': key=value is needed"),
        ("options.num_players=7", "num_players: 7"),
        ("options.preset=fancy", "fancy"),
        ("opponents=[heuristc]", "heuristc"),
        (
            "opponents=[random, heuristic, random, random]",
            "opponents: 4 names (random, heuristic, random, random), but a game of 4 has 3",
        ),
        ("opponents=[]", "opponents: []: list should have at least 1 item"),
        ("learner_seat=9", "learner_seat: 9"),
        ("game=chess_v0", "chess_v0"),
        ("trainer=selfplai", "trainer: 'selfplai'"),
        ("evaluation.against=[nobody]", "nobody"),
        ("evaluation.num_players=[9]", "num_players: 9"),
        (
            "selfplay.games=[{num_envs: 4, oponents: self}]",
            "selfplay.games.0.oponents: unknown key (did you mean 'opponents'?)",
        ),
        ("selfplay.games=[{num_envs: 4, num_players: 9}]", "num_players: 9"),
        ("selfplay.games=[{num_envs: 4, opponents: heuristc}]", "heuristc"),
        (
            "selfplay.games=[{num_envs: 4, opponents: gone/checkpoint.safetensors}]",
            "checkpoint gone/checkpoint.safetensors: there is no such file or folder",
        ),
        ("selfplay.teacher=heuristc", "heuristc"),
        ("selfplay.network_settings={a: 1}", "network_settings: {'a': 1}, but without `network`"),
        ("selfplay.device=cuda:99", "selfplay.device: 'cuda:99', but PyTorch finds "),
        ("ppo.learning_rate=.inf", "ppo.learning_rate: inf: input should be a finite number"),
        ("evaluation.games=1000000000000", "evaluation.games: 1000000000000: input should be less than"),
        ("torch_threads=2000000000", "torch_threads: 2000000000: input should be less than or equal to"),
        ("num_envs=10000000", "num_envs: 10000000: input should be less than or equal to 1048576"),
        ("seed=4294967296", "seed: 4294967296: input should be less than 4294967296"),
        ('runs="a\\0b"', "runs: 'a\\x00b': string should match pattern"),
        ("selfplay.start=runs/none", "checkpoint runs/none: there is no such file or folder"),
    ],
)
def test_bad_input_is_an_error_before_anything_is_written(change, message, call, tmp_path):
    name = "selfplay_quick" if change.startswith("selfplay.") else "quick"
    refused(call("--config", name, change), message)
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").iterdir())


OF_MASKABLE_PPO = "a setting of trainer maskable_ppo, but trainer is selfplay"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("num_envs=8", f"num_envs: {OF_MASKABLE_PPO}"),
        ("opponents=random", f"opponents: {OF_MASKABLE_PPO}"),
        ("ppo.gamma=0.9", f"ppo.gamma: {OF_MASKABLE_PPO}"),
        ("trainer=maskable_ppo", "a setting of trainer selfplay, but trainer is maskable_ppo"),
        ("trainer=[selfplay]", "trainer: ['selfplay']: input should be"),
        ("selfplay.critic=seats", "selfplay.critic: 'seats': input should be 'local' or 'centralized'"),
        ("selfplay.average_kl=-0.1", "selfplay.average_kl: -0.1: input should be greater than or equal to 0"),
        ("selfplay.average_rate=1.5", "selfplay.average_rate: 1.5: input should be less than or equal to 1"),
        ("selfplay.teacher=3", "selfplay.teacher: 3: input should be a valid string"),
        ("selfplay.device=gpu", "selfplay.device: 'gpu'"),
        ("selfplay.device=cuda:99999999999999999999", "selfplay.device: 'cuda:99999999999999999999': string should"),
        (
            "selfplay.games=[{num_envs: 4, opponents: ''}]",
            "selfplay.games.0.opponents: '': value error, names of one character or more are needed",
        ),
        ("selfplay.games=[{num_players: 4}]", "selfplay.games.0.num_envs: missing"),
        ("checkpoint_minutes=0", "checkpoint_minutes: 0: input should be greater than 0"),
        (
            "evaluation.games_while_training=1",
            "evaluation.games_while_training: 1: input should be greater than or equal to 2",
        ),
        ("name=a/b", "name: 'a/b'"),
    ],
)
def test_a_value_that_is_not_allowed_is_reported_with_its_key(change, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_config("selfplay_quick", [change])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Other games:\n  alles_futsch          15 minutes, one core        self-play from nothing"),
        (["--config", "quik"], "config quik: no such file (did you mean 'quick'?)\nFirst agents:\n  bots_quick"),
        (["quick"], "--config is missing (did you mean --config quick?)\nFirst agents:"),
        (["--config", "none.yaml"], "config none.yaml: no such file"),
        (
            ["--exploit", "nobody"],
            "'nobody' is unknown; known are random, heuristic, pretrained, pretrained-v2, exploiter, pretrained-v1",
        ),
    ],
)
def test_a_missing_config_or_agent_is_an_error(arguments, message, call, tmp_path):
    refused(call(*arguments), message)
    assert not (tmp_path / "runs").exists()


def test_a_config_is_found_by_path_and_by_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    expected = load_config(ROOT / "configs" / "quick.yaml")
    assert load_config("quick") == load_config("quick.yaml") == expected
    (tmp_path / "quick").write_text("name: mine\ndecisions: 5\n")
    assert load_config("quick").name == "mine"


def test_one_name_needs_no_brackets():
    config = load_config("quick", ["opponents=heuristic", "evaluation.against=random"])
    assert (config.opponents, config.evaluation.against) == (("heuristic",), ("random",))
    assert opponents_of(config, make_game("warehouse51_v1", num_players=5)) == ["heuristic"] * 4
