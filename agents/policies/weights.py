"""Weights and buffers of PyTorch modules as arrays."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from agents.agent import AgentError
from agents.policies.checkpoint import Checkpoint


def weights_of(module: nn.Module) -> dict[str, np.ndarray]:
    """Copies, by name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def set_weights(module: nn.Module, weights: Mapping[str, np.ndarray]) -> None:
    """Put them back."""
    module.load_state_dict(tensors(weights))


def load_weights(module: nn.Module, checkpoint: Checkpoint, path: Path) -> None:
    """Put in those of a checkpoint; AgentError if they do not fit."""
    try:
        set_weights(module, checkpoint.weights)
    except RuntimeError as error:
        raise AgentError(f"checkpoint {path}: the weights do not fit the network: {error}") from None


def tensors(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """Arrays as tensors of their own."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}
