"""The adapters carry auctions as they carry the other games."""

import pytest

from w51_env import auctions_v0, make_vec


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
