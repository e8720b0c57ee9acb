"""Layers that learn, as compiled code: inputs that are mostly 0, and the logits of legal actions alone."""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.fast.sparse import UNROLLED, add_rows, fill_up
from w51_agents.networks.layers import ILLEGAL
from w51_env.compiler.compile import JIT_DISABLED, entry
from w51_env.compiler.vectors import dot, list_nonzero


class SparseLayer(torch.autograd.Function):
    """A normalised linear layer with ReLU over integer inputs that are mostly 0; compiled code, float32.

    Arguments: (B, inputs) inputs; weights and biases as of `nn.Linear`, which alone have gradients; the same for raw
    inputs, (inputs, units) and (units,); means and deviations of the inputs. Result: (B, units).
    """

    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor, *constants: Tensor) -> Tensor:
        rows, biases, *context.stats = constants
        units, most = torch.empty(len(inputs), len(bias)), len(inputs) * (inputs.shape[1] + UNROLLED)
        lists = Lists.of(len(inputs), most)
        write_units(*numpy_of(inputs, rows, biases), lists, units.numpy())
        context.arrays = lists, units.numpy()
        return units

    @staticmethod
    def backward(context: Any, by_units: Tensor) -> tuple[Tensor | None, ...]:
        arrays, (mean, std) = context.arrays, context.stats
        gradients = torch.zeros(len(mean), by_units.shape[1]), torch.zeros(by_units.shape[1])
        memory = np.empty(by_units.shape[1], np.float32)
        write_unit_gradients(*arrays, *numpy_of(by_units), memory, *numpy_of(*gradients))
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
        write_logits(*numpy_of(features, weight, bias, legal, logits))
        context.save_for_backward(features, weight, legal)
        return logits

    @staticmethod
    def backward(context: Any, by_logits: Tensor) -> tuple[Tensor | None, ...]:
        features, weight, legal = context.saved_tensors
        gradients = torch.zeros_like(features), torch.zeros_like(weight), torch.zeros(len(weight))
        listed = legal.shape[1] + UNROLLED
        lists = np.empty(listed, np.int64), np.empty(listed, np.float32)
        write_logit_gradients(*numpy_of(features, weight, legal, by_logits), *lists, *numpy_of(*gradients))
        return *gradients, None


def list_legal(masks: Tensor) -> Tensor:
    """(B, K) int64, the legal actions of (B, actions) bool masks, K at most, and then the number of actions.

    On a GPU, and without compiled code, all actions of each row, so that no size depends on the masks.
    """
    if masks.device.type != "cpu" or JIT_DISABLED:
        return torch.arange(masks.shape[1], device=masks.device).repeat(len(masks), 1)
    arrays = masks.view(torch.int8).numpy(), np.empty(masks.shape[1], np.int64)
    legal = torch.empty(len(masks), most_legal(*arrays), dtype=torch.int64)
    write_legal(*arrays, legal.numpy())
    return legal


def numpy_of(*tensors: Tensor) -> list[np.ndarray]:
    """The same memory; of what is not contiguous, a copy."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]


class Lists(NamedTuple):
    """A list of inputs for each row, one after the other.

    Attributes:
        bounds: (rows, 2) int64, where it begins and ends.
        places: (most,) int32.
        factors: (most,) float32.
    """

    bounds: np.ndarray
    places: np.ndarray
    factors: np.ndarray

    @classmethod
    def of(cls, rows: int, most: int) -> "Lists":
        """Memory for the lists of so many rows, as long as `most` in all."""
        return cls(np.empty((rows, 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32))


@entry("policy")
def write_units(inputs, weights, biases, lists, units):  # type: ignore[no-untyped-def]
    """Write the units of a layer with ReLU for each row of inputs, and its list."""
    bounds, places, factors = lists.bounds, lists.places, lists.factors
    width, start = units.shape[1], 0
    for row in range(inputs.shape[0]):
        stop = list_nonzero(inputs[row], places, start)
        for index in range(start, stop):
            factors[index] = np.float32(inputs[row, places[index]])
        fill_up(places, factors, stop)
        for unit in range(width):
            units[row, unit] = biases[unit]
        add_rows(weights, places, factors, (start, stop), units, row, width)
        for unit in range(width):
            units[row, unit] = max(units[row, unit], np.float32(0.0))
        bounds[row, 0], bounds[row, 1] = start, stop
        start = stop + UNROLLED - 1


@entry("policy")
def write_unit_gradients(lists, units, by_units, by_row, by_weights, by_biases):  # type: ignore[no-untyped-def]
    """Add to the gradients of weights and biases, with the lists of `write_units`; `by_row` is memory for a row."""
    bounds, places, factors = lists.bounds, lists.places, lists.factors
    width = units.shape[1]
    for row in range(bounds.shape[0]):
        for unit in range(width):
            by_row[unit] = by_units[row, unit] if units[row, unit] > 0 else np.float32(0.0)
            by_biases[unit] += by_row[unit]
        for index in range(bounds[row, 0], bounds[row, 1]):
            place, factor = places[index], factors[index]
            for unit in range(width):
                by_weights[place, unit] += factor * by_row[unit]


@entry("policy")
def most_legal(masks, legal):  # type: ignore[no-untyped-def]
    """The most legal actions of a row; `legal` is memory for all actions."""
    most = 0
    for row in range(masks.shape[0]):
        most = max(most, list_nonzero(masks[row], legal, 0))
    return most


@entry("policy")
def write_legal(masks, legal, places):  # type: ignore[no-untyped-def]
    """Write the legal actions of each row, after them the number of actions; `legal` is memory for all actions."""
    for row in range(masks.shape[0]):
        count = list_nonzero(masks[row], legal, 0)
        for index in range(places.shape[1]):
            places[row, index] = legal[index] if index < count else masks.shape[1]


@entry("policy")
def write_logits(features, weights, biases, places, logits):  # type: ignore[no-untyped-def]
    """Write the logits of the actions that are listed."""
    for row in range(places.shape[0]):
        for index in range(places.shape[1]):
            action = places[row, index]
            if action < weights.shape[0]:
                logits[row, index] = biases[action] + dot(weights, action, features, row)


@entry("policy")
def write_logit_gradients(features, weights, places, by_logits, *written):  # type: ignore[no-untyped-def]
    """Add to the gradients of features, weights and biases, from those of the logits; before them memory for a list."""
    legal, factors, by_features, by_weights, by_biases = written
    width = features.shape[1]
    for row in range(places.shape[0]):
        count = 0
        while count < places.shape[1] and places[row, count] < weights.shape[0]:
            action, factor = places[row, count], by_logits[row, count]
            legal[count], factors[count] = action, factor
            by_biases[action] += factor
            for unit in range(width):
                by_weights[action, unit] += factor * features[row, unit]
            count += 1
        fill_up(legal, factors, count)
        add_rows(weights, legal, factors, (0, count), by_features, row, width)
