"""Policies as modules of tensors alone: from observations and masks as an environment gives them to probabilities."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.networks.inputs import HIGHEST, ItemColumns, ItemInputs, NetworkInputs
from w51_agents.networks.layers import ILLEGAL
from w51_env.engine.game import Game


@runtime_checkable
class ExportableAgent(Protocol):
    """The agent of a network, as it is exported.

    Attributes:
        game: The game that the network knows.
        greedy: Whether it takes the likeliest action.
        extra_argument: The third argument of `forward`, if it has one, by name: `state` with its width, or `history`
            with the number of events.
    """

    game: Game
    greedy: bool
    extra_argument: Mapping[str, int]

    def forward(self, *arguments: np.ndarray) -> Any:
        """(N, actions) probabilities of (N, size) observations and (N, actions) masks; with a state also the next."""

    def tensor_policy(self) -> nn.Module:
        """The same as a module of tensors alone."""


class TensorPolicy(nn.Module):
    """The probabilities of a policy. A subclass has `logits`."""

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        """(B, actions) float32 probabilities, 0 where illegal.

        Args:
            observation: (B, size) int8, as `Batch.observation`.
            mask: (B, actions) int8, as `Batch.action_mask`.
        """
        legal = mask != 0
        logits = self.logits(observation, legal).masked_fill(~legal, ILLEGAL)
        return torch.softmax(logits, 1)

    def logits(self, observation: Tensor, legal: Tensor) -> Tensor:
        """(B, actions) float32, of (B, size) int8 observations and (B, actions) bool masks."""
        raise NotImplementedError


class NetworkPolicy(TensorPolicy):
    """The policy of an `ActorCritic` that reads observations, and what happened if it reads that.

    Args:
        network: The network, without a base policy.
        inputs: Its inputs, without heuristic features.
    """

    def __init__(self, network: nn.Module, inputs: NetworkInputs):
        super().__init__()
        self.inputs, self.network = TensorInputs(inputs), network

    def forward(self, observation: Tensor, mask: Tensor, history: Tensor | None = None) -> Tensor:
        """As of `TensorPolicy`; `history` is (B, K, 6) int16, as of `Batch.history`."""
        legal, read = mask != 0, self.inputs(observation)
        if history is not None:
            read = torch.cat([read, history.flatten(1).float()], 1)
        return torch.softmax(self.network(read, legal)[0].masked_fill(~legal, ILLEGAL), 1)


class TensorInputs(nn.Module):
    """`NetworkInputs` of tensors: the same numbers as float32, of (B, size) int8 observations."""

    shown: Tensor

    def __init__(self, inputs: NetworkInputs):
        super().__init__()
        self.register_buffer("shown", torch.from_numpy(~inputs.is_hidden).float(), persistent=False)
        self.items = TensorItemInputs(inputs.items) if inputs.items else None

    def forward(self, observation: Tensor) -> Tensor:
        """(B, inputs) float32."""
        shown = observation.float() * self.shown
        return shown if self.items is None else self.items(shown)


class TensorItemInputs(nn.Module):
    """`ItemInputs` of tensors."""

    features: Tensor
    facts: Tensor
    others: Tensor
    categories: Tensor

    def __init__(self, inputs: ItemInputs):
        super().__init__()
        self.lot, self.num_categories = inputs.lot, inputs.num_categories
        buffers = {
            "features": torch.from_numpy(inputs.features).float(),
            "facts": torch.from_numpy(inputs.facts),
            "others": torch.from_numpy(inputs.others),
            "categories": nn.functional.one_hot(torch.from_numpy(inputs.categories), inputs.num_categories).float(),
        }
        for name, buffer in buffers.items():
            self.register_buffer(name, buffer, persistent=False)

    def forward(self, observation: Tensor) -> Tensor:
        """(B, columns) float32, of (B, size) float32."""
        rows = observation.shape[0]
        facts = observation[:, self.facts.reshape(-1)].view(rows, *self.facts.shape)
        is_lot = (facts[:, self.lot] != 0).float()
        category = (is_lot @ self.categories)[:, :, None]
        sums = (facts @ self.features).clamp(-HIGHEST, HIGHEST)
        values = sums[:, :, self.num_categories : 2 * self.num_categories]
        columns = {
            "sums": sums,
            "always": self.features.sum(0).clamp(-HIGHEST, HIGHEST).expand(rows, -1),
            "of_lot": facts @ is_lot[:, :, None],
            "of_category": sums[:, :, : self.num_categories] @ category,
            "of_value": values @ category,
            "others": observation[:, self.others],
            "facts": facts,
            "features": self.features.expand(rows, -1, -1),
        }
        return torch.cat([columns[name].flatten(1) for name in ItemColumns._fields], 1)
