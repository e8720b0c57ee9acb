"""The adapters carry the second game as they carry the first."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.adapters.playing import choose
from w51_env import alles_futsch
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.adapters.sb3_vec_env import LearnerVecEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's tests import its own environments, by a name that it deprecates
    from pettingzoo.test import api_test, render_test, seed_test


@pytest.mark.filterwarnings("ignore:.*(not a NumPy array|probably should be|all zeros)")  # see test_pettingzoo_env
def test_pettingzoos_own_tests_pass(capsys):
    game = alles_futsch.make(3)
    api_test(TurnBasedEnv(game), num_cycles=100)
    seed_test(lambda: TurnBasedEnv(game), num_cycles=100)
    render_test(lambda render_mode: TurnBasedEnv(game, render_mode=render_mode))
    capsys.readouterr()


def test_gymnasiums_checker_passes():
    check_env(LearnerEnv(alles_futsch.make(2)), skip_render_check=True)  # which makes the game anew by its Gymnasium id


def test_both_vector_interfaces_play_the_same_games():
    game = alles_futsch.make(4)
    ours = LearnerVecEnv(game, 20, observation_dtype="int8", seed=3)
    theirs = LearnerVectorEnv(game, 20, autoreset_mode="SameStep")
    observations, (expected, _) = ours.reset(), theirs.reset(seed=3)
    finished = 0
    for _ in range(100):
        assert observations.tobytes() == expected.tobytes()
        actions = choose(observations, ours.action_masks().astype(np.int8))
        observations, rewards, dones, _ = ours.step(actions)
        expected, expected_rewards, *_ = theirs.step(actions)
        assert rewards.tolist() == expected_rewards.tolist()
        finished += int(dones.sum())
    assert finished > 20
