"""Networks for any items as they learn, from observations that are mostly 0: the layers of `item_network`, compiled.

The first layer over sums of the items' features is a sum over what the observation says of each item: a row of a matrix
for each number that is not 0. The rows of a game's items follow from the weights and the items' features, so that their
gradients are those of the weights.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from w51_agents.networks import sparse
from w51_agents.networks.fast.layers import LegalLogits
from w51_agents.networks.inputs import ItemInputs, NetworkInputs, items_of
from w51_agents.networks.items.network import ItemPolicy, ItemTorso, named_by_actions
from w51_agents.networks.network import ActorCritic
from w51_env.compiler.compile import entry
from w51_env.compiler.vectors import list_nonzero
from w51_env.engine.game import Game

_NO_OUTPUT = 2**62  #  a number that no output of a network has
_MOST = 4  #  rows of the matrix for a number of an observation


class ItemObservations(NetworkInputs):
    """Observations, and after them the number of the game's items among all that a training has.

    Args:
        game: The game.
        tables: The items of all games, `table_of` each: their numbers are those of this order.
    """

    def __init__(self, game: Game, tables: Sequence[bytes]):
        super().__init__(game)
        self._table = tables.index(table_of(game))
        self.size += 1

    def write(self, observations: np.ndarray, inputs: np.ndarray, events: np.ndarray | None = None) -> None:
        inputs[:, :-1], inputs[:, -1] = observations, self._table


def table_of(game: Game) -> bytes:
    """What tells a game's items from those of other games."""
    return items_of(game).features.tobytes()


class ItemLearner:
    """Computes what a network for any items does, for learning, of rows of `ItemObservations`.

    Args:
        games: All games of the training, with the same observations and actions, and items of their own.

    Attributes:
        tables: The different items of the games.
    """

    def __init__(self, games: Sequence[Game]):
        different = {table_of(game): ItemInputs(game) for game in games}
        self.tables, self._inputs = tuple(different), list(different.values())
        inputs = self._inputs[0]
        self._features = torch.from_numpy(np.stack([one.features for one in self._inputs])).float()
        self._facts = torch.from_numpy(inputs.facts)
        shape = inputs.facts.shape
        size = inputs.facts.size + len(inputs.others)
        place_of = np.full((size, 2), -1)  # fact and item, or -1 and the number among the others
        place_of[inputs.others, 1] = np.arange(len(inputs.others))
        place_of[inputs.facts] = np.stack(np.meshgrid(*map(np.arange, inputs.facts.shape), indexing="ij"), -1)
        items = self._features[:, :, : 2 * inputs.num_kinds].numpy()
        kinds = items[:, :, : inputs.num_kinds].argmax(2)
        values = np.take_along_axis(items, inputs.num_kinds + kinds[:, :, None], 2)[:, :, 0].astype(np.float32)
        self._constants = place_of, kinds, values, inputs.facts[inputs.lot].copy(), np.array(shape)
        self._set_outputs(*named_by_actions(games[0]))

    def _set_outputs(self, plain: np.ndarray, run: np.ndarray, item: np.ndarray, amount: np.ndarray) -> None:
        """Set what `write_outputs` reads of each action, and then of no action: its output, how much further that of
        the next table is, and the amount.
        """
        num_plain, num_amounts, num_items = int(plain.max()) + 1, int(amount.max()) + 1, self._features.shape[1]
        self._first_of_items = num_plain + num_amounts
        of_items = self._first_of_items + run * num_items + item
        output = np.where(run >= 0, of_items, np.where(amount >= 0, num_plain + amount, plain))
        amount = np.where(amount >= 0, amount, num_amounts)
        self._outputs = np.stack([output, (run >= 0) * (run.max() + 1) * num_items, amount])
        self._outputs = np.column_stack([self._outputs, [_NO_OUTPUT, 0, num_amounts + 1]])

    def rows_of(self, torso: ItemTorso) -> tuple[Tensor, Tensor]:
        """The matrix (rows, units) and the biases (units,) of the first layer; they have the gradients of its weights.

        The rows are, for each table, one for each fact and item and one that always counts; then for each fact those of
        the lot, of an item of its kind, and of such an item's value; then those of all other numbers.
        """
        weight, bias = torso.fold_normalization()
        by_input, features = weight.T, self._features
        num_facts, (tables, num_items, num_features) = len(self._facts), features.shape
        sums, shared = by_input.split([(num_facts + 1) * num_features, len(by_input) - (num_facts + 1) * num_features])
        # (features, facts and 1, units): one product for all tables
        by_feature = sums.view(num_facts + 1, num_features, -1).transpose(0, 1).reshape(num_features, -1)
        of_items = (features.view(-1, num_features) @ by_feature[:, : num_facts * by_input.shape[1]]).view(
            tables, num_items, num_facts, -1
        )
        always = features.sum(1) @ by_feature[:, num_facts * by_input.shape[1] :]
        return torch.cat([of_items.flatten(0, 2), always, shared]), bias

    def __call__(self, network: ActorCritic, inputs: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, K) of the legal actions and normalised values (B,).

        Args:
            network: The network.
            inputs: (B, size) int8 rows of `ItemObservations`.
            legal: (B, K), as of `list_legal`.
        """
        torso, policy = network.torso, network.policy
        assert isinstance(torso, ItemTorso)
        assert isinstance(policy, ItemPolicy)
        features = torso.others(ItemLayer.apply(*self.rows_of(torso), inputs, self._constants))
        of_actions, of_distances = self._outputs_of(policy)
        outputs, distances = torch.empty_like(legal), torch.empty_like(legal)
        write_outputs(legal.numpy(), inputs.numpy(), self._outputs, outputs.numpy(), distances.numpy())
        logits = LegalLogits.apply(features, *of_actions, outputs)
        logits = logits + LegalLogits.apply(features, *of_distances, distances)
        which, column = ((outputs >= self._first_of_items) & (outputs < _NO_OUTPUT)).nonzero().T  # few name items
        place, num_items = outputs[which, column] - self._first_of_items, self._features.shape[1]
        facts = inputs[which[:, None], self._facts.T[place % num_items]].float() @ policy.fact.T
        of_facts = facts.gather(1, (place // num_items % len(policy.fact))[:, None])[:, 0]
        return logits.index_put((which, column), of_facts, accumulate=True), network.value(features)

    def _outputs_of(self, policy: ItemPolicy) -> Iterator[tuple[Tensor, Tensor]]:
        """Weights (outputs, width) and biases (outputs,): of actions, those of items for each table; and of distances
        to the least amount, then one that counts nothing.
        """
        plain, amount, distance, item = (
            torch.cat([layer.weight, layer.bias[:, None]], 1)
            for layer in (policy.plain, policy.amount, policy.distance, policy.item)
        )
        of_items = self._features[:, None] @ item.view(len(policy.fact), -1, item.shape[1])
        of_actions = torch.cat([plain, policy.amount_basis @ amount, of_items.flatten(0, 2)])
        for outputs in of_actions, functional.pad(policy.distance_basis @ distance, (0, 0, 0, 1)):
            yield outputs[:, :-1], outputs[:, -1]

    def expand(self, inputs: Tensor) -> Tensor:
        """(B, inputs) int16, as the layers of the network read them, of (B, size) int8 rows of `ItemObservations`."""
        rows = inputs.numpy()
        expanded = np.empty((len(rows), self._inputs[0].size), np.int16)
        for number, table in enumerate(self._inputs):
            which = rows[:, -1] == number
            part = np.empty((int(which.sum()), table.size), np.int16)
            table.write(np.ascontiguousarray(rows[which, :-1]), part)
            expanded[which] = part
        return torch.from_numpy(expanded)


class ItemLayer(torch.autograd.Function):
    """The first layer with ReLU. Arguments: matrix and biases of `rows_of`; rows of `ItemObservations`, constants."""

    @staticmethod
    def forward(context: Any, rows: Tensor, bias: Tensor, inputs: Tensor, constants: tuple[np.ndarray, ...]) -> Tensor:
        seen = inputs.numpy()
        units, found = torch.empty(len(seen), len(bias)), np.empty(seen.shape[1], np.int64)
        most = _MOST * int(np.count_nonzero(seen)) + (1 + sparse.UNROLLED) * len(seen)
        lists = np.empty((len(seen), 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32)
        arrays = rows.detach().contiguous().numpy(), bias.detach().numpy()
        write_item_units(seen, *constants, found, *arrays, *lists, units.numpy())
        context.arrays = *lists, units.numpy()
        context.size = rows.shape
        return units

    @staticmethod
    def backward(context: Any, by_units: Tensor) -> tuple[Tensor | None, ...]:
        by_rows, by_bias = torch.zeros(context.size), torch.zeros(context.size[1])
        memory = np.empty(context.size[1], np.float32)
        gradients = by_units.contiguous().numpy(), memory, by_rows.numpy(), by_bias.numpy()
        sparse.write_unit_gradients(*context.arrays, *gradients)
        return by_rows, by_bias, None, None


@entry("policy")
def write_item_units(inputs, place_of, kinds, values, lot_at, shape, found, rows, biases, *written):  # type: ignore[no-untyped-def]
    """Write the units of the first layer for each row, and its list: the bounds, places and factors."""
    bounds, places, factors, units = written
    num_facts, num_items = shape[0], shape[1]
    by_table, num_tables = num_facts * num_items, kinds.shape[0]
    always = by_table * num_tables
    shared = always + num_tables
    width, start, last = units.shape[1], 0, inputs.shape[1] - 1
    for row in range(inputs.shape[0]):
        table, lot, stop = int(inputs[row, last]), -1, start
        for item in range(num_items):
            if inputs[row, lot_at[item]] != 0:
                lot = item
        places[stop], factors[stop] = always + table, np.float32(1.0)
        stop += 1
        for index in range(list_nonzero(inputs[row], found, 0)):
            place = found[index]
            if place == last:
                continue
            number, fact, item = np.float32(inputs[row, place]), place_of[place, 0], place_of[place, 1]
            if fact < 0:
                places[stop], factors[stop] = shared + 3 * num_facts + item, number
                stop += 1
                continue
            places[stop], factors[stop] = table * by_table + item * num_facts + fact, number
            stop += 1
            if lot >= 0 and kinds[table, item] == kinds[table, lot]:
                places[stop], factors[stop] = shared + num_facts + fact, number
                places[stop + 1], factors[stop + 1] = shared + 2 * num_facts + fact, number * values[table, item]
                stop += 2
                if item == lot:
                    places[stop], factors[stop] = shared + fact, number
                    stop += 1
        sparse.fill_up(places, factors, stop)
        for unit in range(width):
            units[row, unit] = biases[unit]
        sparse.add_rows(rows, places, factors, start, stop, units, row, width)
        for unit in range(width):
            units[row, unit] = max(units[row, unit], np.float32(0.0))
        bounds[row, 0], bounds[row, 1] = start, stop
        start = stop + sparse.UNROLLED - 1


@entry("policy")
def write_outputs(legal, inputs, of_actions, outputs, distances):  # type: ignore[no-untyped-def]
    """Write for legal actions their outputs, and the distances of their amounts to the least one."""
    last, num_amounts = inputs.shape[1] - 1, of_actions[2, of_actions.shape[1] - 1] - 1
    for row in range(legal.shape[0]):
        least = np.int64(-1)
        for index in range(legal.shape[1]):
            action = legal[row, index]
            amount = of_actions[2, action]
            if amount < num_amounts:
                least = amount if least < 0 else least
                amount -= least
            outputs[row, index] = of_actions[0, action] + of_actions[1, action] * int(inputs[row, last])
            distances[row, index] = amount
