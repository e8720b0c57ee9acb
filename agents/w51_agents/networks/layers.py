"""Layers of networks, in PyTorch: torsos, and heads of values and of who plays."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

ILLEGAL = -1e9  #  logit of an illegal action: its probability is 0 in every precision
_STATS_ROWS = 256  #       whose statistics are computed at once: in the cache of a core
_MIN_STD = 0.1  #  of an input: one that hardly ever differs is not scaled up


class BaseTorso(nn.Module):
    """Base class of a torso: the layers from inputs to features, with the statistics that normalise the inputs.

    A subclass has `forward(inputs, embedding)`, as `Torso`.
    """

    mean: Tensor
    mean_square: Tensor
    count: Tensor

    def __init__(self, num_inputs: int, width: int):
        super().__init__()
        self.width = width
        self.register_buffer("mean", torch.zeros(num_inputs))
        self.register_buffer("mean_square", torch.ones(num_inputs))
        self.register_buffer("count", torch.zeros(num_inputs))

    @property
    def std(self) -> Tensor:
        """(num_inputs,) standard deviations, not below a tenth."""
        return (self.mean_square - self.mean**2).clamp_min(_MIN_STD**2).sqrt()

    def read(self, inputs: Tensor) -> Any:
        """What `forward` gets, of (B, inputs) int8 inputs; here these. The layers of the policy get it, too."""
        return inputs

    def normalize(self, inputs: Tensor) -> Tensor:
        """(B, num_inputs) float32 of int8 inputs, with mean 0 and deviation 1."""
        return (inputs - self.mean) / self.std

    def cached_weights(self, dtype: torch.dtype) -> AbstractContextManager[None]:
        """What may be computed once, for as long as no parameter changes; here nothing."""
        return nullcontext()

    def normalized(self, inputs: Tensor) -> Tensor:
        """(B, num_inputs), what is normalised of (B, columns) inputs; here all."""
        return inputs

    @torch.no_grad()
    def sums_of(self, inputs: Tensor, expand: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """(2, num_inputs) float64, the sums of inputs and of their squares.

        Args:
            inputs: (B, columns), the inputs, or what `expand` makes them of.
            expand: Makes inputs of some rows at a time, so that they stay in the cache; None: they are inputs.
        """
        sums = torch.zeros(2, *self.mean.shape, dtype=torch.float64, device=self.mean.device)
        for part in inputs.split(_STATS_ROWS):
            floats = self.normalized(part if expand is None else expand(part)).float()
            sums[0] += floats.sum(0)
            sums[1] += floats.square_().sum(0)
        return sums

    @torch.no_grad()
    def include(self, sums: Tensor, count: int) -> None:
        """Include the sums of so many inputs in the mean and deviation; each call has the same weight."""
        self.count += 1
        mean, mean_square = (sums / count).float()
        self.mean += (mean - self.mean) / self.count
        self.mean_square += (mean_square - self.mean_square) / self.count


class Torso(BaseTorso):
    """Hidden layers with ReLU."""

    def __init__(self, num_inputs: int, hidden_sizes: Sequence[int]):
        super().__init__(num_inputs, hidden_sizes[-1])
        self.first = linear(num_inputs, hidden_sizes[0], 2**0.5)
        self._cached: tuple[Tensor, ...] = ()
        self.others = nn.Sequential(
            *(layer for sizes in pairwise(hidden_sizes) for layer in (linear(*sizes, 2**0.5), nn.ReLU(inplace=True)))
        )

    def forward(self, inputs: Any, embedding: Tensor | float = 0.0) -> Tensor:
        """(B, hidden_sizes[-1]) features.

        Args:
            inputs: What `read` returned: (B, num_inputs) int8.
            embedding: (B, hidden_sizes[0]), added to the first layer before its ReLU.
        """
        numbers = self.numbers(inputs)
        device = numbers.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        weight, bias = self._cached or self.fold_normalization()
        first = functional.linear(numbers.to(dtype), weight.to(dtype), bias.to(dtype))
        return self.above(functional.relu(first + embedding), inputs)

    def numbers(self, inputs: Any) -> Tensor:
        """(B, numbers), what the first layer reads of what `read` returned."""
        return inputs

    def normalized(self, inputs: Tensor) -> Tensor:
        return self.numbers(self.read(inputs))

    def above(self, units: Tensor, inputs: Any) -> Tensor:
        """The features, of the (B, hidden_sizes[0]) units of the first layer and of what `read` returned."""
        return self.others(units)

    def arrays(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(inputs, units) weights and (units,) biases of all layers, the first one for raw inputs; float64."""
        weight, bias = arrays_of(self.first)
        weight /= self.std.double().numpy()[:, None]
        layers = [(weight, bias - self.mean.double().numpy() @ weight)]
        return layers + [arrays_of(layer) for layer in self.others if isinstance(layer, nn.Linear)]

    def fold_normalization(self) -> tuple[Tensor, Tensor]:
        """Weight and bias of the first layer for raw inputs: scaling the weights costs less than scaling a batch."""
        weight = self.first.weight / self.std
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


class ValueHead(nn.Module):
    """A value in units of the returns' mean and standard deviation, so that any reward scale learns alike."""

    mean: Tensor
    std: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("std", torch.ones(()))
        self.last = linear(width, 1, 1.0)

    def forward(self, features: Tensor) -> Tensor:
        """(B,) float32, normalised values."""
        return self.last(features).float().squeeze(1)

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


class StyleHead(nn.Linear):
    """Tells the style of who has each other seat, clockwise, from (B, width) features: (B, others, styles) logits.

    Args:
        width: Number of features.
        others: The most other seats.
        styles: Their names.
    """

    def __init__(self, width: int, others: int, styles: Sequence[str]):
        super().__init__(width, others * len(styles))
        nn.init.orthogonal_(self.weight, 0.01)
        nn.init.zeros_(self.bias)
        self.styles = tuple(styles)

    def forward(self, features: Tensor) -> Tensor:
        return super().forward(features).float().unflatten(1, (-1, len(self.styles)))


def linear(num_inputs: int, num_outputs: int, gain: float) -> nn.Linear:
    """A layer with orthogonal weights, scaled by `gain`, and no bias at first."""
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def arrays_of(layer: nn.Linear) -> tuple[np.ndarray, np.ndarray]:
    """(inputs, outputs) weights and (outputs,) biases of a linear layer, copied; float64."""
    return layer.weight.detach().double().numpy().T, layer.bias.detach().double().numpy()


def gather_legal(numbers: Tensor, legal: Tensor, fill: float = ILLEGAL) -> Tensor:
    """(B, K) numbers, as logits, of the actions of `list_legal`, of (B, actions); `fill` where there is no action."""
    num_actions = numbers.shape[1]
    return numbers.gather(1, legal.clamp_max(num_actions - 1)).masked_fill(legal == num_actions, fill)
