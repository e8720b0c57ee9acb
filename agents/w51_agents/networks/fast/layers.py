"""Layers that learn, as compiled code: inputs that are mostly 0, and the logits of legal actions alone (`sparse`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.fast import sparse
from w51_agents.networks.layers import ILLEGAL, Torso
from w51_agents.networks.learning import Outputs
from w51_agents.networks.network import ActorCritic
from w51_env.compiler.compile import JIT_DISABLED


class SparseTorso:
    """The features of a torso whose inputs are mostly 0."""

    def __init__(self, torso: Torso):
        self._torso = torso
        self._rows: tuple[Tensor, Tensor] | None = None

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Inside, no parameter changes, so the first layer is folded only once."""
        self._rows = self._folded()
        yield
        self._rows = None

    def __call__(self, inputs: Tensor) -> Tensor:
        """(B, width) features of (B, inputs) int8 inputs."""
        torso, read = self._torso, self._torso.read(inputs)
        layer = torso.first.weight, torso.first.bias
        units = SparseLayer.apply(torso.numbers(read), *layer, *(self._rows or self._folded()), torso.mean, torso.std)
        return torso.above(units, read)

    def _folded(self) -> tuple[Tensor, Tensor]:
        """(inputs, units) weights and (units,) biases of the first layer for raw inputs, without gradients."""
        with torch.no_grad():
            weight, bias = self._torso.fold_normalization()
            return weight.T.contiguous(), bias


def outputs_of(network: ActorCritic, features: Tensor, legal: Tensor) -> Outputs:
    """The outputs of a network whose policy is one linear layer, of (B, width) features."""
    logits = LegalLogits.apply(features, network.policy.weight, network.policy.bias, legal)
    return Outputs(logits, network.value(features), features)


class SparseLayer(torch.autograd.Function):
    """A normalised linear layer with ReLU over integer inputs that are mostly 0; compiled code, float32.

    Arguments: (B, inputs) inputs; weights and biases as of `nn.Linear`, which alone have gradients; the same for raw
    inputs, (inputs, units) and (units,); means and deviations of the inputs. Result: (B, units).
    """

    @staticmethod
    def forward(context: Any, inputs: Tensor, weight: Tensor, bias: Tensor, *constants: Tensor) -> Tensor:
        rows, biases, *context.stats = constants
        units, most = torch.empty(len(inputs), len(bias)), len(inputs) * (inputs.shape[1] + sparse.UNROLLED)
        lists = sparse.Lists.of(len(inputs), most)
        sparse.write_units(*numpy_of(inputs, rows, biases), lists, units.numpy())
        context.arrays = lists, units.numpy()
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
    """(B, K) int64, the legal actions of (B, actions) bool masks, K at most, and then the number of actions.

    On a GPU, and without compiled code, all actions of each row, so that no size depends on the masks.
    """
    if masks.device.type != "cpu" or JIT_DISABLED:
        return torch.arange(masks.shape[1], device=masks.device).repeat(len(masks), 1)
    arrays = masks.view(torch.int8).numpy(), np.empty(masks.shape[1], np.int64)
    legal = torch.empty(len(masks), sparse.most_legal(*arrays), dtype=torch.int64)
    sparse.list_legal(*arrays, legal.numpy())
    return legal


def numpy_of(*tensors: Tensor) -> list[np.ndarray]:
    """The same memory; of what is not contiguous, a copy."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]
