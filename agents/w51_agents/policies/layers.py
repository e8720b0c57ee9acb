"""Layers of networks: torsos, the head of values, log-probabilities; and compiled code of layers that learn.

That is for inputs that are mostly 0, and for the logits of legal actions alone: PyTorch functions of `sparse`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.networks import sparse

Arrays = dict[str, np.ndarray]

ILLEGAL = -1e9  #  logit of an illegal action: its probability is 0 in every precision
_STATS_ROWS = 256  #       whose statistics are computed at once: in the cache of a core
_MIN_STD = 0.1  #  of an input: one that hardly ever differs is not scaled up


class BaseTorso(nn.Module):
    """Base class of a torso: the layers from inputs to features, with the statistics that normalise the inputs.

    A subclass has `forward(inputs, embedding)`, as `Torso`.

    Args:
        num_inputs: Number of inputs.
        width: Number of features.
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
    def update_stats(self, inputs: Tensor, expand: Callable[[Tensor], Tensor] | None = None) -> None:
        """Include inputs in the mean and deviation; each call has the same weight.

        Args:
            inputs: (B, columns), the inputs, or what `expand` makes them of.
            expand: Makes inputs of some rows at a time, so that they stay in the cache; None: they are inputs.
        """
        self.count += 1
        sums = torch.zeros(2, *self.mean.shape, dtype=torch.float64, device=self.mean.device)
        for part in inputs.split(_STATS_ROWS):
            floats = self.normalized(part if expand is None else expand(part)).float()
            sums[0] += floats.sum(0)
            sums[1] += floats.square_().sum(0)
        mean, mean_square = (sums / len(inputs)).float()
        self.mean += (mean - self.mean) / self.count
        self.mean_square += (mean_square - self.mean_square) / self.count


class Torso(BaseTorso):
    """Hidden layers with ReLU.

    Args:
        num_inputs: Number of inputs.
        hidden_sizes: Widths of the layers.
    """

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


def logprobs_and_entropies(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (B,) of (B,) actions and entropies (B,) in nats, of (B, actions) logits."""
    return _LogprobsAndEntropies.apply(logits, actions)


class _LogprobsAndEntropies(torch.autograd.Function):
    """Gradients in closed form: a third of the passes over all logits that autograd makes."""

    @staticmethod
    def forward(context: Any, logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
        probabilities, logprobs = torch.softmax(logits, 1), torch.log_softmax(logits, 1)
        entropies = -torch.linalg.vecdot(probabilities, logprobs)
        context.save_for_backward(probabilities, logprobs, entropies, actions)
        return logprobs.gather(1, actions[:, None])[:, 0], entropies

    @staticmethod
    def backward(context: Any, by_logprob: Tensor, by_entropy: Tensor) -> tuple[Tensor, None]:
        probabilities, logprobs, entropies, actions = context.saved_tensors
        # d logp[a] / d logit[k] = [k = a] - p[k];  d H / d logit[k] = -p[k] (logp[k] + H).
        common = by_logprob + by_entropy * entropies
        gradient = torch.addcmul(common[:, None], by_entropy[:, None], logprobs).mul_(probabilities).neg_()
        return gradient.scatter_add_(1, actions[:, None], by_logprob[:, None]), None


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


def linear(num_inputs: int, num_outputs: int, gain: float) -> nn.Linear:
    """A layer with orthogonal weights, scaled by `gain`, and no bias at first."""
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def arrays_of(layer: nn.Linear) -> tuple[np.ndarray, np.ndarray]:
    """(inputs, outputs) weights and (outputs,) biases of a linear layer, copied; float64."""
    return layer.weight.detach().double().numpy().T, layer.bias.detach().double().numpy()


# ---- compiled code of layers that learn


def sparse_rows(torso: Torso) -> tuple[Tensor, Tensor]:
    """(inputs, units) weights and (units,) biases of the first layer of a torso for raw inputs, without gradients."""
    with torch.no_grad():
        weight, bias = torso.fold_normalization()
        return weight.T.contiguous(), bias


def sparse_features(torso: Torso, inputs: Tensor, rows: tuple[Tensor, Tensor]) -> Tensor:
    """The features of a torso for (B, inputs) int8 inputs that are mostly 0; `rows` are its `sparse_rows`."""
    read, stats = torso.read(inputs), (torso.mean, torso.std)
    units = SparseLayer.apply(torso.numbers(read), torso.first.weight, torso.first.bias, *rows, *stats)
    return torso.above(units, read)


class SparseLayer(torch.autograd.Function):
    """A normalised linear layer with ReLU over integer inputs that are mostly 0; compiled code, float32.

    Arguments: (B, inputs) inputs; weights and biases as of `nn.Linear`, which alone have gradients; the same for raw
    inputs, as of `sparse_rows`; means and deviations of the inputs. Result: (B, units).
    """

    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor, *constants: Tensor) -> Tensor:
        rows, biases, *context.stats = constants
        units, most = torch.empty(len(inputs), len(bias)), len(inputs) * (inputs.shape[1] + sparse.UNROLLED)
        lists = np.empty((len(inputs), 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32)
        sparse.write_units(*numpy_of(inputs, rows, biases), *lists, units.numpy())
        context.arrays = *lists, units.numpy()
        return units

    @staticmethod
    def backward(context: Any, by_units: Tensor) -> tuple[Tensor | None, ...]:
        arrays, (mean, std) = context.arrays, context.stats
        gradients = torch.zeros(len(mean), by_units.shape[1]), torch.zeros(by_units.shape[1])
        memory = np.empty(by_units.shape[1], np.float32)
        sparse.write_unit_gradients(*arrays, *numpy_of(by_units), memory, *numpy_of(*gradients))
        by_rows, by_biases = gradients
        by_weights = torch.empty(by_rows.shape[::-1])  # contiguous, as Adam expects
        torch.addr(by_rows.T, by_biases, mean, alpha=-1, out=by_weights).div_(std)
        return None, by_weights, by_biases, None, None, None, None


class LegalLogits(torch.autograd.Function):
    """A linear layer whose outputs are the logits of actions, for legal actions alone; compiled code for float32.

    Arguments: (B, width) features; (actions, width) weights; (actions,) biases; (B, K) the legal actions, as of
    `list_legal`. Result: (B, K) logits, ILLEGAL where there is no action.
    """

    @staticmethod
    def forward(context: Any, features: Tensor, weight: Tensor, bias: Tensor, legal: Tensor) -> Tensor:
        logits = torch.full(legal.shape, ILLEGAL)
        sparse.write_logits(*numpy_of(features, weight, bias, legal, logits))
        context.save_for_backward(features, weight, legal)
        return logits

    @staticmethod
    def backward(context: Any, by_logits: Tensor) -> tuple[Tensor | None, ...]:
        features, weight, legal = context.saved_tensors
        gradients = torch.zeros_like(features), torch.zeros_like(weight), torch.zeros(len(weight))
        listed = legal.shape[1] + sparse.UNROLLED
        lists = np.empty(listed, np.int64), np.empty(listed, np.float32)
        sparse.write_logit_gradients(*numpy_of(features, weight, legal, by_logits), *lists, *numpy_of(*gradients))
        return *gradients, None


def list_legal(masks: Tensor) -> Tensor:
    """(B, K) int64, the legal actions of (B, actions) bool masks, K at most, and then the number of actions."""
    arrays = masks.view(torch.int8).numpy(), np.empty(masks.shape[1], np.int64)
    legal = torch.empty(len(masks), sparse.most_legal(*arrays), dtype=torch.int64)
    sparse.list_legal(*arrays, legal.numpy())
    return legal


def gather_legal(numbers: Tensor, legal: Tensor, fill: float = ILLEGAL) -> Tensor:
    """(B, K) numbers, as logits, of the actions of `list_legal`, of (B, actions); `fill` where there is no action."""
    num_actions = numbers.shape[1]
    return numbers.gather(1, legal.clamp_max(num_actions - 1)).masked_fill(legal == num_actions, fill)


def numpy_of(*tensors: Tensor) -> list[np.ndarray]:
    """The same memory; of what is not contiguous, a copy."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]
