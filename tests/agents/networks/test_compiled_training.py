"""Compiled code of self-play: its layers and decisions are the network's; the loss that is written is the loss."""

import numpy as np
import pytest
import torch

from tests.agents.networks.selfplay import trainer_of
from tests.agents.networks.small import ALONE, ONE_LOT, small
from w51_agents import AgentError
from w51_agents.networks import layers
from w51_agents.networks.fast.layers import LegalLogits, SparseLayer, list_legal
from w51_agents.networks.layers import ILLEGAL
from w51_agents.training.rollout import Minibatch
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
    assert (found[legal == 75] == ILLEGAL).all()
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
    parts = (rollout.inputs, rollout.masks, rollout.base_actions, rollout.all_observations)
    with torch.no_grad():
        logits, values = model.forward(*(part.flatten(0, 1) for part in parts))
    shares, actions = torch.log_softmax(logits, 1).numpy(), rollout.actions.flatten().numpy()
    assert np.allclose(rollout.normal_values.flatten(), values, atol=1e-4)
    assert np.allclose(rollout.logprobs.flatten(), shares[np.arange(len(actions)), actions], atol=1e-4)
    below = np.exp(shares).cumsum(1)[np.arange(len(actions)), actions]
    assert (below > drawn - 1e-4).all()
    assert (below - np.exp(rollout.logprobs.flatten().numpy()) < drawn + 1e-4).all()


def decisions_of(trainer: SelfPlayTrainer, seed: int) -> Minibatch:
    """Those of a rollout, as if another policy had played them: many ratios are out of the clip range."""
    generator = torch.Generator().manual_seed(seed)
    trainer.collect()
    rollout = trainer.experience.rollout
    advantages, returns, noise = torch.randn(3, rollout.actions.numel(), generator=generator)
    batch = Minibatch.of(rollout, 3.0 * advantages + 1.0, 5.0 * returns, trainer.extra_rows(0.0))
    batch.logprobs += 0.4 * noise
    return batch


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        (ONE_LOT, {"hidden_sizes": [16], "hidden_slices": ["bids"], "teacher": "shader"}),
        (ONE_LOT, {"hidden_sizes": [9, 20, 7], "clip_range": 0.05, "ent_coef": 0.5, "average_kl": 0.3}),
        ("warehouse51_v1", {"hidden_sizes": [24, 12], "heuristic_features": True}),
    ],
)
@pytest.mark.parametrize(("rows_at_once", "threads"), [(1000, 1), (50, 3)])
def test_compiled_gradients_are_those_of_the_layers(tmp_path, monkeypatch, game, changes, rows_at_once, threads):
    monkeypatch.setattr(SelfPlayTrainer, "rows_at_once", rows_at_once)
    config = small("selfplay", tmp_path, game=game, threads=threads, selfplay={**PLAIN, **changes})
    trainer = SelfPlayTrainer(config, make_game(game))
    for update in range(2):  # statistics of inputs and returns are not those of the beginning
        trainer.update()
        batch = decisions_of(trainer, update)
        rows = torch.randperm(len(batch.actions))[:170]
        results = []
        for trainer.model.is_compiled in (False, True):
            means = trainer.set_gradients(batch, rows, 0.3)
            results.append([means, *(parameter.grad.clone() for parameter in trainer.model.network.parameters())])
        for expected, found in zip(*results, strict=True):
            assert (size := expected.abs().max()) > 0
            assert (found - expected).abs().max() < 5e-5 * size


@pytest.mark.parametrize("layer", ["SparseLayer", "LegalLogits"])
def test_a_training_whose_compiled_code_computes_other_numbers_fails_at_its_start(tmp_path, monkeypatch, layer):
    backward = getattr(layers, layer).backward

    def wrong(context, gradient):
        return tuple(None if one is None else one * 1.01 for one in backward(context, gradient))

    monkeypatch.setattr(getattr(layers, layer), "backward", staticmethod(wrong))
    trainer = trainer_of(tmp_path)
    with pytest.raises(AgentError, match="compiled code computes other gradients than the layers of the network"):
        trainer.update()


def test_decisions_that_are_not_those_of_the_network_fail_at_the_start(tmp_path):
    trainer = trainer_of(tmp_path)
    collect = trainer.collect

    def changed():
        outcomes = collect()
        trainer.model.network.policy.weight.data.normal_()
        return outcomes

    trainer.collect = changed
    with pytest.raises(AgentError, match="compiled code computes other log-probabilities"):
        trainer.update()
