"""The weights of a network, folded for the observations of one game: what compiled code reads."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from w51_agents.policies.inputs import ItemInputs
from w51_agents.policies.item_network import ItemActorCritic, ItemPolicy
from w51_agents.policies.network import ActorCritic, weights_of
from w51_agents.policies.torch_settings import playing
from w51_env.compiler import LANES
from w51_env.engine.game import Game

SAME_KIND, LOT = 1, 2  #            how an item stands to the lot, in `FoldedPolicy.first`; 0: neither
OUTPUT, RUN, ITEM = 0, 1, 2  #      rows of `FoldedPolicy.actions`
# Of an `ItemPolicy`, and the value.
_HEADS = ("policy.plain", "policy.amount", "policy.distance", "value.last", "policy.item")


class FoldedPolicy(NamedTuple):
    """A network for the observations of one game; numbers are float32 or int64.

    Attributes:
        first: (size, 3, units), the first layer. What a number about an item weighs depends on how the item stands to
            the lot; (size, 1, units) without items.
        dense: (layers - 2, inputs, outputs), the layers between the first and the last one, padded to one size.
        last: (outputs, inputs), the last layer, padded.
        biases: (layers, units), of all layers, padded.
        widths: (layers,), the number of units of each layer; the last one has the outputs.
        item: (size,), the item that each number of an observation is about, or -1.
        kinds: (items,), the kind of each item.
        actions: (3, actions): the output that is the logit of an action, or -1; its run and its item, or -1.
        features: (items, features), of the items.
        facts: (facts, items), the places in an observation of what is known of each item.
        fact_weights: (runs, facts), how much this counts for the actions of a run.
        basis: (amounts, functions), functions of an amount, and then of its distance to the least legal one.
        sizes: (6,), the first action that names an amount; the first outputs for amounts, distances, the value and
            items; the place of the lot in an observation, or -1.
    """

    first: np.ndarray
    dense: np.ndarray
    last: np.ndarray
    biases: np.ndarray
    widths: np.ndarray
    item: np.ndarray
    kinds: np.ndarray
    actions: np.ndarray
    features: np.ndarray
    facts: np.ndarray
    fact_weights: np.ndarray
    basis: np.ndarray
    sizes: np.ndarray


Weights = dict[str, np.ndarray]


@playing()
def folded(game: Game, network: ActorCritic) -> FoldedPolicy:
    """A network that reads observations alone, or observations and items; without items also other inputs."""
    weights = {name: array.astype(np.float64) for name, array in weights_of(network).items()}
    std = network.torso.std.double().numpy()
    first = (weights["torso.first.weight"] / std).T
    bias = weights["torso.first.bias"] - weights["torso.mean"] @ first
    names = [f"torso.others.{2 * number}" for number in range(len(network.hidden_sizes) - 1)]
    layers = [(weights[f"{name}.weight"].T, weights[f"{name}.bias"]) for name in names]
    if isinstance(network, ItemActorCritic):
        inputs = network.inputs_for(game).items
        assert inputs is not None
        first, constant = _first_of_items(game, inputs, first)
        bias = bias + constant
        heads: tuple[str, ...] = _HEADS
        last = _last_of_items(game, network, inputs, weights)
    else:
        first = first[:, None]
        heads, last = ("policy", "value.last"), _last_of_actions(len(first), len(game.actions))
    outputs = [(weights[f"{name}.weight"].T, weights[f"{name}.bias"]) for name in heads]
    biases = [bias, *(one for _, one in layers), np.concatenate([one for _, one in outputs])]
    arrays = {
        "first": first,
        "dense": _padded([weight for weight, _ in layers] or [np.zeros((1, 1))]),
        "last": _padded([np.concatenate([weight for weight, _ in outputs], 1).T])[0],
        "biases": _padded(biases),
        "widths": np.array([len(one) for one in biases]),
        **last,
    }
    types = {"i": np.int64, "f": np.float32}
    return FoldedPolicy(**{name: np.ascontiguousarray(one, types[one.dtype.kind]) for name, one in arrays.items()})


def _padded(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays as one, with zeros where they are smaller than others, and up to a multiple of LANES."""
    *sizes, last = np.max([array.shape for array in arrays], axis=0, initial=1)
    padded = np.zeros((len(arrays), *sizes, -(-last // LANES) * LANES))
    for place, array in zip(padded, arrays, strict=True):
        place[tuple(slice(size) for size in array.shape)] = array
    return padded


def _first_of_items(game: Game, inputs: ItemInputs, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first layer over observations from the one over `ItemInputs`; and what all features of items add to it."""
    features = inputs.features.astype(np.float64)
    num_facts, num_features, width = len(inputs.facts), features.shape[1], first.shape[1]
    sums, at_lot, of_kind, value_of_kind, others = np.split(
        first, np.cumsum([(num_facts + 1) * num_features, num_facts, num_facts, num_facts])
    )
    sums = sums.reshape(num_facts + 1, num_features, width)
    folded = np.zeros((game.layout.size, 3, width))
    folded[inputs.others] = others[:, None]
    value = features[np.arange(len(features)), inputs.num_kinds + inputs.kinds][:, None]
    for fact, places in enumerate(inputs.facts):
        folded[places] = (features @ sums[fact])[:, None]
        folded[places, SAME_KIND:] += (of_kind[fact] + value * value_of_kind[fact])[:, None]
        folded[places, LOT] += at_lot[fact]
    return folded, features.sum(0) @ sums[num_facts]


def _last_of_items(game: Game, network: ItemActorCritic, inputs: ItemInputs, weights: Weights) -> Weights:
    """What the logits of an `ItemPolicy` are computed from, after its layers."""
    policy, items = network.policy, game.items
    assert isinstance(policy, ItemPolicy)
    assert items is not None
    num_items = len(items.features)
    starts = np.cumsum([len(weights[f"{name}.bias"]) for name in _HEADS])
    actions = np.full((3, len(game.actions)), -1)
    actions[OUTPUT, policy.plain_actions.numpy()] = np.arange(starts[0])
    for run, start in enumerate(items.actions):
        actions[RUN, start : start + num_items] = run
        actions[ITEM, start : start + num_items] = np.arange(num_items)
    item = np.full(game.layout.size, -1)
    item[inputs.facts] = np.arange(num_items)
    return {
        "item": item,
        "kinds": inputs.kinds,
        "actions": actions,
        "features": inputs.features.astype(np.float64),
        "facts": inputs.facts,
        "fact_weights": weights["policy.fact"],
        "basis": torch.cat([policy.amount_basis, policy.distance_basis], 1).double().numpy(),
        "sizes": np.array([items.amounts[0], *starts[:4], inputs.facts[inputs.lot, 0]]),
    }


def _last_of_actions(num_inputs: int, num_actions: int) -> Weights:
    """The same for a network with an output for each action, which knows of no items."""
    actions = np.full((3, num_actions), -1)
    actions[OUTPUT] = np.arange(num_actions)
    nothing, none = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
    return {
        "item": np.full(num_inputs, -1),
        "kinds": none[0],
        "actions": actions,
        "features": nothing,
        "facts": none,
        "fact_weights": nothing,
        "basis": nothing,
        "sizes": np.array([num_actions, 0, 0, num_actions, num_actions + 1, -1]),
    }
