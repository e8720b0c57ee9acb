"""Stable-Baselines3: masks for MaskablePPO, infos as its tools expect them, seeds, and the state after bad input."""

import numpy as np
import pytest

from tests.env.adapters.playing import choose

pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'")
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy

from w51_env.adapters.sb3_vec_env import LearnerVecEnv


def make(num_envs: int = 16, **arguments) -> LearnerVecEnv:
    return LearnerVecEnv("warehouse51_v1", num_envs, **{"num_players": 3, "seed": 0, **arguments})


def play(envs: LearnerVecEnv, observations: np.ndarray, steps: int) -> list[bytes]:
    given = [observations.tobytes()]
    for _ in range(steps):
        masks = envs.action_masks().astype(np.int8)
        observations, rewards, dones, infos = envs.step(choose((observations * 100).round().astype(np.int8), masks))
        ends = [
            (info["seat"], info["scores"].tobytes(), info["terminal_observation"].tobytes(), info["episode"]["l"])
            for info in infos
            if info
        ]
        given += [observations.tobytes(), rewards.tobytes(), dones.tobytes(), repr(ends).encode()]
    return given


def test_maskable_ppo_learns_on_it_and_is_evaluated(one_thread):
    envs = make(32, learner_seat="rotate")
    model = MaskablePPO("MlpPolicy", envs, n_steps=32, batch_size=256, n_epochs=2, seed=1, device="cpu")
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(3000)
    assert any(not (old == new).all() for old, new in zip(before, model.policy.parameters(), strict=True))
    returns = [episode["r"] for episode in model.ep_info_buffer]
    assert len(returns) > 50
    assert set(np.round(returns, 4)) <= {-0.3333, 0.6667, 0.1667, 0.0}  # a loss, a victory, one shared by two, by three
    mean, _ = evaluate_policy(model, make(8, seed=5), n_eval_episodes=16)
    assert -1 / 3 <= mean <= 2 / 3


def test_a_game_that_ends_begins_anew_and_its_end_is_in_the_info():
    envs = make(64)
    observations = envs.reset()
    lengths, ended = np.zeros(64, int), 0
    for _ in range(60):
        seats = envs.seat.copy()
        masks = envs.action_masks().astype(np.int8)
        observations, rewards, dones, infos = envs.step(choose((observations * 100).astype(np.int8), masks))
        lengths += 1
        assert observations.dtype == rewards.dtype == np.float32
        assert dones.dtype == np.bool_
        np.testing.assert_array_equal(envs.action_masks().any(axis=1), True)
        for index, info in enumerate(infos):
            assert bool(info) == dones[index]
            if info:
                assert info["seat"] == seats[index]
                assert info["episode"]["r"] == rewards[index] == info["rewards"][info["seat"]]
                assert info["episode"]["l"] == lengths[index]
                assert info["TimeLimit.truncated"] is False
                assert info["rank"] == info["ranks"][info["seat"]]
                layout, last = envs.game.layout, info["terminal_observation"]
                scores = np.round(layout.read(last, "scores") * 127).astype(int)[:3]
                assert scores.tolist() == np.roll(info["scores"], -info["seat"]).tolist()  # relative to the learner
                lengths[index] = 0
                ended += 1
    assert ended > 64


def test_the_same_seed_gives_the_same_bytes_and_another_one_others():
    one, two, three = make(seed=4), make(seed=None), make(seed=5)
    given = play(one, one.reset(), 60)
    assert two.seed(4)[:2] == [4, 5]
    assert play(two, two.reset(), 60) == given
    assert play(three, three.reset(), 60) != given
    one.seed(4)
    assert play(one, one.reset(), 60) == given  # whatever was played before


def test_float_observations_are_within_the_space_and_integers_can_be_had():
    floats, integers = make(observation_dtype="float32"), make(observation_dtype="int8")
    wide, narrow = floats.reset(), integers.reset()
    assert (wide.dtype, narrow.dtype) == (np.float32, np.int8)
    assert all(map(floats.observation_space.contains, wide))
    assert all(map(integers.observation_space.contains, narrow))
    np.testing.assert_array_equal(wide, floats.game.layout.to_float(narrow))


def test_attributes_and_methods_of_single_games():
    envs = make(4, learner_seat="rotate")
    envs.reset()
    assert envs.get_attr("seat") == [0, 1, 2, 0]
    assert envs.get_attr("seat", [1, 3]) == [1, 0]
    assert envs.get_attr("render_mode", 2) == [None]
    assert envs.has_attr("action_masks")
    assert not envs.has_attr("nonsense")
    np.testing.assert_array_equal(np.stack(envs.env_method("action_masks", indices=[2])), envs.action_masks()[[2]])
    np.testing.assert_array_equal(envs.get_attr("action_masks")[3](), envs.action_masks()[3])
    with pytest.raises(AttributeError, match="a single game has the method action_masks only"):
        envs.env_method("jump")
    with pytest.raises(AttributeError, match="the games share one batch"):
        envs.set_attr("seat", 2)


def test_an_illegal_action_may_lose_the_game_instead():
    envs = make(4, illegal_action="lose")
    observations = envs.reset()
    actions = choose((observations * 100).astype(np.int8), envs.action_masks().astype(np.int8))
    _, rewards, dones, infos = envs.step(np.where(np.arange(4) == 2, 184, actions))
    assert rewards.tolist() == [0, 0, -1, 0]
    assert dones.tolist() == [False, False, True, False]
    assert (infos[2]["illegal"], infos[2]["rank"], infos[2]["episode"]["l"]) == (True, 3, 1)


def test_maskable_ppo_learns_from_the_id_and_plays_in_the_vector_environment(tmp_path):
    model = MaskablePPO("MlpPolicy", "w51_env/Warehouse51-v1", n_steps=32, batch_size=32, n_epochs=1, device="cpu")
    model.learn(64).save(tmp_path / "model.zip")
    envs = LearnerVecEnv("warehouse51_v1", 4, seed=1)
    again = MaskablePPO.load(tmp_path / "model.zip", envs, device="cpu")
    envs.step(again.predict(envs.reset(), action_masks=envs.action_masks())[0])
    with pytest.raises(ValueError, match="Observation spaces do not match"):
        MaskablePPO.load(tmp_path / "model.zip", LearnerVecEnv("warehouse51_v1", 4, observation_dtype="int8"))


# ---- snapshots


@pytest.mark.parametrize("learner_seat", ["random", "rotate", 1])
def test_a_restored_one_goes_on_as_if_nothing_had_happened(learner_seat):
    envs, other = make(learner_seat=learner_seat), make(learner_seat=learner_seat, seed=99)
    play(envs, envs.reset(), 37)
    kept, seats = envs.snapshot(), envs.seat.tolist()
    shown = envs.restore(kept)
    expected = play(envs, shown, 80)
    play(other, other.reset(), 5)
    again = other.restore(kept)
    assert again.tobytes() == shown.tobytes()
    assert other.seat.tolist() == seats
    assert play(other, again, 80) == expected
