"""A run and its folder: start, resume, output files."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.agents.networks.small import TRAINERS, content, learned, resume, rows, small, state_of, train
from w51_agents import AgentError
from w51_agents.named.versions import git
from w51_agents.networks.checkpoint import read_checkpoint, write_checkpoint
from w51_agents.networks.load import load_agent
from w51_agents.training.config import config_text, load_config
from w51_agents.training.pool import Pool
from w51_agents.training.run import Run
from w51_env import __version__, make_game

# ---- resuming


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> Callable[[str], Run]:
    """A run of a trainer from its start to its end."""
    return cache(lambda trainer: train(Run.begin(small(trainer, tmp_path_factory.mktemp(trainer)))))


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_stopped_and_resumed_run_ends_equal_to_an_uninterrupted_one(trainer, uninterrupted, tmp_path):
    whole = uninterrupted(trainer)
    assert whole.complete
    assert len(rows(whole.folder)) > 6
    parts = train(Run.begin(small(trainer, tmp_path / "parts")), 2)
    for updates in (1, 0, 3, None):
        assert not parts.complete
        parts = train(resume(parts.folder), updates)
    assert parts.complete
    assert rows(parts.folder) == rows(whole.folder)
    assert learned(parts.folder) == learned(whole.folder)


def test_evaluations_during_training_do_not_change_it(uninterrupted, tmp_path):
    """They come by the clock, so the same run has them at other times."""
    often = {
        "games": 12,
        "games_while_training": 6,
        "against": ["random", "shader"],
        "num_players": [2, 3],
        "minutes": 1e-9,
    }
    whole = uninterrupted("selfplay")
    watched = train(Run.begin(small("selfplay", tmp_path / "watched", evaluation=often)), 3)
    watched = train(resume(watched.folder))
    assert learned(watched.folder)["arrays"] == learned(whole.folder)["arrays"]
    matches = rows(watched.folder, "strength.csv")
    assert [(row["players"], row["against"]) for row in matches[:4]] == [
        ("2", "random"),
        ("2", "shader"),
        ("3", "random"),
        ("3", "shader"),
    ]
    assert len(matches) == 4 * len(rows(watched.folder))
    assert not rows(whole.folder, "strength.csv")  # the first evaluation is due after 5 minutes
    assert len({(row["decisions"], row["players"], row["against"]) for row in matches}) == len(matches)


def test_resuming_a_finished_run_changes_nothing(tmp_path):
    run = train(Run.begin(small("selfplay", tmp_path, decisions=200)))
    before, state = content(run.folder), learned(run.folder)
    again = resume(run.folder)
    assert again.complete
    train(again)
    assert learned(again.folder) == state
    after = content(run.folder)
    for name in ("progress.csv", "strength.csv", "config.yaml", "versions.json"):
        assert after[name] == before[name]


def test_runs_of_one_name_have_different_folders(tmp_path):
    config = small("selfplay", tmp_path)
    folders = [train(Run.begin(config), 0).folder.name for _ in range(3)]
    assert folders == ["one", "one-2", "one-3"]


# ---- output files


def test_versions_and_the_whole_config_are_written(tmp_path):
    config = small("selfplay", tmp_path)
    folder = train(Run.begin(config), 0).folder
    versions = json.loads((folder / "versions.json").read_text())
    assert versions["w51_env"] == __version__
    assert versions["numpy"] == np.__version__
    assert versions["commit"] == git("rev-parse", "HEAD")
    assert load_config(folder / "config.yaml", allowed=[config.game]) == config
    assert (folder / "config.yaml").read_text() == config_text(config)
    assert (
        yaml.safe_load((folder / "config.yaml").read_text())["selfplay"]["gamma"] == 1.0
    )  # which the test did not name


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_checkpoint_plays_as_the_trainer_does(trainer, tmp_path):
    run = train(Run.begin(small(trainer, tmp_path)), 3)
    game = make_game(run.game.make.__module__ + ":make", num_players=3)
    generator = np.random.default_rng(0)
    observations = generator.integers(0, 2, (500, game.layout.size)).astype(np.int8)
    masks = generator.random((500, len(game.actions))) < 0.5
    masks[:, 0] = True
    expected = run.trainer.agent(game).act_batch(observations, masks)
    assert len(set(expected.tolist())) > 1
    np.testing.assert_array_equal(load_agent(game, run.folder).act_batch(observations, masks), expected)


def test_a_policy_whose_logits_overflow_is_an_error_in_words(tmp_path):
    run = train(Run.begin(small("maskable_ppo", tmp_path)), 0)
    checkpoint = read_checkpoint(run.checkpoint, run.game)
    weights = {name: np.full(array.shape, 1e38, np.float32) for name, array in checkpoint.weights.items()}
    write_checkpoint(replace(checkpoint, weights=weights), run.game, run.checkpoint)
    agent = load_agent(run.game, run.folder)
    with pytest.raises(AgentError, match="its logits are not finite"):
        agent.act_batch(np.ones((1, run.game.layout.size), np.int8), np.ones((1, len(run.game.actions)), bool))


NAN = float("nan")
FACTS = [
    ("selfplay", "trainer", {}),
    ("selfplay", "progress", [{"decisions": 1}]),
    ("selfplay", "seconds", "long"),
    ("selfplay", "rules", None),
    ("selfplay", "config", []),
    *(("maskable_ppo", "trainer/numpy_position", position) for position in (-(10**9), -1, 625, 10**9)),
    ("maskable_ppo", "trainer/python", [2**40] * 625),
    ("selfplay", "trainer/games/0/generator/bit_generator", "MT19937"),
    ("maskable_ppo", "trainer/decisions", NAN),
    ("maskable_ppo", "trainer/updates", [1]),
    ("maskable_ppo", "trainer/updates", -1),
    ("maskable_ppo", "trainer/outcomes", [["a", None, 1]]),
    ("maskable_ppo", "trainer/python", 3),
    ("selfplay", "trainer/decisions", NAN),
    ("selfplay", "trainer/updates", True),
    ("selfplay", "trainer/pool/slots", 1),
    ("selfplay", "progress/0/losses/entropy", "much"),
    ("selfplay", "progress/0/decisions", 2**64),
    ("selfplay", "progress/0/decisions", NAN),
    ("selfplay", "strength", [{"decisions": None}]),
]
ARRAYS = [
    ("maskable_ppo", "episode_starts", np.zeros((2, 3), bool)),
    ("maskable_ppo", "numpy", np.zeros(3, np.uint32)),
    ("maskable_ppo", "numpy", None),  # missing
    ("maskable_ppo", "optimizer/0.exp_avg", np.zeros(3, np.float32)),
    ("maskable_ppo", "policy/value_net.bias", np.full(1, NAN, np.float32)),
    ("selfplay", "optimizer/0.exp_avg_sq", np.float32(1)),
    ("selfplay", "optimizer/0.step", np.float32(NAN)),
    ("selfplay", "optimizer/0.step", np.float32(-1)),
    ("selfplay", "optimizer/1.exp_avg_sq", np.full(8, -1, np.float32)),
    ("selfplay", "games/0/group 0/policies", np.full((8, 3), 1)),
    ("selfplay", "games/0/group 1/policies", np.full((4, 2), -2)),
    ("selfplay", "games/0/group 2/policies", np.full((6, 4), 7)),
    ("selfplay", "games/0/group 2/policies", np.zeros(6, np.float32)),
    ("selfplay", "pool/losses", np.full(2, NAN)),
    ("selfplay", "pool/losses", np.full(2, 2.0)),
]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder of each trainer's run, after some updates."""
    return {name: train(Run.begin(small(name, tmp_path_factory.mktemp(name))), 4).folder for name in TRAINERS}


def copy_of(folder: Path, parent: Path) -> Path:
    return Path(shutil.copytree(folder, parent / "one", ignore=shutil.ignore_patterns(".lock")))


@pytest.mark.parametrize(("trainer", "key", "value"), FACTS)
def test_facts_of_a_state_that_no_trainer_writes_are_refused(trained, tmp_path, trainer, key, value):
    folder = copy_of(trained[trainer], tmp_path)
    with state_of(folder) as state:
        *sections, last = key.split("/")
        inner = state.facts
        for section in sections:
            inner = inner[int(section) if isinstance(inner, list) else section]
        inner[last] = value
    with pytest.raises(AgentError, match="its state has values that do not fit"):
        resume(folder)


@pytest.mark.parametrize(("trainer", "name", "array"), ARRAYS)
def test_arrays_of_a_state_that_no_trainer_writes_are_refused(trained, tmp_path, trainer, name, array):
    folder = copy_of(trained[trainer], tmp_path)
    with state_of(folder) as state:
        del state.arrays[f"trainer/{name}"]
        if array is not None:
            state.arrays[f"trainer/{name}"] = np.asarray(array)
    with pytest.raises(AgentError, match=r"values that do not fit: .*go on with the commit that versions\.json"):
        resume(folder)


def test_a_fault_of_the_code_is_no_refused_state(trained, tmp_path, monkeypatch):
    folder = copy_of(trained["selfplay"], tmp_path)
    monkeypatch.setattr(Pool, "restore", None)
    with pytest.raises(TypeError, match="not callable"):
        resume(folder)
    monkeypatch.undo()
    resume(folder).close()


def test_snapshots_are_kept_evenly_over_the_second_half_also_of_a_resumed_run(tmp_path):
    whole = train(Run.begin(small("selfplay", tmp_path / "whole", snapshots=4)))
    parts = train(Run.begin(small("selfplay", tmp_path / "parts", snapshots=4)), 5)
    parts = train(resume(parts.folder))
    kept = [{path.name: path.read_bytes() for path in (run.folder / "snapshots").iterdir()} for run in (whole, parts)]
    assert kept[0] == kept[1]
    assert sorted(kept[0]) == [f"00{number}.safetensors" for number in (1, 2, 3, 4)]
    assert len(set(kept[0].values())) == 4
    assert (whole.folder / "checkpoint.safetensors").read_bytes() == kept[0]["004.safetensors"]
