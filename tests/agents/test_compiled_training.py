"""Compiled code of self-play: its decisions are the network's, its gradients those that PyTorch takes of the loss."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs the extra 'train'")

from tests.agents.small import ONE_LOT, small  # noqa: E402
from w51_agents.training.compiled_gradients import CompiledGradients  # noqa: E402
from w51_agents.training.learner import Learner  # noqa: E402
from w51_agents.training.rollout import Minibatch  # noqa: E402
from w51_agents.training.selfplay import SelfPlayTrainer  # noqa: E402
from w51_env import make_game  # noqa: E402
from w51_env.compiler.compile import JIT_DISABLED  # noqa: E402

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(JIT_DISABLED, reason="without the JIT PyTorch plays and learns"),
]


PLAIN = {"critic": "local", "teacher": None, "average_kl": 0, "pool": 0, "games": [{"num_players": 3, "num_envs": 20}]}


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
    trainer.experience.collect(1)
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
    trainer.close()


def decisions_of(trainer: SelfPlayTrainer, seed: int) -> Minibatch:
    """Those of a rollout, as if another policy had played them: many ratios are out of the clip range."""
    generator = torch.Generator().manual_seed(seed)
    trainer.experience.collect(0)
    rollout = trainer.experience.rollout
    advantages, returns, noise = torch.randn(3, rollout.actions.numel(), generator=generator)
    batch = Minibatch.of(rollout, 3.0 * advantages + 1.0, 5.0 * returns, {})
    batch.logprobs += 0.4 * noise
    return batch


def gradients(trainer: SelfPlayTrainer) -> dict[str, torch.Tensor]:
    return {name: parameter.grad.clone() for name, parameter in trainer.model.network.named_parameters()}


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        (ONE_LOT, {"hidden_sizes": [16], "hidden_slices": ["bids"]}),
        (ONE_LOT, {"hidden_sizes": [9, 20, 7], "clip_range": 0.05, "ent_coef": 0.5}),
        ("warehouse51_v1", {"hidden_sizes": [24, 12], "heuristic_features": True}),
    ],
)
@pytest.mark.parametrize(("rows_at_once", "threads"), [(1000, 1), (50, 1), (50, 3)])
def test_they_are_those_of_the_loss(tmp_path, monkeypatch, game, changes, rows_at_once, threads):
    monkeypatch.setattr(SelfPlayTrainer, "rows_at_once", rows_at_once)
    config = small("selfplay", tmp_path, game=game, threads=threads, selfplay={**PLAIN, **changes})
    trainer = SelfPlayTrainer(config, make_game(game))
    for update in range(2):  # statistics of inputs and returns are not those of the beginning
        trainer.update()
        batch = decisions_of(trainer, update)
        rows = torch.randperm(len(batch.actions))[:170]
        means = Learner.set_gradients(trainer, batch, rows, 0.3)
        expected = gradients(trainer)
        assert torch.allclose(trainer.set_gradients(batch, rows, 0.3), means.double(), rtol=1e-5, atol=1e-6)
        for name, gradient in gradients(trainer).items():
            size = expected[name].abs().max()
            assert size > 0
            assert (gradient - expected[name]).abs().max() < 5e-5 * size, name
    trainer.close()


class OtherLoss(SelfPlayTrainer):
    """A loss of a user's own."""

    def loss(self, minibatch, progress):
        return super().loss(minibatch, progress)


@pytest.mark.parametrize(
    ("changes", "trainer_class"),
    [
        ({}, OtherLoss),
        ({"teacher": "shader"}, SelfPlayTrainer),
        ({"average_kl": 0.1}, SelfPlayTrainer),
        ({"critic": "centralized"}, SelfPlayTrainer),
        ({"base_policy": "shader"}, SelfPlayTrainer),
        ({"precision": "bfloat16"}, SelfPlayTrainer),
    ],
)
def test_another_loss_or_network_learns_as_its_own_code_says(tmp_path, monkeypatch, changes, trainer_class):
    monkeypatch.setattr(CompiledGradients, "set_gradients", None)
    config = small("selfplay", tmp_path, selfplay={**PLAIN, **changes})
    trainer = trainer_class(config, make_game(ONE_LOT))
    trainer.update()
    trainer.close()


def test_the_teacher_of_the_beginning_is_imitated_and_then_compiled_code_learns(tmp_path, monkeypatch):
    config = small("selfplay", tmp_path, decisions=600, selfplay={**PLAIN, "teacher": "shader", "teacher_until": 0.5})
    trainer = SelfPlayTrainer(config, make_game(ONE_LOT))
    calls = []
    compiled = CompiledGradients.set_gradients
    monkeypatch.setattr(CompiledGradients, "set_gradients", lambda *given: calls.append(0) or compiled(*given))
    used = []
    for _ in range(5):
        progress = trainer.decisions / config.decisions
        trainer.update()
        used.append((progress < 0.5, bool(calls)))
        calls.clear()
    assert set(used) == {(True, False), (False, True)}
    trainer.close()
