"""What a PyTorch optimizer remembers, as part of a training state."""

import numpy as np
import torch
from torch import Tensor

from agents.policies.weights import tensors
from agents.training.state import State


def moments_of(optimizer: torch.optim.Optimizer) -> State:
    """What it remembers of each parameter."""
    slots = optimizer.state_dict()["state"]
    return State(
        {f"{index}.{name}": np.asarray(value).copy() for index, slot in slots.items() for name, value in slot.items()}
    )


def set_moments(optimizer: torch.optim.Optimizer, state: State) -> None:
    """Put it back; the learning rate and other settings stay those of `optimizer`."""
    slots: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors(state.arrays).items():
        index, name = key.split(".", 1)
        slots.setdefault(int(index), {})[name] = value
    optimizer.load_state_dict({**optimizer.state_dict(), "state": slots})
