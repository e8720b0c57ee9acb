"""A third game needs only its own folder: `tests/env/third_game` works with every interface without further code."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.env.adapters.playing import learner_vec_env
from w51_agents import make_agent
from w51_env import make_game, make_vec, register_game
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.engine.errors import OptionError
from w51_lab.arena.matches import play_matches
from w51_lab.replays.replay import Replay

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's tests import its own environments, by a name that it deprecates
    from pettingzoo.test import api_test, render_test, seed_test

GAME = "tests.env.third_game:make"  # not registered, as other tests go through all registered games


def test_its_rules_hold_in_a_batch():
    batch = make_vec(GAME, 2, num_players=3, autoreset="disabled", seed=1)
    batch.reset()
    batch.games["worth"][:, :3] = [[4, 9, 6], [4, 9, 6]]
    for bids in ([2, 0], [5, 3], [5, 3]):
        batch.step(np.array(bids))
    assert batch.games["scores"][:, :3].tolist() == [[0, 4, 0], [0, 6, 0]]
    assert batch.rewards.tolist() == [[-2.0, 4.0, -2.0], [-3.0, 6.0, -3.0]]


@pytest.mark.filterwarnings("ignore:.*(not a NumPy array|probably should be|all zeros)")  # see test_pettingzoo_env
def test_pettingzoos_own_tests_pass(capsys):
    api_test(TurnBasedEnv(GAME, num_players=2), num_cycles=50)
    seed_test(lambda: TurnBasedEnv(GAME), num_cycles=50)
    render_test(lambda render_mode: TurnBasedEnv(GAME, render_mode=render_mode))
    capsys.readouterr()


def test_gymnasium_and_stable_baselines_take_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has no spec, as it is made without an id
        check_env(LearnerEnv(GAME, num_players=5, observation_dtype="int8", opponents="shader"), skip_render_check=True)
    assert isinstance(LearnerEnv(GAME), gymnasium.Env)
    envs = learner_vec_env(GAME, 50, opponents=["random", "shader"], seed=0)
    envs.reset()
    done = 0
    for _ in range(10):
        done += int(envs.step(envs.action_masks().argmax(axis=1))[2].sum())
    assert done == 500


def test_what_a_seat_can_not_know_is_redrawn():
    batch = make_vec(GAME, 2000, seed=1, autoreset="disabled")
    batch.reset()
    batch.step(batch.sample_actions())
    before, worth = batch.observe(1), batch.games["worth"].copy()
    batch.resample_hidden(1, seed=5)
    assert (batch.observe(1) == before).all()
    assert (batch.games["worth"][:, 1] == worth[:, 1]).all()
    assert np.bincount(batch.games["worth"][:, 0], minlength=10).min() > 150


def test_its_bot_beats_random():
    game = make_game(GAME, num_players=4)
    shader, _ = play_matches(
        game, [(name, make_agent(name, game)) for name in ("shader", "random")], 2000, 0
    ).standings()
    assert shader.low > 0.25


def test_its_games_are_kept_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("w51_env.engine.registry._FACTORIES", {"one_lot_v0": GAME})
    replay = Replay.record(make_game(GAME, num_players=3), 7, [5, 0, 9])
    replay.save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json") == replay
    assert replay.final.over


def test_a_factory_is_as_good_as_an_id(monkeypatch):
    monkeypatch.setattr("w51_env.engine.registry._FACTORIES", {})
    register_game("one_lot_v0", GAME)
    assert make_game("one_lot_v0").id == make_game(GAME).id == "one_lot_v0"
    for wrong in ("tests.env.third_game:mak", "tests.no_game:make", ":make", "tests.env.third_game:"):
        with pytest.raises(OptionError, match=f"game: '{wrong}' cannot be made"):
            make_game(wrong)
