"""What networks for any items keep of a rollout, in games with several sets of items."""

import numpy as np
import pytest
import torch

from w51_agents.networks.learning import TrainingTask
from w51_agents.networks.making import form_of, make_network
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch


@pytest.mark.skipif(JIT_DISABLED, reason="without the JIT PyTorch plays and learns")
def test_what_is_kept_becomes_the_inputs_that_each_game_has():
    options = [(3, "reconstruction-1"), (5, "reconstruction-1"), (4, "generated:3")]
    games = [make_game("warehouse51_v1", num_players=players, relics=relics) for players, relics in options]
    network = make_network(games[0], "items", hidden_sizes=[8])
    task = TrainingTask(games, num_envs=360, num_seats=5, device=torch.device("cpu"), is_fast=True)
    learning = form_of(network).learning(network, task)
    assert len(learning.tables) == 2
    kept, expected = [], []
    for seed, game in enumerate(games):
        batch = Batch(game, 120, seed=seed)
        batch.reset()
        for _ in range(60):
            batch.step(batch.sample_actions())
        kept.append(learning.inputs_for(game)(batch.observation))
        expected.append(network.inputs_for(game)(batch.observation))
    np.testing.assert_array_equal(
        learning.read(torch.from_numpy(np.concatenate(kept))).numpy(), np.concatenate(expected)
    )
