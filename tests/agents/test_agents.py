"""All agents: legal actions, the same actions for the same seed, and errors for unknown names and files."""

import json
import sys
import zipfile

import numpy as np
import pytest

from tests.agents.every import decisions
from w51_agents import AgentError, make_agent, register_agent, registered_agents
from w51_agents.agent.bots import BotAgent
from w51_agents.agent.interface import BatchAgent
from w51_agents.named import registry
from w51_agents.networks.load import checkpoint_of
from w51_agents.networks.maskable import MaskablePPOAgent
from w51_env import make_game
from w51_env.engine.bots import Bot
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game

GAMES = [make_game("warehouse51_v1"), make_game("alles_futsch_v1")]
every_game = pytest.mark.parametrize("game", GAMES, ids=[game.id for game in GAMES])
every_bot = pytest.mark.parametrize("name", ["random", "heuristic"])


@every_game
@every_bot
def test_a_bot_takes_legal_actions_only(game: Game, name: str):
    seen, masks = decisions(game)
    actions = make_agent(name, game).act_batch(seen, masks)
    assert actions.shape == (len(seen),)
    np.testing.assert_array_equal(masks[np.arange(len(seen)), actions], True)


@every_game
@every_bot
def test_one_decision_is_a_batch_of_one(game: Game, name: str):
    seen, masks = decisions(game, num_games=5, steps=10)
    one, many = make_agent(name, game), make_agent(name, game)
    one.reset(4)
    many.reset(4)
    actions = [one.act(observation, mask, {}) for observation, mask in zip(seen, masks, strict=True)]
    assert all(type(action) is int for action in actions)
    assert actions == many.act_batch(seen, masks, [{}] * len(seen)).tolist()


@every_game
def test_the_random_agent_draws_each_legal_action_equally_often(game: Game):
    seen, masks = decisions(game, num_games=1, steps=1)
    repeated = 20_000
    actions = make_agent("random", game).act_batch(np.repeat(seen, repeated, 0), np.repeat(masks, repeated, 0))
    counts = np.bincount(actions, minlength=masks.shape[1])[masks[0] == 1]
    expected = repeated / masks[0].sum()
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected)


def test_the_random_agent_repeats_its_actions_for_the_same_seed():
    seen, masks = decisions(GAMES[0])
    agent = make_agent("random", GAMES[0])
    agent.reset(1)
    first = agent.act_batch(seen, masks)
    second = agent.act_batch(seen, masks)
    agent.reset(1)
    np.testing.assert_array_equal(agent.act_batch(seen, masks), first)
    assert (second != first).any()


def test_a_mask_may_be_bool_and_an_empty_one_gives_no_action():
    seen, masks = decisions(GAMES[0], num_games=2, steps=1)
    masks[1] = 0
    actions = make_agent("heuristic", GAMES[0]).act_batch(seen, masks.astype(bool))
    assert masks[0, actions[0]] == 1
    assert actions[1] == -1


def test_a_bot_of_another_name_is_an_error_that_names_the_nearest():
    with pytest.raises(
        OptionError, match=r"bot: 'heuristics', but warehouse51_v1 has random, heuristic \(did you mean 'heuristic'\?\)"
    ):
        Bot(GAMES[0], "heuristics")


# ---- by name


def test_an_unknown_agent_is_an_error_that_names_the_nearest():
    with pytest.raises(
        AgentError, match=r"agent 'randm' is unknown; known are random, heuristic.*\(did you mean 'random'\?\)"
    ):
        make_agent("randm", GAMES[0])


def test_a_registered_agent_is_made_by_its_name(monkeypatch):
    monkeypatch.setattr(registry, "_FACTORIES", dict(registry._FACTORIES))

    class First(BatchAgent):
        """Takes the first legal action."""

        def __init__(self, game: Game):
            self.game = game

        def reset(self, seed: int) -> None:
            pass

        def act_batch(self, observations, action_masks, infos=None):
            return action_masks.argmax(axis=1)

    register_agent("first", First)
    register_agent("first", First)  # the same again is no mistake
    assert "first" in registered_agents(GAMES[0])
    assert isinstance(make_agent("first", GAMES[0]), First)
    with pytest.raises(AgentError, match="'first': this name is taken"):
        register_agent("first", lambda game: First(game))
    with pytest.raises(AgentError, match="'random': this name is taken"):
        register_agent("random", First)


MISER = """
import numpy as np
from w51_agents import SingleAgent

class Miser(SingleAgent):
    def __init__(self, game):
        self.game = game

    def act(self, observation, action_mask, info=None):
        return int(np.flatnonzero(action_mask)[0])

class Broken(Miser):
    def __init__(self, game):
        raise RuntimeError("out of order")

class Mute:
    def __init__(self, game):
        pass

    def reset(self, seed):
        pass
"""


def test_a_class_in_the_working_directory_is_an_agent_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "of_ones_own.py").write_text(MISER)
    (tmp_path / "of_ones_old.py").write_text("from w51_env.agents import SingleAgent\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    observations, masks = decisions(GAMES[0])
    agent = make_agent("of_ones_own:Miser", GAMES[0])
    np.testing.assert_array_equal(agent.act_batch(observations, masks), masks.argmax(axis=1))
    for name, message in {
        "of_ones_own:Miserr": "has no attribute 'Miserr'",
        "of_ones_owm:Miser": "No module named 'of_ones_owm' in the working directory or on PYTHONPATH",
        "of_ones_old:Miser": "No module named 'w51_env.agents'$",
        "of_ones_own:Broken": "RuntimeError: out of order",
        "of_ones_own:Mute": "Mute has no act; see",
    }.items():
        with pytest.raises(AgentError, match=f"agent '{name}'.*{message}"):
            make_agent(name, GAMES[0])


def test_each_game_has_its_own_bots():
    for game in GAMES:
        assert set(game.bots) <= set(registered_agents(game))
        assert isinstance(make_agent("heuristic", game), BotAgent)


# ---- missing and damaged checkpoints


def test_a_checkpoint_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(AgentError, match=r"none\.zip: there is no such file"):
        make_agent(str(tmp_path / "none.zip"), GAMES[0], trust=True)
    with pytest.raises(AgentError, match=r"there is no checkpoint\.safetensors in this folder"):
        make_agent(str(tmp_path), GAMES[0])  # a folder, but not of a run


@pytest.mark.parametrize("name", ["model.zip", "sb3:model.zip"])
def test_a_pickled_model_is_not_loaded_without_trust(name: str):
    with pytest.raises(
        AgentError,
        match=r"model.zip: a pickled model, which can run any code while it is loaded; allow it with --trust",
    ):
        make_agent(name, GAMES[0])


def test_a_checkpoint_can_be_named_without_its_suffix(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    path.write_bytes(checkpoint_of("pretrained", GAMES[0]).read_bytes())
    assert (
        checkpoint_of(tmp_path / "checkpoint", GAMES[0])
        == checkpoint_of(tmp_path, GAMES[0])
        == checkpoint_of(path, GAMES[0])
        == path
    )
    assert make_agent(str(tmp_path / "checkpoint"), GAMES[0])


def test_a_zip_that_is_damaged_is_an_error(tmp_path):
    path = tmp_path / "model.zip"
    path.write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(AgentError, match=r"model\.zip: not a checkpoint, or a damaged one"):
        MaskablePPOAgent(GAMES[0], path)


@pytest.mark.parametrize(
    "data", [None, [], {}, {"policy_class": {"__module__": "stable_baselines3.dqn.policies"}}, {"policy_class": 3}]
)
def test_a_zip_of_another_kind_is_an_error_before_anything_is_unpickled(tmp_path, data):
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data" if data is not None else "other", json.dumps(data))
    with pytest.raises(AgentError, match=r"model\.zip: not a model of sb3-contrib's MaskablePPO"):
        MaskablePPOAgent(GAMES[0], path)


@pytest.mark.parametrize("name", ["heuristic", "exploiter", "pretrained:greedy"])
def test_agents_decide_alike_on_the_float_view_and_refuse_other_scales(name: str):
    game = GAMES[0]
    observations, masks = decisions(game, num_games=8, steps=20)
    agent = make_agent(name, game)
    floats = game.layout.to_float(observations)
    np.testing.assert_array_equal(agent.act_batch(floats, masks), agent.act_batch(observations, masks))
    assert [agent.act(*one) for one in zip(floats, masks, strict=True)] == agent.act_batch(observations, masks).tolist()
    for wrong in (observations.astype(np.float32), floats.astype(np.float64), floats[:, :-1]):
        with pytest.raises(OptionError, match=r"observations: .* float32 view"):
            agent.act_batch(wrong, masks)
