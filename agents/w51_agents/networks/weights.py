"""The weights of modules as arrays."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.interface import AgentError
from w51_agents.networks.checkpoint import Checkpoint


def weights_of(module: nn.Module) -> dict[str, np.ndarray]:
    """Copies of all parameters and buffers, by name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def set_weights(module: nn.Module, weights: Mapping[str, np.ndarray]) -> None:
    """Load what `weights_of` returned.

    Raises:
        RuntimeError: Names or shapes differ from those of the module.
        ValueError: A weight is infinite or nan.
    """
    module.load_state_dict(tensors_of(weights))
    for name, tensor in module.state_dict().items():
        if not tensor.isfinite().all():
            raise ValueError(f"{name} has values that are not finite")


def tensors_of(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """Copies of arrays as tensors."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def load_weights(module: nn.Module, checkpoint: Checkpoint, path: Path) -> None:
    """Load the weights of a checkpoint; AgentError if they do not fit."""
    try:
        set_weights(module, checkpoint.weights)
    except (RuntimeError, ValueError) as error:
        raise AgentError(f"checkpoint {path}: the weights do not fit the network: {error}") from None
