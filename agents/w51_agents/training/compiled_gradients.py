"""Gradients of proximal policy optimisation for a plain network without autograd: those of `SelfPlayTrainer.loss`, but
for rounding, in half of the time. Products of matrices are PyTorch's, all else is compiled (`compiled_learning`).
"""

from collections import deque
from concurrent.futures import Executor

import numpy as np
import torch
from torch import Tensor

from w51_agents.policies.layers import Torso
from w51_agents.policies.network import ActorCritic
from w51_agents.training import compiled_learning
from w51_agents.training.compiled_learning import NUM_SUMS, UNROLLED, loss_dtype
from w51_agents.training.rollout import Minibatch


class CompiledGradients:
    """Sets the gradients of a network of the class `ActorCritic` without a base policy, on a processor, in float32.

    Args:
        network: The network; its parameters stay where they are in memory.
        rows_at_once: Rows of a minibatch that one thread computes at once.
        num_threads: The most threads that compute.
    """

    def __init__(self, network: ActorCritic, rows_at_once: int, num_threads: int):
        self._network, self._rows_at_once, self._num_threads = network, rows_at_once, num_threads
        self._sum = torch.zeros(sum(parameter.numel() for parameter in network.parameters()))
        by_folded, *others = gradients_in(self._sum, network)
        self._first = FirstLayer(network, by_folded, others[0])
        self._gradients = [self._first.gradient, *others]
        self._settings = np.zeros(1, loss_dtype)
        self._batch: Minibatch | None = None
        self._workspaces: list[Workspace] = []

    @torch.no_grad()
    def set_gradients(
        self, batch: Minibatch, rows: Tensor, clip_range: float, ent_coef: float, threads: Executor | None
    ) -> Tensor:
        """Set the gradients to those of the mean loss over rows; their bytes do not depend on threads.

        Args:
            batch: Decisions.
            rows: (B,) int64, a minibatch of them.
            clip_range: As in the config.
            ent_coef: The weight of the entropy at this time of the training.
            threads: They compute a part of the rows each; None: the caller computes all.

        Returns:
            (3,) float64, the means of `learner.Losses` but the total.
        """
        advantages, head = batch.advantages[rows], self._network.value
        std = advantages.std(correction=0) + 1e-8  # as `Minibatch.standardize`
        self._settings[0] = clip_range, ent_coef, 1.0 / len(rows), advantages.mean(), std, head.mean, head.std
        parts = rows.split(self._rows_at_once)
        workspaces = self._bound(batch, min(len(parts), self._num_threads))
        self._first.fold(0)
        self._sum.zero_()
        sums = torch.zeros(NUM_SUMS, dtype=torch.float64)
        for start in range(0, len(parts), len(workspaces)):
            some = parts[start : start + len(workspaces)]
            compute = map if threads is None or len(some) == 1 else threads.map
            deque(compute(Workspace.compute, workspaces, some), maxlen=0)
            for workspace, _ in zip(workspaces, some, strict=False):  # in the order of the parts
                self._sum += workspace.flat
                sums += workspace.sums
        self._first.unfold(0)
        for parameter, gradient in zip(self._network.parameters(), self._gradients, strict=True):
            parameter.grad = gradient
        return sums / len(rows)

    def _bound(self, batch: Minibatch, count: int) -> list["Workspace"]:
        """Workspaces that read a batch."""
        while len(self._workspaces) < count:
            self._workspaces.append(Workspace(self._network, self._first, self._rows_at_once))
            self._batch = None
        if batch is not self._batch:
            self._batch = batch
            self._first.bind()
            for workspace in self._workspaces:
                workspace.bind(batch, self._settings)
        return self._workspaces[:count]


class FirstLayer:
    """The first layer for raw inputs, by input, as `Torso.fold_normalization` has it by unit; and its gradient.

    Args:
        network: The network.
        by_folded, by_biases: The gradients of `weights` and `biases`, from which `unfold` computes that of the network.

    Attributes:
        weights, biases: (inputs, units) and (units,); `fold(0)` writes them.
        gradient: (units, inputs), of the network's own weights; `unfold(0)` writes it.
    """

    def __init__(self, network: ActorCritic, by_folded: Tensor, by_biases: Tensor):
        assert isinstance(network.torso, Torso)
        self._torso, self._gradients = network.torso, (by_folded, by_biases)
        self.weights, self.biases = torch.zeros(by_folded.shape), torch.zeros(by_biases.shape)
        self.gradient = torch.zeros(network.torso.first.weight.shape)

    def bind(self) -> None:
        """Take the statistics of the inputs as they are now."""
        layer, stats = self._torso.first, (self._torso.mean, self._torso.std)
        own = layer.weight.detach(), layer.bias.detach()
        self.fold = compiled_learning.fold.bind(*_arrays(*own, *stats, self.weights, self.biases))
        self.unfold = compiled_learning.unfold.bind(*_arrays(*self._gradients, *stats, self.gradient))


class Workspace:
    """Computes the gradients of some rows.

    Args:
        network, first: The network, and its first layer, folded.
        rows_at_once: The most rows.

    Attributes:
        flat: The gradients of all layers, one after the other as in the network, of the first layer as `FirstLayer`.
        sums: (3,) float64, the sums of `learner.Losses` but the total.
    """

    def __init__(self, network: ActorCritic, first: FirstLayer, rows_at_once: int):
        self._first = first
        parameters = [parameter.detach() for parameter in network.parameters()]
        self._hidden, self._heads = list(zip(parameters[2:-4:2], parameters[3:-4:2], strict=True)), parameters[-4:]
        widths = [len(first.biases), *(len(bias) for _, bias in self._hidden)]
        actions, rows = len(parameters[-3]), rows_at_once
        self._rows = torch.zeros(rows, dtype=torch.int64)
        self._units, self._by_units = ([torch.zeros(rows, width) for width in widths] for _ in range(2))
        listed = rows * (len(first.weights) + UNROLLED - 1) + UNROLLED
        self._lists = (
            np.zeros(rows, np.int64), np.zeros(rows, np.int64), np.zeros(listed, np.int32), np.zeros(listed, np.float32)
        )  # fmt: skip
        self._legal = [np.zeros(actions + UNROLLED, dtype) for dtype in (np.int64, np.float32, np.float32)]
        self.flat = torch.zeros(sum(parameter.numel() for parameter in parameters))
        self._gradients = gradients_in(self.flat, network)
        self.sums = torch.zeros(NUM_SUMS, dtype=torch.float64)

    def bind(self, batch: Minibatch, settings: np.ndarray) -> None:
        """Read the rows of a batch from now on, and what all of them share, of `loss_dtype`."""
        first, gradients, features, by_features = self._first, self._gradients, self._units[-1], self._by_units[-1]
        self._first_layer = compiled_learning.first_layer.bind(
            *_arrays(batch.inputs, self._rows, first.weights, first.biases), *self._lists, *_arrays(self._units[0])
        )
        self._losses = compiled_learning.losses.bind(
            *_arrays(self._rows, batch.masks.view(torch.int8), batch.actions, batch.logprobs),
            *_arrays(batch.advantages, batch.returns), settings, *_arrays(features, *self._heads), *self._legal,
            *_arrays(self.sums, by_features, *gradients[-4:]),
        )  # fmt: skip
        self._through_relu = [
            compiled_learning.through_relu.bind(*_arrays(*of_layer))
            for of_layer in zip(self._units, self._by_units, gradients[1:-4:2], strict=True)
        ]
        self._first_gradient = compiled_learning.first_gradient.bind(
            *_arrays(self._by_units[0]), *self._lists, *_arrays(gradients[0])
        )

    @torch.no_grad()
    def compute(self, rows: Tensor) -> None:
        """Write `flat` and `sums`."""
        count = len(rows)
        self._rows[:count] = rows
        self.forward(count)
        self._losses(count)
        self.backward(count)

    def forward(self, count: int) -> None:
        """From inputs to the units of the last hidden layer."""
        self._first_layer(count)
        units = [layer[:count] for layer in self._units]
        for below, above, (weight, bias) in zip(units, units[1:], self._hidden, strict=False):
            torch.addmm(bias, below, weight.T, out=above).relu_()

    def backward(self, count: int) -> None:
        """From the gradient of the last hidden layer to those of all below it."""
        units, by_units = ([layer[:count] for layer in layers] for layers in (self._units, self._by_units))
        for layer in range(len(self._hidden), 0, -1):
            self._through_relu[layer](count)
            torch.mm(by_units[layer].T, units[layer - 1], out=self._gradients[2 * layer])
            torch.mm(by_units[layer], self._hidden[layer - 1][0], out=by_units[layer - 1])
        self._through_relu[0](count)
        self._first_gradient(count)


def gradients_in(flat: Tensor, network: ActorCritic) -> list[Tensor]:
    """The gradients of a network's parameters, as `Workspace.flat` has them."""
    first, *others = (parameter.shape for parameter in network.parameters())
    shapes = [first[::-1], *others]
    return [
        part.view(shape) for part, shape in zip(flat.split([shape.numel() for shape in shapes]), shapes, strict=True)
    ]


def _arrays(*tensors: Tensor) -> list[np.ndarray]:
    """The same memory."""
    return [tensor.numpy() for tensor in tensors]
