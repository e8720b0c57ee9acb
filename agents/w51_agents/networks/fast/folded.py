"""Networks folded for compiled play (`decisions`): their layers as arrays."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from torch import nn

from w51_agents.networks.fast.decisions import FoldedPolicy
from w51_agents.networks.inputs import hidden_numbers
from w51_agents.networks.layers import Torso, arrays_of
from w51_agents.networks.network import ActorCritic
from w51_env.compiler import LANES
from w51_env.engine.game import Game

Arrays = dict[str, np.ndarray]


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
    by_number[:size][hidden_numbers(game, network.hidden_slices)] = 0.0
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
