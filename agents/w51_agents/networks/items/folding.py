"""A network for any items as arrays for compiled play: with the features of one game's items multiplied in."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from w51_agents.networks.fast.compiled import FoldedHeads
from w51_agents.networks.fast.decisions import AMOUNT, PLACES
from w51_agents.networks.inputs import ItemInputs, items_of
from w51_agents.networks.items.network import ItemPolicy, named_by_actions
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


def fold(network: ActorCritic, game: Game, weight: np.ndarray, bias: np.ndarray) -> FoldedHeads:
    """The first layer over observations, and features after them, from the one over `ItemInputs`."""
    reader, policy = network.inputs_for(game), network.policy
    inputs = reader.items
    assert inputs is not None
    assert isinstance(policy, ItemPolicy)
    hidden = [place for part in reader.hidden for place in range(*part.indices(game.layout.size))]
    is_hidden = np.isin(inputs.facts[:, 0], hidden)
    rows, always = _first_layer(inputs, game.layout.size, weight.astype(np.float32))
    item = np.full(len(rows), -1)
    item[inputs.facts] = np.arange(len(inputs.features))
    heads = [policy.plain, policy.amount, policy.distance, network.value.last, policy.item]
    first_amount, (amounts, distances, value, items) = items_of(game).amounts[0], _starts(heads)
    lot = -1 if is_hidden[inputs.lot] else inputs.facts[inputs.lot, 0]
    table = {
        "item": item,
        "categories": inputs.categories,
        "actions": named_by_actions(game)[:AMOUNT],
        "features": inputs.features.astype(np.float32),
        "facts": inputs.facts,
        "fact_weights": np.where(is_hidden, 0.0, policy.fact.detach().double().numpy()),
        "basis": torch.cat([policy.amount_basis, policy.distance_basis], 1).double().numpy(),
        "places": np.array([(first_amount, amounts, distances, value, items, lot, rows.shape[1], False)], PLACES),
    }
    return FoldedHeads((rows.reshape(-1, rows.shape[2]), bias + always), heads, table)


def _first_layer(inputs: ItemInputs, size: int, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of the first layer for each number of an observation of this size, and of features after it.

    Args:
        inputs: What is known of the game's items.
        size: Of an observation.
        weight: (inputs, units) float32, over `ItemInputs`.

    Returns:
        (numbers, 3, units): what a number weighs whose item is not of the lot's category, of it, or the lot.
        (units,): what the items weigh whatever is known of them.
    """
    features, (num_facts, num_features) = (
        inputs.features.astype(np.float32),
        (len(inputs.facts), inputs.features.shape[1]),
    )
    sizes = [(num_facts + 1) * num_features, num_facts, num_facts, num_facts]
    by_feature, of_lot, of_category, of_value, others = np.split(weight, np.cumsum(sizes))
    by_feature = by_feature.reshape(num_facts + 1, num_features, -1)
    numbers = np.concatenate([inputs.others, np.arange(size, size + len(others) - len(inputs.others))])
    rows = np.zeros((len(numbers) + inputs.facts.size, 3, weight.shape[1]), np.float32)
    rows[numbers] = others[:, None]
    value = features[np.arange(len(features)), inputs.num_categories + inputs.categories]
    alone = features @ by_feature[:num_facts]  # (facts, items, units)
    of_same_category = alone + of_category[:, None] + value[:, None] * of_value[:, None]
    rows[inputs.facts] = np.stack([alone, of_same_category, of_same_category + of_lot[:, None]], 2)
    return rows, features.sum(0) @ by_feature[num_facts]


def _starts(heads: Sequence[nn.Linear]) -> list[int]:
    """The first output of each layer but the first one, in the order of all."""
    return np.cumsum([head.out_features for head in heads])[:-1].tolist()
