"""PettingZoo, Gymnasium and Stable-Baselines3, each with its own tests and classes."""

import warnings

import pytest

import w51_env
from tests.clients.record import client

GAMES = ("warehouse51_v1", "alles_futsch_v1")
every_game = pytest.mark.parametrize("game_id", GAMES)


@client("pettingzoo", "`make`, `api_test`, `seed_test`")
@every_game
def test_pettingzoos_own_tests_pass(game_id: str):
    import pettingzoo
    from pettingzoo.test import api_test, seed_test

    env = pettingzoo.make("aec", f"w51_env/{game_id}", num_players=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env, num_cycles=300)
        seed_test(lambda: pettingzoo.make("aec", f"w51_env/{game_id}", num_players=3), num_cycles=50)


@client("gymnasium", "`make`, `make_vec`, `check_env`")
@pytest.mark.parametrize("env_id", ["w51_env/Warehouse51-v1", "w51_env/AllesFutsch-v1"])
def test_gymnasiums_check_passes(env_id: str):
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    assert w51_env.__version__
    check_env(gymnasium.make(env_id, num_players=3).unwrapped, skip_render_check=True)
    envs = gymnasium.make_vec(env_id, num_envs=3, num_players=3)
    _, infos = envs.reset(seed=1)
    envs.step([int(mask.argmax()) for mask in infos["action_mask"]])


@client("stable-baselines3", "`make_vec_env`, `check_env`")
def test_sb3_makes_and_checks_the_environment():
    import gymnasium
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.env_util import make_vec_env

    check_env(gymnasium.make("w51_env/Warehouse51-v1", num_players=3).unwrapped)
    envs = make_vec_env("w51_env/Warehouse51-v1", n_envs=2, env_kwargs={"num_players": 3})
    assert envs.reset().shape[0] == 2


@client("sb3-contrib", '`MaskablePPO("MlpPolicy", id)` learns and is saved')
def test_maskable_ppo_takes_the_id(tmp_path):
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", "w51_env/Warehouse51-v1", n_steps=64, batch_size=32, device="cpu").learn(128)
    model.save(tmp_path / "model.zip")
    assert (tmp_path / "model.zip").exists()
