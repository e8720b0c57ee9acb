"""Networks folded for compiled play (`decisions`): their layers as arrays."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from torch import nn

from w51_agents.networks.fast.sparse import UNROLLED
from w51_agents.networks.layers import Torso, arrays_of
from w51_agents.networks.network import ActorCritic
from w51_env.compiler import LANES
from w51_env.compiler.compile import record_of
from w51_env.engine.game import Game

Arrays = dict[str, np.ndarray]
OUTPUT, RUN, ITEM, AMOUNT = range(4)  # rows of `FoldedPolicy.actions`, which has no amounts


def named_places(
    *, first_amount: int, amounts: int, distances: int, value: int, items: int, lot: int, rows: int
) -> np.ndarray:
    """Where a network has what, as a record, which also says whether the likeliest action is taken (`is_greedy`).

    Args:
        first_amount: The first action that names an amount.
        amounts: The first output for amounts.
        distances: The first output for distances of amounts to the least one.
        value: The output that is the value.
        items: The first output for items; no others are after them.
        lot: The place of the lot in an observation, or -1.
        rows: Of the first layer, for each number of an observation.
    """
    return record_of(**locals(), is_greedy=0)


class FoldedPolicy(NamedTuple):
    """A network for the inputs of one game: an observation, and features after it; numbers are float32 or int64.

    Attributes:
        first: (size * stands, units), the first layer. What a number about an item weighs depends on how the item
            stands to the lot (neither, SAME_CATEGORY, IS_LOT); without items each number has one row.
        dense: (units, units), the layers between the first and the last one, below each other.
        last: (outputs, units), the last layer.
        biases: (layers, units), of all layers.
        widths: (layers,), the number of units of each layer; the last one has the outputs.
        item: (size,), the item that each number of an observation is about, or -1.
        categories: (items,), the category of each item.
        actions: (3, actions): the output that is the logit of an action, or -1; its run and its item, or -1.
        features: (items, features), of the items.
        facts: (facts, items), the places in an observation of what is known of each item.
        fact_weights: (runs, facts), how much this counts for the actions of a run.
        basis: (amounts, functions), functions of an amount, and then of its distance to the least legal one.
        places: As of `named_places`.
        base: (1 + actions, units), what the action of the base policy adds to the first layer; first nothing, for none.
        base_logits: (1 + actions,), what it adds to its own logit.
        tilt: (actions,), what is added to each logit.
    """

    first: np.ndarray
    dense: np.ndarray
    last: np.ndarray
    biases: np.ndarray
    widths: np.ndarray
    item: np.ndarray
    categories: np.ndarray
    actions: np.ndarray
    features: np.ndarray
    facts: np.ndarray
    fact_weights: np.ndarray
    basis: np.ndarray
    places: np.ndarray
    base: np.ndarray
    base_logits: np.ndarray
    tilt: np.ndarray


class Memory(NamedTuple):
    """What is written at one decision: units of all layers, legal actions, their logits, and a list."""

    units: np.ndarray
    legal: np.ndarray
    logits: np.ndarray
    places: np.ndarray
    factors: np.ndarray

    @classmethod
    def of(cls, policy: FoldedPolicy) -> "Memory":
        """For the decisions of a network."""
        actions, listed = policy.actions.shape[1], UNROLLED - 1 + max(2 * len(policy.item), policy.biases.shape[1])
        return cls(
            units=np.zeros(policy.biases.shape, np.float32),
            legal=np.zeros(actions, np.int64),
            logits=np.zeros(actions, np.float32),
            places=np.zeros(listed, np.int64),
            factors=np.zeros(listed, np.float32),
        )


class FoldedHeads(NamedTuple):
    """What a form of network folds.

    Attributes:
        first: (inputs, units) weights of the first layer over observations, and features after them; its (units,) bias.
        heads: The layers of all outputs, that of the value among them.
        table: From what logits are computed: the fields of `FoldedPolicy` from `item` to `places`.
    """

    first: tuple[np.ndarray, np.ndarray]
    heads: list[nn.Linear]
    table: Arrays


# Of a network, the game that it knows, and weights and biases of the first layer over the network's inputs.
Fold = Callable[[ActorCritic, Game, np.ndarray, np.ndarray], FoldedHeads]


def layers_of(network: ActorCritic) -> list[tuple[np.ndarray, np.ndarray]]:
    """As `Torso.arrays`, of the network's torso."""
    assert isinstance(network.torso, Torso)
    return network.torso.arrays()


def folded(
    game: Game,
    network: ActorCritic,
    fold: Fold,
    num_columns: int | None = None,
    layers: list[tuple[np.ndarray, np.ndarray]] | None = None,
) -> FoldedPolicy:
    """A network as arrays.

    Args:
        game: The game that it knows.
        network: The network, whose torso is a `Torso`.
        fold: As of its form.
        num_columns: Size of the observations that it gets; columns after those of `game` count nothing; None: no more.
        layers: What `arrays` of its torso has returned; None: it is called.
    """
    (first, bias), *hidden = layers or layers_of(network)
    (first, bias), heads, table = fold(network, game, first, bias)
    size, width = game.layout.size, first.shape[1]
    by_number = first.reshape(len(table["item"]), -1, width)
    for name in network.hidden_slices:
        by_number[game.layout[name].slice] = 0.0
    if more := (num_columns or size) - size:
        by_number = np.insert(by_number, [size] * more, 0.0, 0)
        table["item"] = np.insert(table["item"], [size] * more, -1)
    base, base_logits = np.zeros((1, width)), np.zeros(1)
    if network.residual is not None:
        base = np.concatenate([base, network.residual.embedding.weight.detach().double().numpy()])
        base_logits = np.append(base_logits, network.residual.logit_bias.detach().double().numpy())
    outputs = [arrays_of(head) for head in heads]
    biases = [bias, *(one for _, one in hidden), np.concatenate([one for _, one in outputs])]
    arrays = {
        "first": by_number.reshape(-1, width),
        "dense": _padded([row for weight, _ in hidden for row in weight] or [np.zeros(1)]),
        "last": _padded([*np.concatenate([weight for weight, _ in outputs], 1).T]),
        "biases": _padded(biases),
        "widths": np.array([len(one) for one in biases]),
        "base": base,
        "base_logits": base_logits,
        "tilt": np.zeros(table["actions"].shape[1]),
        **table,
    }
    types = {"i": np.int64, "f": np.float32}
    contiguous = {name: np.ascontiguousarray(one, types.get(one.dtype.kind)) for name, one in arrays.items()}
    return FoldedPolicy(**contiguous)


def _padded(rows: list[np.ndarray]) -> np.ndarray:
    """Rows below each other, filled up with zeros to one length, a multiple of LANES."""
    padded = np.zeros((len(rows), -(-max(map(len, rows)) // LANES) * LANES))
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded
