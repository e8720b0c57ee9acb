"""PyTorch's parts of a training state, as arrays."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from agents.training.state import State


def weights_of(module: nn.Module) -> State:
    """Weights and buffers of a module."""
    return State({name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()})


def set_weights(module: nn.Module, state: State) -> None:
    """Put them back."""
    module.load_state_dict(_tensors(state.arrays))


def moments_of(optimizer: torch.optim.Optimizer) -> State:
    """What an optimizer remembers of each parameter."""
    slots = optimizer.state_dict()["state"]
    return State({f"{index}.{name}": np.asarray(value).copy() for index, slot in slots.items() for name, value in slot.items()})


def set_moments(optimizer: torch.optim.Optimizer, state: State) -> None:
    """Put them back; the learning rate and other settings stay those of `optimizer`."""
    slots: dict[int, dict[str, Tensor]] = {}
    for key, value in _tensors(state.arrays).items():
        index, name = key.split(".", 1)
        slots.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})


def _tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
