"""A check before a training: compiled code plays and learns as the layers of the network do."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from w51_agents.agent.interface import AgentError
from w51_agents.training.rollout import Minibatch, check_totals

_ROWS = 1024
_TOLERANCE = 1e-2  #  part of the norm
_OF_STEPS = 5e-2  #    the same of steps: where an input hardly varies, a gradient is what rounding leaves of it
_ROUNDING = 1e-6  #  part of the largest gradient; Adam would make a step of what is left of terms that cancel


def check_compiled_code(trainer: Any, decisions: Minibatch, rows: Tensor, progress: float) -> None:
    """Compare what compiled code played, and one step of the optimizer, with those of the layers of the network.

    A step shows what no comparison of gradients does: an optimizer reads a gradient as it lies in memory. Gradients
    show what no first step does: Adam's has the size of the learning rate, whatever that of the gradient.

    Args:
        trainer: The `Learner`, with its weights as they were when it played.
        decisions: All decisions of the rollout of this rank.
        rows: (B,) int64, those of all games that are learned from.
        progress: As for `Learner.loss`.

    Raises:
        AgentError: Compiled code computes other log-probabilities, values or gradients, or its step is another one.
    """
    model, share = trainer.model, trainer.experience.share
    groups = next(trainer.minibatches(rows, _ROWS))
    chosen = decisions.select(share.own_numbers(torch.cat([*groups[share.groups]])))
    with torch.no_grad(), model.in_pytorch():
        logits, values, _ = model.outputs(chosen)
    logprobs = torch.log_softmax(logits, 1).gather(1, chosen.column_of(chosen.actions)[:, None])[:, 0]
    played = model.value_head.normalize(chosen.returns - chosen.advantages)
    _compare("log-probabilities", chosen.logprobs, logprobs)
    _compare("values", played, values)
    with model.in_pytorch():
        expected = _step(trainer, decisions, groups, progress)
    for name, found in _step(trainer, decisions, groups, progress).items():
        _compare(name, found, expected[name], _OF_STEPS if name.startswith("steps") else _TOLERANCE)


def _step(trainer: Any, decisions: Minibatch, groups: Sequence[Tensor], progress: float) -> dict[str, Tensor]:
    """Gradients, clipped, and how far each parameter moves in a first step, by name; after which all is as before."""
    modules = trainer.model.modules().items()
    parameters = {f"{name} of {module}": part for module, one in modules for name, part in one.named_parameters()}
    before, drawn = [part.detach().clone() for part in parameters.values()], trainer.generator.get_state()
    optimizer, found = trainer.make_optimizer(), dict[str, Tensor]()
    check_totals(trainer.set_gradients(decisions, groups, progress)["total"])
    nn.utils.clip_grad_norm_(parameters.values(), trainer.settings.max_grad_norm)
    for gradient in [part.grad for part in parameters.values() if part.grad is not None]:
        gradient.masked_fill_(gradient.abs() < _ROUNDING * gradient.abs().max(), 0.0)
    optimizer.step()
    for (name, part), old in zip(parameters.items(), before, strict=True):
        found[f"gradients of {name}"] = torch.zeros_like(part) if part.grad is None else part.grad
        found[f"steps of {name}"] = part.detach() - old
        with torch.no_grad():
            part.copy_(old)
        part.grad = None
    trainer.generator.set_state(drawn)
    return found


def _compare(what: str, found: Tensor, expected: Tensor, tolerance: float = _TOLERANCE) -> None:
    """AgentError unless they are alike; by rounding, a unit at 0 can be active in one of them."""
    if not (found - expected).norm() <= tolerance * expected.norm():
        raise AgentError(
            f"training: compiled code computes other {what} than the layers of the network, in the first "
            "minibatch; with `compiled: false` PyTorch computes them"
        )
