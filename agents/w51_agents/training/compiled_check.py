"""A check before a training: compiled code computes what the layers of the network do."""

import torch

from w51_agents.agent.interface import AgentError
from w51_agents.training.model import LearnerModel
from w51_agents.training.rollout import Minibatch


def check_compiled_code(model: LearnerModel, minibatch: Minibatch) -> None:
    """Compare compiled code with the layers of the network.

    Args:
        model: The network, which compiled code computes.
        minibatch: Decisions of the network with its weights as they are now.

    Raises:
        AgentError: They compute other log-probabilities, values or gradients.
    """
    results, parameters = [], list(model.network.parameters())
    column = minibatch.column_of(minibatch.actions)[:, None]
    is_compiled = model.is_compiled
    for model.is_compiled in (False, is_compiled):
        logits, values = model.forward_legal(minibatch)
        logprobs = torch.log_softmax(logits, 1).gather(1, column)[:, 0]
        gradients = torch.autograd.grad((logprobs + values).mean(), parameters)
        results.append([logprobs, values, *gradients])
    played = minibatch.logprobs, model.value_head.normalize(minibatch.returns - minibatch.advantages)
    names = ["log-probabilities", "values", *["gradients"] * len(parameters)]
    for name, written, *others in zip(names, *results, [*played, *results[0][2:]], strict=True):
        # By rounding, a unit at 0 can be active in one of them: that moves the gradients of one decision.
        if not all((written - other).norm() <= 1e-2 * written.norm() for other in others):
            raise AgentError(
                f"training: compiled code computes other {name} than the layers of the network, in the first "
                "minibatch; with NUMBA_DISABLE_JIT=1 in the environment PyTorch computes them"
            )
