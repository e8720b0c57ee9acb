"""One game as an environment of Gymnasium: masks, infos and events of the learner, and what it is shown."""

import gymnasium
import numpy as np
import pytest

from tests.env.adapters.playing import choose
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.engine.errors import GameOverError

ID = "w51_env/Warehouse51-v1"


def act(observation: np.ndarray, info: dict) -> int:
    return int(choose(observation[None], info["action_mask"][None])[0])


def test_a_single_game_has_no_number_of_environments_by_which_torchrl_knows_vectors():
    assert not hasattr(gymnasium.make("w51_env/Warehouse51-v1").unwrapped, "num_envs")
    assert gymnasium.make_vec("w51_env/Warehouse51-v1", num_envs=3).num_envs == 3


def test_the_mask_is_in_the_info_and_in_a_method_that_wrappers_pass_on():
    env = gymnasium.make(ID)
    observation, info = env.reset(seed=3)
    for _ in range(5):
        assert env.get_wrapper_attr("action_masks")().tolist() == info["action_mask"].astype(bool).tolist()
        observation, _, over, _, info = env.step(act(observation, info))
        assert not over


def test_the_last_info_tells_how_the_game_ended():
    env = LearnerEnv("warehouse51_v1", num_players=3)
    observation, info = env.reset(seed=1)
    while not info["rank"]:
        assert not any(np.any(info[key]) for key in ("scores", "ranks", "rewards", "illegal"))
        observation, reward, _, _, info = env.step(act(observation, info))
        assert all(hasattr(value, "dtype") for value in info.values())  # TorchRL registers them by it
    assert reward == pytest.approx(info["rewards"][info["seat"]])
    assert info["rank"] == info["ranks"][info["seat"]]
    assert info["rewards"].sum() == pytest.approx(0, abs=1e-6)
    assert not info["illegal"]
    assert not info["action_mask"].any()


def test_events_are_those_since_the_learners_last_decision_as_its_seat_saw_them():
    env = LearnerEnv("warehouse51_v1", events=True, learner_seat=0)
    observation, info = env.reset(seed=2)
    assert info["events"][0]["event"] == "set_up"
    observation, _, _, _, info = env.step(act(observation, info))
    assert info["events"][0]["seat"] == 0
    while not env.unwrapped._games.over[0]:
        observation, _, _, _, info = env.step(act(observation, info))
        assert all(event["seat"] == 0 for event in info["events"] if event["event"] == "saw")
    assert info["events"][-1]["event"] == "finished"


def test_render_shows_what_the_learner_knows():
    env = LearnerEnv("warehouse51_v1", learner_seat=2, render_mode="ansi")
    env.reset(seed=1)
    assert "Player 2: 10 ingots (you" in env.render() or "still in, you" in env.render()
    assert env.render().count("Counterfeits in the gap") == 2


def test_an_illegal_action_loses_by_default():
    env = LearnerEnv("warehouse51_v1", num_players=4)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(184)
    assert (reward, terminated, truncated, info["illegal"], info["rank"]) == (-1.0, True, False, True, 4)


def test_before_the_first_reset_there_is_nothing_to_render():
    for env in (
        LearnerEnv("warehouse51_v1", render_mode="ansi"),
        LearnerVectorEnv("warehouse51_v1", 2, render_mode="ansi"),
    ):
        with pytest.raises(GameOverError, match="render: the games have not begun; call reset first"):
            env.render()
