"""The network of self-play: an actor over legal actions and a critic, with weights as arrays and as checkpoints."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_env.agents.agent import AgentError
from w51_env.agents.policies.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from w51_env.core.bots import HeuristicFeatures
from w51_env.core.game import Game

KIND = "selfplay"

_ILLEGAL = -1e9  #  logit of an illegal action: its probability is 0 in every precision
_FIRST_LOGIT_BIAS = 4.0  #  of the base policy's action
_LEAST_STD = 0.1  #  of an input: one that hardly ever differs is not scaled up


class NetworkInputs:
    """Observations as a network reads them, with or without the game's heuristic features.

    Args:
        game: The game it plays.
        heuristic_features: Append the heuristic features.

    Attributes:
        size: Number of inputs.

    Raises:
        OptionError: The game has no heuristic features.
    """

    def __init__(self, game: Game, heuristic_features: bool):
        self._features = HeuristicFeatures(game) if heuristic_features else None
        self.size = game.layout.size + (self._features.layout.size if self._features else 0)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(N, size) int8, from (N, layout.size) int8 observations."""
        if self._features is None:
            return observations
        return np.concatenate([observations, self._features.compute(observations)], axis=1)


class Torso(nn.Module):
    """Hidden layers with ReLU; inputs are normalised by the mean and standard deviation of `update_stats`.

    Args:
        num_inputs: Number of inputs.
        hidden_sizes: Widths of the layers.
    """

    mean: Tensor
    mean_square: Tensor
    count: Tensor

    def __init__(self, num_inputs: int, hidden_sizes: Sequence[int]):
        super().__init__()
        self.hidden_sizes = list(hidden_sizes)
        self.register_buffer("mean", torch.zeros(num_inputs))
        self.register_buffer("mean_square", torch.ones(num_inputs))
        self.register_buffer("count", torch.zeros(num_inputs))
        self.first = _linear(num_inputs, hidden_sizes[0], 2**0.5)
        self._cached: tuple[Tensor, ...] = ()
        self.others = nn.Sequential(
            *(layer for sizes in pairwise(hidden_sizes) for layer in (_linear(*sizes, 2**0.5), nn.ReLU()))
        )

    def forward(self, inputs: Tensor, embedding: Tensor | float = 0.0) -> Tensor:
        """(B, hidden_sizes[-1]) features.

        Args:
            inputs: (B, num_inputs) int8.
            embedding: (B, hidden_sizes[0]), added to the first layer before its ReLU.
        """
        device = inputs.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        weight, bias = self._cached or self.fold_normalization()
        first = functional.linear(inputs.to(dtype), weight.to(dtype), bias.to(dtype))
        return self.others(functional.relu(first + embedding))

    def fold_normalization(self) -> tuple[Tensor, Tensor]:
        """Weight and bias of the first layer for raw inputs: scaling the weights costs less than scaling a batch."""
        weight = self.first.weight / (self.mean_square - self.mean**2).clamp_min(_LEAST_STD**2).sqrt()
        return weight, self.first.bias - weight @ self.mean

    @contextmanager
    def cached_weights(self, dtype: torch.dtype) -> Iterator[None]:
        """Fold the normalisation once, for as long as no parameter changes."""
        with torch.no_grad():
            self._cached = tuple(part.to(dtype) for part in self.fold_normalization())
        try:
            yield
        finally:
            self._cached = ()

    @torch.no_grad()
    def update_stats(self, inputs: Tensor) -> None:
        """Include (B, num_inputs) inputs in the mean and deviation; each call has the same weight."""
        self.count += 1
        floats = inputs.float()
        self.mean += (floats.mean(0) - self.mean) / self.count
        self.mean_square += ((floats**2).mean(0) - self.mean_square) / self.count


class ValueHead(nn.Module):
    """A value in units of the returns' mean and standard deviation, so that any reward scale learns alike."""

    mean: Tensor
    std: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("std", torch.ones(()))
        self.last = _linear(width, 1, 1.0)

    def forward(self, features: Tensor) -> Tensor:
        """(B,) float32, normalised values."""
        return self.last(features).float()[:, 0]

    @torch.no_grad()
    def update_stats(self, returns: Tensor, weight: float) -> None:
        """Move mean and deviation by `weight` towards those of these returns; keep denormalised predictions."""
        mean, std = self.mean.clone(), self.std.clone()
        self.mean += weight * (returns.mean() - self.mean)
        self.std += weight * (returns.std(correction=0).clamp_min(1e-3) - self.std)
        self.last.weight *= std / self.std
        self.last.bias.copy_((self.last.bias * std + mean - self.mean) / self.std)

    def denormalize(self, values: Tensor) -> Tensor:
        """Values in units of reward."""
        return values * self.std + self.mean

    def normalize(self, returns: Tensor) -> Tensor:
        """Returns in the units of the predictions."""
        return (returns - self.mean) / self.std


class ResidualBias(nn.Module):
    """The action of a base policy as input: an embedding, and a learned bias on the action's logit.

    The bias starts high, so the network begins close to the base policy and learns where to deviate (Silver et al.,
    Residual Policy Learning, arXiv:1812.06298).

    Args:
        num_actions: Size of the action table.
        width: Width of the network's first layer.
    """

    def __init__(self, num_actions: int, width: int):
        super().__init__()
        self.logit_bias = nn.Parameter(torch.full((num_actions,), _FIRST_LOGIT_BIAS))
        self.embedding = nn.Embedding(num_actions, width)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def add_to(self, logits: Tensor, base_actions: Tensor) -> Tensor:
        """(B, actions) logits, changed in place: the bias of each of the (B,) base actions is added."""
        return logits.scatter_add_(1, base_actions[:, None], self.logit_bias[base_actions][:, None])


class ActorCritic(nn.Module):
    """A policy over legal actions and a value, both of what one seat observes; they share the torso.

    Args:
        game: The game it plays.
        hidden_sizes: Widths of the hidden layers.
        base_policy: Name of the bot whose action is an input and biases the logits; None: no such input.
        heuristic_features: Whether the game's heuristic features are inputs.

    Raises:
        OptionError: The game has no heuristic features.
    """

    def __init__(
        self, game: Game, hidden_sizes: Sequence[int], base_policy: str | None = None, heuristic_features: bool = False
    ):
        super().__init__()
        self.base_policy = base_policy
        self.heuristic_features = heuristic_features
        self.torso = Torso(NetworkInputs(game, heuristic_features).size, hidden_sizes)
        self.policy = _linear(hidden_sizes[-1], len(game.actions), 0.01)
        self.value = ValueHead(hidden_sizes[-1])
        self.residual = ResidualBias(len(game.actions), hidden_sizes[0]) if base_policy else None

    @property
    def shape(self) -> dict[str, Any]:
        """The arguments of the constructor beside the game."""
        return {
            "hidden_sizes": self.torso.hidden_sizes,
            "base_policy": self.base_policy,
            "heuristic_features": self.heuristic_features,
        }

    def forward(self, inputs: Tensor, masks: Tensor, base_actions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits (B, actions), about minus infinity where illegal, and normalised values (B,); both float32.

        Args:
            inputs: (B, inputs) int8, of `NetworkInputs`.
            masks: (B, actions) bool.
            base_actions: (B,) int64, the actions of the base policy, if there is one.
        """
        if self.residual is None or base_actions is None:
            features = self.torso(inputs)
            logits = self.policy(features).float()
        else:
            features = self.torso(inputs, self.residual.embedding(base_actions))
            logits = self.residual.add_to(self.policy(features).float(), base_actions)
        # An illegal action has probability 0, so no loss has a gradient with respect to its logit.
        with torch.no_grad():
            logits.masked_fill_(~masks, _ILLEGAL)
        return logits, self.value(features)


class CentralizedCritic(nn.Module):
    """A value of what all seats observe. No seat may know that much while it plays, so it serves training only."""

    def __init__(self, num_inputs: int, hidden_sizes: Sequence[int]):
        super().__init__()
        self.torso = Torso(num_inputs, hidden_sizes)
        self.value = ValueHead(hidden_sizes[-1])

    def forward(self, observations: Tensor) -> Tensor:
        """(B,) normalised values, of (B, num_inputs) int8."""
        return self.value(self.torso(observations))


def _linear(num_inputs: int, num_outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


# ---- weights and checkpoints


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


def save_network(network: ActorCritic, game: Game, path: Path) -> None:
    """Write a network as a checkpoint."""
    write_checkpoint(Checkpoint(KIND, weights_of(network), network.shape), game, path)


def load_network(game: Game, path: Path) -> ActorCritic:
    """The network in a checkpoint file; AgentError if it is none for this game (see `read_checkpoint`)."""
    return network_of(read_checkpoint(path, game), game, path)


def network_of(checkpoint: Checkpoint, game: Game, path: Path) -> ActorCritic:
    """The network of a checkpoint.

    Raises:
        AgentError: It is of another trainer, or the weights do not fit.
    """
    if checkpoint.kind != KIND:
        raise AgentError(f"checkpoint {path}: of trainer {checkpoint.kind!r}, but {KIND!r} is needed")
    network = ActorCritic(game, **checkpoint.shape)
    load_weights(network, checkpoint, path)
    return network.requires_grad_(False)
