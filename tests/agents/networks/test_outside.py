"""Trainers, networks and rewards outside the package: as complete as its own, and never imported for a file's sake."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from tests.agents.networks.outside import ReferenceConfig, ReferenceTrainer
from tests.agents.networks.selfplay import trainer_of
from tests.agents.networks.small import ONE_LOT, train
from tests.commands import invoke
from w51_agents import AgentError, make_agent
from w51_agents.agent import imports
from w51_agents.networks.checkpoint import read_checkpoint, write_checkpoint
from w51_agents.networks.load import load_agent
from w51_agents.networks.making import load_network, save_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training import registry
from w51_agents.training.config import ConfigError, config_code, config_data, load_config, parse_config
from w51_agents.training.games import LEARNER, GamesPart
from w51_agents.training.registry import TrainerSpec, register_trainer, trainer_spec
from w51_agents.training.rollout import ShapedRewards
from w51_agents.training.run import Run
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_lab.commands.train import app

TRAINER, NETWORK, SHAPING = (f"tests.agents.networks.outside:{name}" for name in ("SPEC", "Attention", "OwnBid"))
CODE = [ONE_LOT, TRAINER, NETWORK, SHAPING]
GAMES = [{"num_players": 3, "num_envs": 8, "opponents": "shader"}, {"num_players": 2, "num_envs": 4}]


def data_of(runs: Path, trainer: str = TRAINER, **changes: Any) -> dict[str, Any]:
    """A config with a trainer, a network and a reward of others; `changes` to the section of the trainer."""
    section = "reference" if trainer == TRAINER else trainer
    outside = {"network": NETWORK, "network_settings": {"tokens": 6}, "shaping": SHAPING}
    settings = {"games": GAMES, "hidden_sizes": [8], "num_steps": 12, "minibatch_size": 64, **outside, **changes}
    evaluation = {"games": 12, "against": ["random"], "num_players": [2]}
    return {
        "name": "one",
        "game": ONE_LOT,
        "decisions": 500,
        "trainer": trainer,
        "runs": str(runs),
        section: settings,
        "evaluation": evaluation,
    }


def config_of(runs: Path, **changes: Any):
    return parse_config(data_of(runs, **changes), "of a test", CODE)


def selfplay(tmp_path: Path, **changes: Any) -> SelfPlayTrainer:
    return trainer_of(tmp_path, **{"games": GAMES, **changes})


@pytest.fixture
def nothing_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "_ALLOWED", set())


# ---- training


def test_a_run_of_others_has_curves_an_evaluation_and_plays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(yaml.safe_dump(data_of(tmp_path / "runs")))
    allow = [text for name in CODE for text in ("--allow", name)]
    status, printed, _ = invoke(app, "--config", "one.yaml", *allow)
    assert status == 0
    assert "Inputs      the observation" in printed
    folder = tmp_path / "runs" / "one"
    assert {"learning_curve.png", "evaluation.json", "progress.csv"} <= {path.name for path in folder.iterdir()}
    assert json.loads((folder / "evaluation.json").read_text())[0]["agents"][0]["name"] == "one"
    status, printed, _ = invoke(app, "--exploit", folder, "--config", "one.yaml", *allow, "name=best")
    assert status == 0
    assert f"Against copies of {folder} in games of 2" in printed


# ---- code that a file names


def test_a_config_of_others_imports_no_trainer_network_or_reward(tmp_path):
    for key, name in (("network", "evil:Network"), ("shaping", "evil:Potentials")):
        path = tmp_path / f"{key}.yaml"
        path.write_text(yaml.safe_dump(data_of(tmp_path, **{key: name})))
        with pytest.raises(AgentError, match=f"names third-party code: {name}; .* add --allow {name}"):
            load_config(path, allowed=CODE)
    (tmp_path / "trainer.yaml").write_text(yaml.safe_dump({**data_of(tmp_path), "trainer": "evil:SPEC"}))
    with pytest.raises(AgentError, match=r"names third-party code: evil:SPEC; it was not imported"):
        load_config(tmp_path / "trainer.yaml", allowed=CODE)
    assert "evil" not in sys.modules


def test_a_run_is_resumed_only_if_its_trainer_is_allowed(tmp_path):
    folder = train(Run.begin(config_of(tmp_path)), 1).folder
    for missing in CODE:
        with pytest.raises(AgentError, match=re.escape(missing)):
            Run.resume(folder, allowed=[name for name in CODE if name != missing])
    run = Run.resume(folder, allowed=CODE)
    assert all(f"--allow {name}" in run.resumption for name in CODE)
    run.close()


@pytest.mark.usefixtures("nothing_allowed")
def test_a_checkpoint_with_a_network_of_others_is_refused_until_it_is_allowed(tmp_path):
    run = train(Run.begin(config_of(tmp_path)), 1)
    imports._ALLOWED.clear()  # as in another process
    game = make_game(ONE_LOT, num_players=2)
    with pytest.raises(AgentError, match=rf"its network is third-party code: {NETWORK}; it was not imported"):
        make_agent(str(run.folder), game)
    trusted = make_agent(str(run.folder), game, trust=True)
    imports.allow_code([NETWORK])
    allowed = load_agent(game, run.folder)
    observations, masks = np.ones((4, game.layout.size), np.int8), np.ones((4, len(game.actions)), bool)
    np.testing.assert_array_equal(trusted.act_batch(observations, masks), allowed.act_batch(observations, masks))


@pytest.mark.usefixtures("nothing_allowed")
def test_a_checkpoint_of_a_stranger_imports_nothing(tmp_path):
    game, path = make_game(ONE_LOT), tmp_path / "one.safetensors"
    save_network(ActorCritic(game, [8]), game, path)
    checkpoint = read_checkpoint(path, game)
    write_checkpoint(replace(checkpoint, shape={**checkpoint.shape, "network": "evil:Network"}), game, path)
    (tmp_path / "evil.py").write_text("raise SystemExit('it ran')")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        with pytest.raises(AgentError, match="evil:Network; it was not imported"):
            make_agent(str(path), game)


# ---- the registry


def test_a_trainer_is_registered_under_a_name(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))
    register_trainer("mine", TRAINER)
    config = parse_config({**data_of(tmp_path), "trainer": "mine"}, "of a test")
    assert TRAINER not in config_code(config)
    assert trainer_spec("mine") is trainer_spec(TRAINER)
    with pytest.raises(AgentError, match="trainer 'mine': this name is taken"):
        register_trainer("mine", "other:SPEC")
    with pytest.raises(ConfigError, match="reference: a setting of trainer mine, but trainer is selfplay"):
        parse_config({"name": "one", "decisions": 1, "trainer": "selfplay", "reference": 3}, "of a test")


def test_a_trainer_without_an_equal_share_cannot_be_registered():
    with pytest.raises(TypeError, match="equal_share"):
        TrainerSpec(config=ReferenceConfig, trainer=ReferenceTrainer, inputs=list, opponents=list)


def test_the_equal_share_is_that_of_games_with_opponents(tmp_path):
    spec = trainer_spec(TRAINER)
    game = make_game(ONE_LOT)
    assert spec.equal_share(config_of(tmp_path), game) == pytest.approx(1 / 3)
    assert spec.equal_share(config_of(tmp_path, games=GAMES[1:]), game) is None


@pytest.mark.parametrize("name", ["selfplai", "tests.agents.gone:SPEC", "tests.agents.networks.outside:OwnBid"])
def test_a_trainer_that_does_not_exist_is_named(name):
    with pytest.raises(AgentError, match=f"trainer:? '{name}'"):
        trainer_spec(name)


# ---- shaping


def test_shaping_adds_the_same_to_a_game_whatever_its_seats_do(tmp_path):
    """All bids are -1 at first, of potential 0; so the terms of a game without bots add up to 0 for each seat."""
    plain, shaped = selfplay(tmp_path), selfplay(tmp_path, shaping=SHAPING)
    for trainer in (plain, shaped):
        trainer.collect()
    before, after = plain.experience.rollout, shaped.experience.rollout
    assert torch.equal(before.actions, after.actions)
    terms = after.rewards - before.rewards
    ends = np.flatnonzero(after.dones[:, -1])
    assert len(ends) > 1
    assert np.abs(terms[:, -1]).max() >= 0.5
    for first, last in zip([-1, *ends], ends, strict=False):
        np.testing.assert_allclose(terms[first + 1 : last + 1, -1].sum(0), 0.0, rtol=1e-5, atol=1e-5)


# ---- hidden slices


def test_hidden_slices_are_zero_in_training_and_in_play(tmp_path):
    trainer = selfplay(tmp_path, hidden_slices=["worth"])
    trainer.update()
    rollout, game = trainer.experience.rollout, trainer.game
    worth = game.layout["worth"].slice
    np.testing.assert_array_equal(rollout.inputs[..., worth], 0)
    assert (rollout.observations[..., worth] > 0).any()
    trainer.write_checkpoint(tmp_path / "one.safetensors")
    assert load_network(game, tmp_path / "one.safetensors").hidden_slices == ["worth"]
    agent = make_agent(str(tmp_path / "one.safetensors"), game)
    seen = rollout.observations.flatten(0, 1).numpy()
    changed = seen.copy()
    changed[:, worth] = 9 - changed[:, worth]
    masks = rollout.masks.flatten(0, 1).numpy()
    np.testing.assert_array_equal(agent.policy(seen, masks), agent.policy(changed, masks))
    own = trainer.agent(game)
    np.testing.assert_array_equal(own.policy(seen, masks), agent.policy(seen, masks))


def test_a_teacher_and_a_base_policy_read_what_is_hidden_from_the_network(tmp_path):
    hidden = {"hidden_slices": ["worth"], "games": [{"num_players": 2, "num_envs": 8}]}
    trainer = selfplay(tmp_path, teacher="shader", base_policy="shader", **hidden)
    trainer.collect()
    rollout = trainer.experience.rollout
    expected = rollout.observations[..., trainer.game.layout["worth"].start].numpy() // 2
    np.testing.assert_array_equal(
        trainer.extra_rows(0.0)["teacher"].argmax(1).reshape(expected.shape).numpy(), expected
    )
    np.testing.assert_array_equal(rollout.base_actions.numpy(), expected)
    np.testing.assert_array_equal(rollout.is_learner, LEARNER == 0)


def test_a_config_without_new_keys_writes_the_same_checkpoint_as_before(tmp_path):
    trainer = selfplay(tmp_path)
    assert trainer.model.network.shape.keys() == {"hidden_sizes", "base_policy", "heuristic_features"}
    assert config_data(trainer.config)["selfplay"]["hidden_slices"] == []


def test_the_potential_of_an_ended_game_is_0_also_where_the_next_one_begins_higher():
    games = GamesPart([(make_game(ONE_LOT, num_players=2), 3, "self")], seed=0)
    games.reset(np.zeros(0))
    shaped = ShapedRewards("tests.agents.networks.outside:Constant", games)
    for ends in (False, True):  # the second of two bids ends the game
        games.step(np.zeros(3, np.int64), np.zeros(0))
        assert games.done.tolist() == [ends] * 3
        np.testing.assert_array_equal(shaped.terms()[:, :2], -2.5 if ends else 0.0)
