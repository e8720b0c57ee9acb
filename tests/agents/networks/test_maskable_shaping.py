"""Shaping of rewards for MaskablePPO: what a game adds in all, and what is refused."""

import numpy as np
import pytest

from w51_agents.agent.interface import AgentError
from w51_agents.training.config import load_config
from w51_agents.training.maskable_ppo import MaskablePPOTrainer, ShapedVecEnv
from w51_env.adapters.sb3_vec_env import LearnerVecEnv
from w51_env.engine.registry import make_game
from w51_env.engine.standing import Standing


def test_a_whole_game_adds_only_the_standing_of_its_beginning():
    games = LearnerVecEnv("warehouse51_v1", 8, opponents="random", seed=3, num_players=4, reward="margin")
    shaped = ShapedVecEnv(games, "standing")
    shaped.reset()
    scores = Standing(games.game).scores(games.batch.games)[np.arange(8), games.seat]
    mean = Standing(games.game).scores(games.batch.games).mean(axis=1)
    first = (scores - mean) * 4 / 3
    sums, random = np.zeros(8), np.random.default_rng(1)
    running = np.ones(8, np.bool_)
    while running.any():
        actions = [random.choice(np.flatnonzero(mask)) for mask in games.action_masks()]
        _, rewards, dones, infos = shaped.step(np.array(actions))
        sums += np.where(running, rewards, 0.0)
        for index in np.flatnonzero(dones & running):
            assert sums[index] == pytest.approx(infos[index]["episode"]["r"] - first[index], abs=1e-3)
        running &= ~dones


def test_shaping_asks_for_no_discount_and_for_margin():
    config = load_config("quick", ["ppo.gamma=0.9"])
    with pytest.raises(AgentError, match=r"shaping: needs ppo\.gamma=1\.0, but it is 0\.9"):
        MaskablePPOTrainer(config, make_game(config.game, **config.options))
