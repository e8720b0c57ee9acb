"""Compiled code of self-play decides as the network; `test_one_step` has what it learns."""

import numpy as np
import pytest
import torch

from tests.agents.networks.small import ALONE, small
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT PyTorch plays and learns")

PLAIN = {**ALONE, "games": [{"num_players": 3, "num_envs": 20}]}


@pytest.mark.parametrize("sizes", [[24], [16, 40, 8]])
def test_decisions_are_those_of_the_network(tmp_path, sizes):
    game = make_game("warehouse51_v1")
    config = small("selfplay", tmp_path, game=game.id, threads=2, selfplay={**PLAIN, "hidden_sizes": sizes})
    trainer = SelfPlayTrainer(config, game)
    rollout, model, generator = trainer.experience.rollout, trainer.model, torch.Generator()
    trainer.update()  # statistics of inputs are not those of the beginning
    with torch.no_grad():
        for parameter in model.network.policy.parameters():
            parameter += torch.randn_like(parameter) * 0.3  # far from uniform
    generator.set_state(trainer.generator.get_state())
    trainer.collect()
    drawn = torch.rand(rollout.actions.shape, generator=generator).flatten().numpy()
    parts = (rollout.inputs, rollout.masks)
    with torch.no_grad():
        logits, values = model.network(*(part.flatten(0, 1) for part in parts))
    shares, actions = torch.log_softmax(logits, 1).numpy(), rollout.actions.flatten().numpy()
    np.testing.assert_allclose(rollout.normal_values.flatten(), values, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(
        rollout.logprobs.flatten(), shares[np.arange(len(actions)), actions], rtol=1e-5, atol=1e-4
    )
    below = np.exp(shares).cumsum(1)[np.arange(len(actions)), actions]
    np.testing.assert_array_less(drawn - 1e-4, below)
    np.testing.assert_array_less(below - np.exp(rollout.logprobs.flatten().numpy()), drawn + 1e-4)
