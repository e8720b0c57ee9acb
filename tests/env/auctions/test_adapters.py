"""The adapters carry auctions as they carry the other games."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

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


@pytest.mark.filterwarnings("ignore")
def test_gymnasiums_checker_passes():
    check_env(gymnasium.make("w51_env/Auctions-v0", render_mode="ansi", opponents="equilibrium").unwrapped)


def test_bots_play_whole_batches():
    batch = make_vec("auctions_v0", 200, seed=1, num_players=3, controllers=["external", "equilibrium", "truthful"])
    batch.reset()
    batch.step(batch.sample_actions())
    assert batch.done.all()
    assert np.isfinite(batch.rewards).all()


def test_an_auction_is_drawn_in_pixels():
    pytest.importorskip("thorvg_python", reason="needs the extra 'render'")
    env = auctions_v0.env(num_players=3, render_mode="rgb_array")
    env.reset(seed=4)
    assert env.render().shape == (720, 1280, 3)
