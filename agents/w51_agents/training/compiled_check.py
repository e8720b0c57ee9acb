"""A check before a training: compiled code plays and learns as the layers of the network do."""

from typing import Any

import torch
from torch import Tensor

from w51_agents.agent import AgentError
from w51_agents.training.rollout import Minibatch

_ROWS = 1024
_TOLERANCE = 1e-2  #  part of the norm


def check_compiled_code(trainer: Any, decisions: Minibatch, rows: Tensor, progress: float) -> None:
    """Compare what compiled code played, and one step of the optimizer, with those of the layers of the network.

    A step shows what no comparison of gradients does: an optimizer reads a gradient as it lies in memory.

    Args:
        trainer: The `Learner`, with its weights as they were when it played.
        decisions: All decisions of the rollout.
        rows: (B,) int64, those that are learned from.
        progress: As for `Learner.loss`.

    Raises:
        AgentError: Compiled code computes other log-probabilities or values, or its step is another one.
    """
    model, rows = trainer.model, trainer.model.learning.split(rows, _ROWS)[0]
    chosen = decisions.select(rows)
    with torch.no_grad(), model.in_pytorch():
        logits, values, _ = model.outputs(chosen)
    logprobs = torch.log_softmax(logits, 1).gather(1, chosen.column_of(chosen.actions)[:, None])[:, 0]
    played = model.value_head.normalize(chosen.returns - chosen.advantages)
    if model.learning.plays_compiled:
        _compare("log-probabilities", chosen.logprobs, logprobs)
        _compare("values", played, values)
    with model.in_pytorch():
        expected = _step(trainer, decisions, rows, progress)
    for (name, _), step, found in zip(_named(model), expected, _step(trainer, decisions, rows, progress), strict=True):
        _compare(f"steps of {name}", found, step)


def _named(model: Any) -> list[tuple[str, torch.nn.Parameter]]:
    modules = model.modules().items()
    return [(f"{module}.{name}", part) for module, parts in modules for name, part in parts.named_parameters()]


def _step(trainer: Any, decisions: Minibatch, rows: Tensor, progress: float) -> list[Tensor]:
    """How far each parameter moves in a first step, after which all is as before."""
    parameters = [parameter for _, parameter in _named(trainer.model)]
    before, drawn = [parameter.detach().clone() for parameter in parameters], trainer.generator.get_state()
    optimizer = trainer.make_optimizer()
    trainer.set_gradients(decisions, rows, progress)
    optimizer.step()
    moved = [parameter.detach() - old for parameter, old in zip(parameters, before, strict=True)]
    with torch.no_grad():
        for parameter, old in zip(parameters, before, strict=True):
            parameter.copy_(old)
            parameter.grad = None
    trainer.generator.set_state(drawn)
    return moved


def _compare(what: str, found: Tensor, expected: Tensor) -> None:
    """AgentError unless they are alike; by rounding, a unit at 0 can be active in one of them."""
    if not (found - expected).norm() <= _TOLERANCE * expected.norm():
        raise AgentError(
            f"training: compiled code computes other {what} than the layers of the network, in the first "
            "minibatch; with `compiled: false` PyTorch computes them"
        )
