"""Compiled code of self-play: its layers and decisions are the network's; `test_one_step` has what it learns."""

import numpy as np
import pytest
import torch

from tests.agents.networks.small import ALONE, small
from w51_agents.networks.fast.layers import LegalLogits, SparseLayer, list_legal
from w51_agents.networks.layers import ILLEGAL
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT PyTorch plays and learns")

PLAIN = {**ALONE, "games": [{"num_players": 3, "num_envs": 20}]}


# ---- the layers


def gradients_of(outputs: torch.Tensor, *leaves: torch.Tensor) -> list[torch.Tensor]:
    """Those of a sum with drawn weights."""
    weights = torch.randn(outputs.shape, generator=torch.Generator().manual_seed(1))
    return list(torch.autograd.grad((outputs * weights).sum(), leaves))


@pytest.mark.parametrize("width", [1, 7, 40])
def test_a_sparse_layer_is_a_linear_layer_with_relu(width):
    inputs = torch.randint(-3, 9, (50, 130), dtype=torch.int8) * (torch.rand(50, 130) < 0.15)
    weight, bias = torch.randn(width, 130, requires_grad=True), torch.randn(width, requires_grad=True)
    mean, std = torch.randn(130), torch.rand(130) + 0.5
    expected = torch.relu(torch.nn.functional.linear((inputs - mean) / std, weight, bias))
    folded = (weight / std).detach()
    found = SparseLayer.apply(inputs, weight, bias, folded.T.contiguous(), bias.detach() - folded @ mean, mean, std)
    assert torch.allclose(found, expected, atol=1e-4)
    for one, other in zip(gradients_of(found, weight, bias), gradients_of(expected, weight, bias), strict=True):
        assert one.is_contiguous()  # else Adam would take its numbers for those of other weights
        assert torch.allclose(one, other, atol=1e-4)


def test_the_logits_of_legal_actions_are_those_of_a_linear_layer():
    masks = torch.rand(60, 75) < 0.2
    masks[:, 3], masks[7] = True, True
    leaves = [torch.randn(size, requires_grad=True) for size in ((60, 33), (75, 33), (75,))]
    legal = list_legal(masks)
    assert [row[row < 75].tolist() for row in legal] == [mask.nonzero()[:, 0].tolist() for mask in masks]
    found, dense = LegalLogits.apply(*leaves, legal), torch.nn.functional.linear(*leaves)
    np.testing.assert_array_equal(found.detach()[legal == 75], ILLEGAL)
    expected = dense.gather(1, legal.clamp(max=74)).masked_fill(legal == 75, ILLEGAL)
    assert torch.allclose(found, expected, atol=1e-4)
    for one, other in zip(gradients_of(found, *leaves), gradients_of(expected, *leaves), strict=True):
        assert torch.allclose(one, other, atol=1e-4)


# ---- a training


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
