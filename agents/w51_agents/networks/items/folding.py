"""A network for any items as arrays for compiled play: with the features of one game's items multiplied in."""

import numpy as np
import torch

from w51_agents.networks.fast.decisions import AMOUNT
from w51_agents.networks.fast.folding import FoldedHeads
from w51_agents.networks.inputs import items_of
from w51_agents.networks.items.network import ItemPolicy, named_by_actions
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


def fold(network: ActorCritic, game: Game, weight: np.ndarray, bias: np.ndarray) -> FoldedHeads:
    """The first layer over observations, and features after them, from the one over `ItemInputs`."""
    reader, policy = network.inputs_for(game), network.policy
    inputs = reader.items
    assert inputs is not None
    assert isinstance(policy, ItemPolicy)
    weight, features, items = weight.astype(np.float32), inputs.features.astype(np.float32), items_of(game)
    num_facts, num_features, width = len(inputs.facts), features.shape[1], weight.shape[1]
    sums, at_lot, of_kind, value_of_kind, others = np.split(
        weight, np.cumsum([(num_facts + 1) * num_features, num_facts, num_facts, num_facts])
    )
    sums = sums.reshape(num_facts + 1, num_features, width)
    after = np.arange(game.layout.size, game.layout.size + len(others) - len(inputs.others))
    first = np.zeros((game.layout.size + len(after), 3, width), np.float32)
    first[np.concatenate([inputs.others, after])] = others[:, None]
    value = features[np.arange(len(features)), inputs.num_kinds + inputs.kinds]
    alone = features @ sums[:num_facts]
    same_kind = alone + of_kind[:, None] + value[:, None] * value_of_kind[:, None]
    first[inputs.facts] = np.stack([alone, same_kind, same_kind + at_lot[:, None]], 2)
    heads = [policy.plain, policy.amount, policy.distance, network.value.last, policy.item]
    starts = np.cumsum([head.out_features for head in heads])
    item = np.full(len(first), -1)
    item[inputs.facts] = np.arange(len(features))
    is_hidden = np.isin(inputs.facts[:, 0], [place for part in reader.hidden for place in range(*part.indices(10**9))])
    table = {
        "item": item,
        "kinds": inputs.kinds,
        "actions": named_by_actions(game)[:AMOUNT],
        "features": features,
        "facts": inputs.facts,
        "fact_weights": np.where(is_hidden, 0.0, policy.fact.detach().double().numpy()),
        "basis": torch.cat([policy.amount_basis, policy.distance_basis], 1).double().numpy(),
        "sizes": np.array(
            [items.amounts[0], *starts[:4], -1 if is_hidden[inputs.lot] else inputs.facts[inputs.lot, 0], 3, 0]
        ),
    }
    return FoldedHeads((first.reshape(-1, width), bias + features.sum(0) @ sums[num_facts]), heads, table)
