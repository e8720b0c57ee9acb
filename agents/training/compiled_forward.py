"""The forward pass of a plain network, for rollouts and for learning: the first layer over inputs of which most are 0.

Other threads do not wait for compiled code, as they do between PyTorch's calls. Of the products of matrices, which are
PyTorch's, there is one for each further layer.
"""

import math

import numpy as np
import torch
from torch import Tensor

from w51_env.agents.policies.compiled import draw
from w51_env.agents.policies.layers import Torso
from w51_env.agents.policies.network import ActorCritic
from w51_env.core.compile import entry, kernel
from w51_env.core.loops import list_legal

UNROLLED = 4  # rows of a matrix that are added at once, so that sums stay in registers

# ---- compiled code: a list of inputs or actions is two arrays, places and factors


@kernel
def add_rows(matrix, places, factors, start, stop, sums, row):  # type: ignore[no-untyped-def]
    """Add to a row of `sums` the rows of a matrix that a list names from start to stop, times their factors."""
    for index in range(start, stop, UNROLLED):
        first, second, third, fourth = places[index], places[index + 1], places[index + 2], places[index + 3]
        a, b, c, d = factors[index], factors[index + 1], factors[index + 2], factors[index + 3]
        for unit in range(sums.shape[1]):
            sums[row, unit] = (
                sums[row, unit] + a * matrix[first, unit] + b * matrix[second, unit]
                + c * matrix[third, unit] + d * matrix[fourth, unit]
            )  # fmt: skip


@kernel
def fill_up(places, factors, stop):  # type: ignore[no-untyped-def]
    """End a list with rows that count nothing, up to a multiple of UNROLLED; returns where the next list begins."""
    for extra in range(stop, stop + UNROLLED - 1):
        places[extra], factors[extra] = 0, np.float32(0.0)
    return (stop + UNROLLED - 1) // UNROLLED * UNROLLED


@entry("policy")
def first_layer(inputs, rows, weights, biases, starts, stops, places, factors, units, count):  # type: ignore[no-untyped-def]
    """Write the units of the first layer, after ReLU, of `count` rows, and list the inputs of each that are not 0."""
    start = 0
    for index in range(count):
        row, stop = rows[index], start
        for place in range(inputs.shape[1]):
            places[stop], factors[stop] = place, np.float32(inputs[row, place])  # overwritten if it is 0
            stop += inputs[row, place] != 0
        starts[index], stops[index] = start, stop
        following = fill_up(places, factors, stop)
        for unit in range(units.shape[1]):
            units[index, unit] = biases[unit]
        add_rows(weights, places, factors, start, stop, units, index)
        for unit in range(units.shape[1]):
            units[index, unit] = max(units[index, unit], np.float32(0.0))
        start = following


@entry("policy")
def draw_decisions(logits, masks, drawn, actions, logprobs, legal, listed):  # type: ignore[no-untyped-def]
    """Draw an action for each row, with its log-probability; no mask is empty."""
    for row in range(actions.shape[0]):
        count = list_legal(masks[row], legal)
        for one in range(count):
            listed[one] = logits[row, legal[one]]
        index, total = draw(listed, count, drawn[row])
        actions[row], logprobs[row] = legal[index], math.log(listed[index] / total)


# ---- the pass


class FirstLayer:
    """The first layer for raw inputs, by input: what `Torso.fold_normalization` gives, and the way back of gradients.

    Attributes:
        weights, biases: (inputs, units) and (units,).
    """

    def __init__(self, network: ActorCritic):
        assert isinstance(network.torso, Torso)
        self._torso = network.torso
        self.weights = torch.zeros(self._torso.first.weight.T.shape)
        self.biases = torch.zeros(self._torso.first.bias.shape)

    def fold(self) -> None:
        """Write weights and biases."""
        weight, bias = self._torso.fold_normalization()
        self.weights.copy_(weight.T)
        self.biases.copy_(bias)

    def unfolded(self, by_weights: Tensor, by_biases: Tensor) -> Tensor:
        """The gradient of the layer's own weights, from those of both, of which the first is overwritten."""
        by_weights.addcmul_(self._torso.mean[:, None], by_biases[None], value=-1.0)
        return by_weights.div_(self._torso.std[:, None]).T.contiguous()


class Forward:
    """Computes logits and values of some rows; one thread at a time.

    Args:
        network: The network, of the class `ActorCritic` without a base policy.
        first: Its first layer, folded.
        rows_at_once: The most rows.

    Attributes:
        rows: (rows_at_once,) int64, the rows of the inputs that are read; at first all in their order.
        units: Of each hidden layer, after ReLU, (rows_at_once, width).
        logits, values: (rows_at_once, actions) and (rows_at_once, 1).
        hidden, heads: Weights and biases of the hidden layers but the first, and of policy and value.
        lists: What `first_layer` lists: where the inputs of each row begin and end, their places and their numbers.
    """

    def __init__(self, network: ActorCritic, first: FirstLayer, rows_at_once: int):
        self._first = first
        parameters = [parameter.detach() for parameter in network.parameters()]
        pairs = list(zip(parameters[::2], parameters[1::2], strict=True))
        self.hidden, self.heads = pairs[1:-2], pairs[-2:]
        self.rows = torch.arange(rows_at_once)
        self.units = [torch.zeros(rows_at_once, len(bias)) for _, bias in pairs[:-2]]
        self.logits, self.values = (torch.zeros(rows_at_once, len(bias)) for _, bias in self.heads)
        listed = rows_at_once * (len(first.weights) + UNROLLED - 1) + UNROLLED
        ends = np.zeros(rows_at_once, np.int64), np.zeros(rows_at_once, np.int64)
        self.lists = (*ends, np.zeros(listed, np.int32), np.zeros(listed, np.float32))

    def bind(self, inputs: np.ndarray) -> None:
        """Read these inputs, (N, inputs), from now on."""
        layer, rows, units = self._first, self.rows, self.units[0]
        arrays = (tensor.numpy() for tensor in (rows, layer.weights, layer.biases))
        self._first_layer = first_layer.bind(inputs, *arrays, *self.lists, units.numpy())

    def __call__(self, count: int) -> None:
        """Compute the first `count` of `rows`."""
        self._first_layer(count)
        units = [layer[:count] for layer in self.units]
        for below, above, (weight, bias) in zip(units, units[1:], self.hidden, strict=False):
            torch.addmm(bias, below, weight.T, out=above).relu_()
        for outputs, (weight, bias) in zip((self.logits, self.values), self.heads, strict=True):
            torch.addmm(bias, units[-1], weight.T, out=outputs[:count])
