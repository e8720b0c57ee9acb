"""Environments as other libraries make them from an id, with keywords that they try first."""

import gymnasium
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'")

from pettingzoo.utils.env_logger import EnvLogger
from sb3_contrib import MaskablePPO

import w51_env
from w51_env import warehouse51_v1
from w51_env.adapters.sb3_vec_env import LearnerVecEnv

ID = "w51_env/Warehouse51-v1"


def test_maskable_ppo_learns_from_the_id_and_plays_in_the_vector_environment(tmp_path):
    model = MaskablePPO("MlpPolicy", ID, n_steps=32, batch_size=32, n_epochs=1, device="cpu", seed=1).learn(64)
    model.save(tmp_path / "model.zip")
    envs = LearnerVecEnv("warehouse51_v1", 4, seed=1)
    again = MaskablePPO.load(tmp_path / "model.zip", envs, device="cpu")
    actions, _ = again.predict(envs.reset(), action_masks=envs.action_masks())
    envs.step(actions)
    with pytest.raises(ValueError, match="Observation spaces do not match"):
        MaskablePPO.load(tmp_path / "model.zip", LearnerVecEnv("warehouse51_v1", 4, observation_dtype="int8"))


def test_a_keyword_that_is_unknown_is_refused_as_python_does_it():
    with pytest.raises(TypeError, match=r"option 'frameskip' is unknown; .*unexpected keyword argument 'frameskip'"):
        gymnasium.make(ID, frameskip=1)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        w51_env.make_vec("warehouse51_v1", 2, frameskip=1)


def test_the_environment_check_of_rllib_passes_with_unmasked_actions():
    pytest.importorskip("tree", reason="needs RLlib")
    pytest.importorskip("pandas", reason="needs RLlib")
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    EnvLogger.flush()
    env = PettingZooEnv(warehouse51_v1.env(num_players=3))
    for _ in range(100):  # each plays one action without looking at the mask
        check_multiagent_environments(env)
    assert "Illegal move made" in EnvLogger.mqueue[0]
