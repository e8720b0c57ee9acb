"""A network for any items as arrays for compiled play: with the features of one game's items multiplied in."""

from itertools import accumulate

import numpy as np
import torch

from w51_agents.networks.fast.folded import AMOUNT, FoldedHeads, named_places
from w51_agents.networks.inputs import ItemInputs, hidden_numbers, items_of
from w51_agents.networks.items.network import ItemPolicy, named_by_actions
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


def fold(network: ActorCritic, game: Game, weight: np.ndarray, bias: np.ndarray) -> FoldedHeads:
    """The first layer over observations, and features after them, from the one over `ItemInputs`."""
    inputs, policy = ItemInputs(game), network.policy
    assert isinstance(policy, ItemPolicy)
    is_hidden = hidden_numbers(game, network.hidden_slices)[inputs.facts[:, 0]]
    rows, always = _first_layer(inputs, game.layout.size, weight.astype(np.float32))
    item = np.full(len(rows), -1)
    item[inputs.facts] = np.arange(len(inputs.features))
    heads = [policy.plain, policy.amount, policy.distance, network.value.last, policy.item]
    _, amounts, distances, value, items, _ = accumulate((head.out_features for head in heads), initial=0)
    table = {
        "item": item,
        "categories": inputs.categories,
        "actions": named_by_actions(game)[:AMOUNT],
        "features": inputs.features.astype(np.float32),
        "facts": inputs.facts,
        "fact_weights": np.where(is_hidden, 0.0, policy.fact.detach().double().numpy()),
        "basis": torch.cat([policy.amount_basis, policy.distance_basis], 1).double().numpy(),
        "places": named_places(
            first_amount=items_of(game).amounts[0],
            amounts=amounts,
            distances=distances,
            value=value,
            items=items,
            lot=-1 if is_hidden[inputs.lot] else int(inputs.facts[inputs.lot, 0]),
            rows=rows.shape[1],
        ),
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
    columns, features = inputs.columns, inputs.features.astype(np.float32)
    by_feature = weight[columns.sums].reshape(len(inputs.facts), features.shape[1], -1)
    of_lot, of_category, of_value = (  # (facts, 1, units)
        weight[part][:, None] for part in (columns.of_lot, columns.of_category, columns.of_value)
    )
    alone = features @ by_feature  # (facts, items, units)
    of_same_category = alone + of_category + inputs.values.astype(np.float32)[:, None] * of_value
    by_game = weight[columns.others.stop :]
    rows = np.zeros((size + len(by_game), 3, weight.shape[1]), np.float32)
    rows[inputs.facts] = np.stack([alone, of_same_category, of_same_category + of_lot], 2)
    rows[inputs.others] = weight[columns.others][:, None]
    rows[size:] = by_game[:, None]
    return rows, features.sum(0) @ weight[columns.always]
