"""Each form of network learns by compiled code as by PyTorch alone: steps of the real optimizer, of all parameters."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.agents.networks.small import in_mini
from w51_agents import AgentError
from w51_agents.networks.fast import layers
from w51_agents.networks.fast.layers import LegalLogits, SparseLayer
from w51_agents.networks.history.attention import CompiledAttention
from w51_agents.networks.items.learning import ItemLayer
from w51_agents.networks.making import FORMS as NAMED
from w51_agents.training.model import LearnerModel
from w51_agents.training.selfplay import SelfPlayTrainer
from w51_env import make_game
from w51_env.compiler.compile import JIT_DISABLED

SETS = {
    "games": [
        {"num_players": players, "num_envs": 4, "vary": {"relics": ["reconstruction-1", "generated:3"]}}
        for players in (3, 4)
    ]
}
ADDED = {"base_policy": "heuristic", "heuristic_features": True}
FORMS: dict[str, dict[str, Any]] = {
    "plain": {"hidden_sizes": [24, 16, 9], "hidden_slices": ["counterfeit_left"], "teacher": "heuristic"},
    "plain, features": {"heuristic_features": True, "average_kl": 0.3},
    "plain, base policy and features": ADDED,
    "items": {"network": "items"},
    "items of several sets": {"network": "items", **SETS},
    "items of several sets, base policy": {"network": "items", "base_policy": "heuristic", **SETS},
    "items of several sets, base policy and features": {"network": "items", **ADDED, **SETS},
    "history": {"network": "history", "network_settings": {"events": 12, "event_width": 8, "heads": 2}},
    "recurrent": {"network": "recurrent"},
    "recurrent, burn-in": {"network": "recurrent", "burn_in": 1},
}
# Forms with compiled layers that learn, and these.
COMPILED = {"plain": (SparseLayer, LegalLogits), "items": (ItemLayer, LegalLogits), "history": (CompiledAttention,)}

with_jit = pytest.mark.skipif(JIT_DISABLED, reason="without the JIT PyTorch plays and learns")


def trainer_of(form: str, folder: Path, **changes: Any) -> SelfPlayTrainer:
    """One whose update is one step, as rounding soon leads further apart."""
    plain = {"hidden_sizes": [24, 16], "num_steps": 16, "update_epochs": 1, "minibatch_size": 10_000}
    config = in_mini(folder, **{**plain, **FORMS[form], **changes})
    return SelfPlayTrainer(config, make_game(config.game, **config.options))


def steps_of(form: str, folder: Path, **changes: Any) -> list[dict[str, torch.Tensor]]:
    """How far updates move each parameter: the second one with statistics of inputs, and gradients, of the first."""
    trainer, steps = trainer_of(form, folder, **changes), []
    for _ in range(2):
        before = {name: part.detach().clone() for name, part in trainer.model.network.named_parameters()}
        trainer.update()
        steps.append({name: part.detach() - before[name] for name, part in trainer.model.network.named_parameters()})
    return steps


def check_alike(found: list[dict[str, torch.Tensor]], expected: list[dict[str, torch.Tensor]]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.keys() == other.keys()
        for name, step in other.items():
            assert (size := step.norm()) > 0, name
            assert (one[name] - step).norm() < 1e-3 * size, name


def laid_otherwise(part: torch.Tensor) -> torch.Tensor:
    """The same numbers in another order in memory."""
    return part.T.contiguous().T if part.dim() == 2 else torch.stack([part, part], -1)[..., 0]


@with_jit
@pytest.mark.parametrize("form", FORMS)
def test_compiled_code_makes_the_steps_of_pytorch_however_gradients_lie_in_memory(form, tmp_path, monkeypatch):
    expected = steps_of(form, tmp_path, compiled=False)
    check_alike(steps_of(form, tmp_path), expected)
    with monkeypatch.context() as as_on_a_gpu:
        as_on_a_gpu.setattr(layers, "JIT_DISABLED", True)  # all actions are listed, not the legal ones
        check_alike(steps_of(form, tmp_path, compiled=False), expected)
    grad = torch.autograd.grad

    def otherwise(*arguments, **named):
        return [None if part is None else laid_otherwise(part) for part in grad(*arguments, **named)]

    monkeypatch.setattr(torch.autograd, "grad", otherwise)
    monkeypatch.setattr(SelfPlayTrainer, "rows_at_once", 50)
    check_alike(steps_of(form, tmp_path, threads=3), expected)


def test_every_form_of_network_is_compared():
    assert {settings.get("network") for settings in FORMS.values()} == NAMED.keys()


@with_jit
@pytest.mark.parametrize("form", COMPILED)
def test_a_gradient_that_the_optimizer_takes_for_those_of_other_weights_is_refused(form, tmp_path, monkeypatch):
    set_gradients = LearnerModel.set_gradients

    def otherwise(model, *arguments):
        means = set_gradients(model, *arguments)
        if not model._is_reference:
            first = model.network.torso.first.weight
            first.grad = laid_otherwise(first.grad)
        return means

    monkeypatch.setattr(LearnerModel, "set_gradients", otherwise)
    with pytest.raises(AgentError, match=r"compiled code computes other steps of torso\.first\.weight of network"):
        trainer_of(form, tmp_path).update()


@with_jit
@pytest.mark.parametrize(("form", "layer"), [(form, layer) for form, layers in COMPILED.items() for layer in layers])
def test_compiled_code_that_computes_other_gradients_is_refused(form, layer, tmp_path, monkeypatch):
    """Their signs are right: a first step of Adam hardly differs."""
    backward = layer.backward

    def wrong(context, gradient):
        return tuple(None if one is None else one * 1.05 for one in backward(context, gradient))

    monkeypatch.setattr(layer, "backward", staticmethod(wrong))
    with pytest.raises(AgentError, match=r"compiled code computes other (gradients|steps) of"):
        trainer_of(form, tmp_path).update()


@with_jit
def test_a_training_that_was_not_played_by_the_network_is_refused(tmp_path):
    trainer = trainer_of("plain", tmp_path)
    collect = trainer.collect

    def changed():
        outcomes = collect()
        trainer.model.network.policy.weight.data.normal_()
        return outcomes

    trainer.collect = changed
    with pytest.raises(AgentError, match="compiled code computes other log-probabilities"):
        trainer.update()


@with_jit
@pytest.mark.slow
def test_without_the_jit_the_same_is_learned(tmp_path):
    code = f"from {__name__} import write_steps; write_steps({str(tmp_path)!r})"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=Path(__file__).parents[3])
    for form in COMPILED:
        check_alike(steps_of(form, tmp_path), torch.load(tmp_path / f"{form}.pt"))


def write_steps(folder: str) -> None:
    for form in COMPILED:
        assert not trainer_of(form, Path(folder)).model.learning.is_compiled
        torch.save(steps_of(form, Path(folder)), Path(folder) / f"{form}.pt")
