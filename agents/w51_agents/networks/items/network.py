"""A network that plays with any items of a game, such as any cards: it reads their features, not their names.

Weights belong to features of items, so that an item that was never met is played by what it is. An amount, such as a
bid, has its logit from smooth functions of the amount and of its distance to the least legal one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.networks.fast.folded import AMOUNT, ITEM, OUTPUT, RUN
from w51_agents.networks.inputs import ItemInputs, NetworkInputs, items_of
from w51_agents.networks.layers import BaseTorso, StyleHead, Torso, linear
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game

_AMOUNT_BUMPS, _DISTANCE_BUMPS = 14, 10
_NEAR = 3  #  the least legal amounts, which have a logit each


class ItemParts(NamedTuple):
    """The parts of a network's inputs, float32.

    Attributes:
        inputs: (B, inputs), what the first layer reads.
        facts: (B, facts, items), what is known of each item: the parts of the observation by item.
        features: (B, items, features), what each item is.
    """

    inputs: Tensor
    facts: Tensor
    features: Tensor


class ItemTorso(Torso):
    """Hidden layers over sums of the items' features (`ItemInputs`).

    Args:
        game: A game with items.
        num_inputs: Number of inputs; the last ones are the facts and the features of the items.
        hidden_sizes: Widths of the layers.
    """

    def __init__(self, game: Game, num_inputs: int, hidden_sizes: Sequence[int]):
        items = ItemInputs(game)
        self._columns, self._facts, self._features = items.columns, items.facts.shape, items.features.shape
        self.num_facts = len(items.facts)
        super().__init__(num_inputs + items.columns.facts.start, hidden_sizes)

    def read(self, inputs: Tensor) -> ItemParts:
        """The parts of (B, num_inputs) int16 inputs."""
        first, facts, features = (
            inputs[:, part].float()
            for part in (slice(self._columns.facts.start), self._columns.facts, self._columns.features)
        )
        return ItemParts(first, facts.view(-1, *self._facts), features.view(-1, *self._features))

    def numbers(self, inputs: ItemParts) -> Tensor:
        return inputs.inputs


class ItemPolicy(nn.Module):
    """Logits of actions that name items or amounts from the features of these, and of all others each by itself.

    Args:
        game: A game with items.
        width: Number of features of the torso.
        num_facts: Number of facts of an item.
    """

    plain_actions: Tensor
    amount_basis: Tensor
    distance_basis: Tensor

    def __init__(self, game: Game, width: int, num_facts: int):
        super().__init__()
        items = items_of(game)
        num_items, num_features = items.features.shape
        self._runs, self._amounts = items.actions, slice(items.amounts[0], sum(items.amounts))
        self._num_items, self._num_actions = num_items, len(game.actions)
        plain_actions = (named_by_actions(game)[OUTPUT] >= 0).nonzero()[0]
        self.register_buffer("plain_actions", torch.from_numpy(plain_actions), persistent=False)
        self.plain = linear(width, len(plain_actions), 0.01)
        self.item = linear(width, len(items.actions) * num_features, 0.01)
        self.fact = nn.Parameter(torch.zeros(len(items.actions), num_facts))
        amounts = torch.arange(items.amounts[1])
        basis = bumps(amounts + 1, _AMOUNT_BUMPS)
        self.register_buffer("amount_basis", basis, persistent=False)
        near = nn.functional.one_hot(amounts.clamp(max=_NEAR), _NEAR + 1)[:, :_NEAR].float()
        distances = torch.cat([near, bumps(amounts, _DISTANCE_BUMPS)], 1)
        self.register_buffer("distance_basis", distances, persistent=False)
        self.amount = linear(width, basis.shape[1], 0.01)
        self.distance = linear(width, distances.shape[1], 0.01)

    def forward(self, features: Tensor, parts: ItemParts, masks: Tensor) -> Tensor:
        """(B, actions) logits of (B, width) features of the torso, the inputs and (B, actions) masks."""
        logits = features.new_empty(features.shape[0], self._num_actions)
        logits[:, self.plain_actions] = self.plain(features)
        logits[:, self._amounts] = self._amount_logits(features, masks[:, self._amounts])
        weights = self.item(features).view(features.shape[0], len(self._runs), parts.features.shape[2])
        of_items = torch.bmm(weights.float(), parts.features.transpose(1, 2)) + self.fact @ parts.facts
        for number, start in enumerate(self._runs):
            logits[:, start : start + self._num_items] = of_items[:, number]
        return logits

    def _amount_logits(self, features: Tensor, masks: Tensor) -> Tensor:
        first_legal = masks.to(torch.uint8).argmax(1, keepdim=True)
        distances = (torch.arange(masks.shape[1], device=masks.device) - first_legal).clamp(min=0)
        by_distance = self.distance(features) @ self.distance_basis.T
        return self.amount(features) @ self.amount_basis.T + by_distance.gather(1, distances)


def named_by_actions(game: Game) -> np.ndarray:
    """(4, actions) int64: the place of each action among those that name nothing, the run and the item that it names,
    and the place of the amount; or -1.
    """
    items, actions = items_of(game), np.full((4, len(game.actions)), -1)
    start, count = items.amounts
    actions[AMOUNT, start : start + count] = np.arange(count)
    for run, start in enumerate(items.actions):
        actions[RUN, start : start + len(items.features)] = run
        actions[ITEM, start : start + len(items.features)] = np.arange(len(items.features))
    plain = (actions < 0).all(0)
    actions[OUTPUT, plain] = np.arange(plain.sum())
    return actions


class ItemActorCritic(ActorCritic):
    """An `ActorCritic` whose layers read the features of items; the arguments are those of `ActorCritic`.
    With `kinds` in `network_settings`, its `belief` tells these styles of players apart.
    """

    network = "items"  # its name in configs and checkpoints
    plays_any_items = True

    def inputs_for(self, game: Game) -> NetworkInputs:
        return NetworkInputs(game, self.heuristic_features, self.hidden_slices, items=True)

    def make_torso(
        self, game: Game, num_inputs: int, hidden_sizes: Sequence[int], kinds: Sequence[str] = ()
    ) -> BaseTorso:
        self.belief = StyleHead(hidden_sizes[-1], game.max_players - 1, kinds) if kinds else None
        return ItemTorso(game, num_inputs, hidden_sizes)

    def make_policy(self, game: Game) -> nn.Module:
        assert isinstance(self.torso, ItemTorso)
        return ItemPolicy(game, self.torso.width, self.torso.num_facts)

    def logits(self, features: Tensor, inputs: ItemParts, masks: Tensor) -> Tensor:
        return self.policy(features, inputs, masks)


def bumps(amounts: Tensor, count: int) -> Tensor:
    """(N, count + 1) float32: Gaussians of the logarithm of (N,) amounts from 0, evenly spaced, and the logarithm."""
    position = torch.log1p(amounts.float())
    position = position / position.max()
    centres = torch.linspace(0.0, 1.0, count)
    return torch.cat([torch.exp(-0.5 * ((position[:, None] - centres) * (count - 1)) ** 2), position[:, None]], 1)
