"""Layers that learn, of inputs that are mostly 0 and of legal actions alone: PyTorch functions of compiled code."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.policies import sparse
from w51_agents.policies.layers import ILLEGAL, Torso


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
    def forward(  # type: ignore[override]
        context: Any, inputs: Tensor, weight: Tensor, bias: Tensor, *constants: Tensor
    ) -> Tensor:
        rows, biases, *context.stats = constants
        units, most = torch.empty(len(inputs), len(bias)), len(inputs) * (inputs.shape[1] + sparse.UNROLLED)
        lists = np.empty((len(inputs), 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32)
        sparse.write_units(*_numpy(inputs, rows, biases), *lists, units.numpy())
        context.arrays = *lists, units.numpy()
        return units

    @staticmethod
    def backward(context: Any, by_units: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        arrays, (mean, std) = context.arrays, context.stats
        gradients = torch.zeros(len(mean), by_units.shape[1]), torch.zeros(by_units.shape[1])
        memory = np.empty(by_units.shape[1], np.float32)
        sparse.write_unit_gradients(*arrays, *_numpy(by_units), memory, *_numpy(*gradients))
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
    def forward(  # type: ignore[override]
        context: Any, features: Tensor, weight: Tensor, bias: Tensor, legal: Tensor
    ) -> Tensor:
        logits = torch.full(legal.shape, ILLEGAL)
        sparse.write_logits(*_numpy(features, weight, bias, legal, logits))
        context.save_for_backward(features, weight, legal)
        return logits

    @staticmethod
    def backward(context: Any, by_logits: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        features, weight, legal = context.saved_tensors
        gradients = torch.zeros_like(features), torch.zeros_like(weight), torch.zeros(len(weight))
        listed = legal.shape[1] + sparse.UNROLLED
        lists = np.empty(listed, np.int64), np.empty(listed, np.float32)
        sparse.write_logit_gradients(*_numpy(features, weight, legal, by_logits), *lists, *_numpy(*gradients))
        return *gradients, None


def list_legal(masks: Tensor) -> Tensor:
    """(B, K) int64, the legal actions of (B, actions) bool masks, K at most, and then the number of actions."""
    arrays = masks.view(torch.int8).numpy(), np.empty(masks.shape[1], np.int64)
    legal = torch.empty(len(masks), sparse.most_legal(*arrays), dtype=torch.int64)
    sparse.list_legal(*arrays, legal.numpy())
    return legal


def gather_legal(logits: Tensor, legal: Tensor) -> Tensor:
    """(B, K) logits of the actions of `list_legal`, of (B, actions); ILLEGAL where there is no action."""
    num_actions = logits.shape[1]
    return logits.gather(1, legal.clamp_max(num_actions - 1)).masked_fill(legal == num_actions, ILLEGAL)


def _numpy(*tensors: Tensor) -> list[np.ndarray]:
    """The same memory; of what is not contiguous, a copy."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]
