"""The adapters carry auctions of all kinds as they carry the other games."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.env.adapters.playing import learner_vec_env
from w51_env import auctions_v0, make_vec

KINDS = {
    "bidders that differ": {"num_players": 2, "bidders": "0 60/0 100 2 2 50"},
    "units": {"preset": "units"},
    "one unit each": {"num_players": 3, "auction": "discriminatory", "one_each": True},
    "items": {"preset": "items"},
    "in turn": {"preset": "sequence"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_gymnasium_and_stable_baselines_take_every_kind(kind):
    check_env(gymnasium.make("w51_env/Auctions-v0", render_mode="ansi", **KINDS[kind]).unwrapped)
    envs = learner_vec_env("auctions_v0", 50, opponents="half", seed=0, **KINDS[kind])
    envs.reset()
    ended = 0
    for _ in range(8):
        _, rewards, dones, _ = envs.step(envs.action_masks().argmax(axis=1))
        ended += dones.sum()
        assert np.isfinite(rewards).all()
    assert ended >= 100


def test_pettingzoo_pays_each_seat_its_own_payoff():  # L6
    env = auctions_v0.env(num_players=3, observation_dtype="int8")
    env.reset(seed=4)
    batch = make_vec("auctions_v0", 1, seed=4, num_players=3)
    batch.reset()
    assert env.observe(env.agent_selection)["observation"].tobytes() == batch.observation[0].tobytes()
    for bid in (10, 20, 30):
        env.step(env.unwrapped.game.actions.id(f"bid_{bid}"))
    assert [env.rewards[f"player_{seat}"] for seat in (0, 1)] == [0, 0]


def test_an_auction_is_drawn_in_pixels():
    pytest.importorskip("thorvg_python", reason="needs the extra 'render'")
    env = auctions_v0.env(num_players=3, render_mode="rgb_array")
    env.reset(seed=4)
    assert env.render().shape == (720, 1280, 3)
