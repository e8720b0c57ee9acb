"""Networks for any items as they learn, from observations that are mostly 0: the layers of `network`, compiled.

The first layer over sums of the items' features is a sum over what the observation says of each item: a row of a matrix
for each number that is not 0. The rows of a game's items follow from the weights and the items' features, so that their
gradients are those of the weights.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from w51_agents.networks.fast import sparse
from w51_agents.networks.fast.compiled import CompiledPlay, Fold
from w51_agents.networks.fast.layers import LegalLogits
from w51_agents.networks.inputs import ItemInputs, NetworkInputs, items_of
from w51_agents.networks.items.folding import fold
from w51_agents.networks.items.network import ItemPolicy, ItemTorso, named_by_actions
from w51_agents.networks.learning import Decisions, Learning, Moves, Outputs, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.vectors import list_nonzero
from w51_env.engine.game import Game

_NO_OUTPUT = 2**62  #  a number that no output of a network has
_MOST = 4  #  rows of the matrix for a number of an observation
OWN, KIND, VALUE, LOT = range(_MOST)  # in `NumberRows.rows`


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


def learning(network: ActorCritic, task: TrainingTask) -> Learning:
    """Compiled code plays where the observation is all that is read; it learns, too, where nothing is added to it."""
    if not task.is_fast or network.heuristic_features:  # with features, what is kept are sums over items
        return Learning(network, task)
    if network.base_policy or network.hidden_slices:
        return ItemPlay(network, task, fold)
    return ItemLearning(network, task, fold)


class ItemPlay(CompiledPlay):
    """Compiled code reads observations; there is a folded network for each set of items."""

    def folded_alike(self, game: Game) -> bytes:
        return table_of(game)

    def seen(self, moves: Moves) -> np.ndarray:
        return moves.observations


class ItemLearning(ItemPlay):
    """Compiled code plays and learns; what is kept of a rollout are rows of `ItemObservations`.

    Attributes:
        tables: The different items of the games.
    """

    min_rows = 2048  # that share the rows of a matrix for each item, and their gradients

    def __init__(self, network: ActorCritic, task: TrainingTask, fold: Fold):
        super().__init__(network, task, fold)
        different = {table_of(game): ItemInputs(game) for game in task.games}
        self.tables, self._inputs = tuple(different), list(different.values())
        inputs = self._inputs[0]
        self._features = torch.from_numpy(np.stack([one.features for one in self._inputs])).float()
        self._facts = torch.from_numpy(inputs.facts)
        self._rows = _rows_of_numbers(self._inputs)
        self._set_outputs(*named_by_actions(task.games[0]))

    def _set_outputs(self, plain: np.ndarray, run: np.ndarray, item: np.ndarray, amount: np.ndarray) -> None:
        """Set what `write_outputs` reads of each action, and then of no action: its output, how much further that of
        the next table is, and the amount.
        """
        num_plain, num_amounts = int(plain.max()) + 1, int(amount.max()) + 1
        num_items = self._features.shape[1]
        self._first_of_items = num_plain + num_amounts
        of_items = self._first_of_items + run * num_items + item
        output = np.where(run >= 0, of_items, np.where(amount >= 0, num_plain + amount, plain))
        amount = np.where(amount >= 0, amount, num_amounts)
        self._outputs = np.stack([output, (run >= 0) * (run.max() + 1) * num_items, amount])
        self._outputs = np.column_stack([self._outputs, [_NO_OUTPUT, 0, num_amounts + 1]])

    def rows_of(self, torso: ItemTorso) -> tuple[Tensor, Tensor]:
        """The matrix (rows, units) and the biases (units,) of the first layer; they have the gradients of its weights.

        The rows are, for each table, one for each fact and item and one that always counts; then for each fact those of
        the lot, of an item of its category, and of such an item's value; then those of all other numbers.
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

    def inputs_for(self, game: Game) -> NetworkInputs:
        return ItemObservations(game, self.tables)

    def outputs(self, network: ActorCritic, decisions: Decisions) -> Outputs:
        inputs, legal = decisions.inputs, decisions.legal
        torso, policy = network.torso, network.policy
        assert isinstance(torso, ItemTorso)
        assert isinstance(policy, ItemPolicy)
        features = torso.others(ItemLayer.apply(*self.rows_of(torso), inputs, self._rows))
        of_actions, of_distances = self._outputs_of(policy)
        outputs, distances = torch.empty_like(legal), torch.empty_like(legal)
        write_outputs(legal.numpy(), inputs.numpy(), self._outputs, outputs.numpy(), distances.numpy())
        logits = LegalLogits.apply(features, *of_actions, outputs)
        logits = logits + LegalLogits.apply(features, *of_distances, distances)
        which, column = ((outputs >= self._first_of_items) & (outputs < _NO_OUTPUT)).nonzero().T  # few name items
        place, num_items = outputs[which, column] - self._first_of_items, self._features.shape[1]
        facts = inputs[which[:, None], self._facts.T[place % num_items]].float() @ policy.fact.T
        of_facts = facts.gather(1, (place // num_items % len(policy.fact))[:, None])[:, 0]
        logits = logits.index_put((which, column), of_facts, accumulate=True)
        return Outputs(logits, network.value(features), features)

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

    def read(self, inputs: Tensor) -> Tensor:
        """(B, inputs) int16, of (B, size) int8 rows of `ItemObservations`."""
        rows = inputs.numpy()
        expanded = np.empty((len(rows), self._inputs[0].size), np.int16)
        for number, table in enumerate(self._inputs):
            which = rows[:, -1] == number
            part = np.empty((int(which.sum()), table.size), np.int16)
            table.write(np.ascontiguousarray(rows[which, :-1]), part)
            expanded[which] = part
        return torch.from_numpy(expanded)


class NumberRows(NamedTuple):
    """The rows of the first layer's matrix for the numbers of an observation.

    Attributes:
        item: (size,) int64, the item that a number is about, or -1.
        rows: (4, size) int64: the number's own row, in the first table if it is about an item; and those for items of
            the lot's category, for their value, and for the lot.
        facts: (facts, items) int64, the numbers about items; a table has a row for each.
        lot: (items,) int64, the numbers that say which item is the lot.
        categories: (tables, items) int64, the category of each item.
        values: (tables, items) float32, its value.
    """

    item: np.ndarray
    rows: np.ndarray
    facts: np.ndarray
    lot: np.ndarray
    categories: np.ndarray
    values: np.ndarray


def _rows_of_numbers(tables: Sequence[ItemInputs]) -> NumberRows:
    """The rows in the order of `ItemLearning.rows_of`."""
    inputs, features = tables[0], np.stack([one.features for one in tables])
    num_facts, num_items = inputs.facts.shape
    categories = features[:, :, : inputs.num_categories].argmax(2)
    values = np.take_along_axis(features, inputs.num_categories + categories[:, :, None], 2)[:, :, 0].astype(np.float32)
    item = np.full(inputs.facts.size + len(inputs.others), -1)
    item[inputs.facts] = np.arange(num_items)
    shared = len(tables) * (inputs.facts.size + 1)
    fact = np.arange(num_facts)[:, None]
    rows = np.zeros((4, len(item)), np.int64)
    rows[0, inputs.facts] = np.arange(num_items) * num_facts + fact
    rows[0, inputs.others] = shared + 3 * num_facts + np.arange(len(inputs.others))
    for place, start in ((LOT, 0), (KIND, num_facts), (VALUE, 2 * num_facts)):
        rows[place, inputs.facts] = shared + start + fact
    return NumberRows(item, rows, inputs.facts, inputs.facts[inputs.lot].copy(), categories, values)


class ItemLayer(torch.autograd.Function):
    """The first layer with ReLU. Arguments: matrix and biases of `rows_of`; rows of `ItemObservations`."""

    @staticmethod
    def forward(context: Any, rows: Tensor, bias: Tensor, inputs: Tensor, of_numbers: NumberRows) -> Tensor:
        seen = inputs.numpy()
        units, found = torch.empty(len(seen), len(bias)), np.empty(seen.shape[1], np.int64)
        most = _MOST * int(np.count_nonzero(seen)) + (1 + sparse.UNROLLED) * len(seen)
        lists = np.empty((len(seen), 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32)
        arrays = rows.detach().contiguous().numpy(), bias.detach().numpy()
        write_item_units(seen, found, *arrays, *lists, units.numpy(), *of_numbers)
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


@kernel
def list_rows(row, found, of_numbers, places, factors, start):  # type: ignore[no-untyped-def]
    """List the rows of the matrix for one row of `ItemObservations`, from `start` on; returns where the list ends."""
    rows, categories = of_numbers.rows, of_numbers.categories
    last = row.shape[0] - 1
    table, lot = int(row[last]), -1
    for item in range(categories.shape[1]):
        if row[of_numbers.lot[item]] != 0:
            lot = item
    places[start], factors[start] = categories.shape[0] * of_numbers.facts.size + table, np.float32(1.0)
    stop = start + 1
    for index in range(list_nonzero(row, found, 0)):
        place = found[index]
        if place == last:
            continue
        number, item = np.float32(row[place]), of_numbers.item[place]
        own = rows[OWN, place]
        places[stop], factors[stop] = own + table * of_numbers.facts.size if item >= 0 else own, number
        stop += 1
        if item >= 0 and lot >= 0 and categories[table, item] == categories[table, lot]:
            places[stop], factors[stop] = rows[KIND, place], number
            places[stop + 1], factors[stop + 1] = rows[VALUE, place], number * of_numbers.values[table, item]
            stop += 2
            if item == lot:
                places[stop], factors[stop] = rows[LOT, place], number
                stop += 1
    return stop


@entry("policy")
def write_item_units(inputs, found, matrix, biases, *arrays):  # type: ignore[no-untyped-def]
    """Write the units of the first layer for each row, and its list: the bounds, places and factors."""
    bounds, places, factors, units = arrays[:4]
    of_numbers = NumberRows(*arrays[4:])
    width, start = units.shape[1], 0
    for row in range(inputs.shape[0]):
        stop = list_rows(inputs[row], found, of_numbers, places, factors, start)
        sparse.fill_up(places, factors, stop)
        for unit in range(width):
            units[row, unit] = biases[unit]
        sparse.add_rows(matrix, places, factors, (start, stop), units, row, width)
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
