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

from w51_agents.networks.fast.compiled import CompiledPlay
from w51_agents.networks.fast.folded import Fold
from w51_agents.networks.fast.layers import LegalLogits, Lists, numpy_of, write_unit_gradients
from w51_agents.networks.fast.sparse import UNROLLED, add_rows, fill_up
from w51_agents.networks.inputs import ItemInputs, NetworkInputs, item_marked, items_of
from w51_agents.networks.items.folding import fold
from w51_agents.networks.items.network import ItemPolicy, ItemTorso, named_by_actions
from w51_agents.networks.learning import DecisionInputs, Learning, Moves, Outputs, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_env.compiler.compile import entry, kernel
from w51_env.compiler.vectors import list_nonzero
from w51_env.engine.game import Game

_MOST_ROWS = 4  #  of the matrix, for a number of an observation


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
        self._features = torch.from_numpy(np.stack([one.features for one in self._inputs])).float()
        self._facts = self._inputs[0].facts
        self._rows = _rows_of_numbers(self._inputs)
        self._named = _outputs_of_actions(named_by_actions(task.games[0]), len(self.tables), self._features.shape[1])

    def rows_of(self, torso: ItemTorso) -> tuple[Tensor, Tensor]:
        """The matrix (rows, units) and the biases (units,) of the first layer; they have the gradients of its weights.

        The rows are, for each table, one for each fact and item and one that always counts; then for each fact those of
        the lot, of an item of its category, and of such an item's value; then those of all other numbers.
        """
        weight, bias = torso.fold_normalization()
        features, num_facts = self._features, len(self._facts)
        columns = self._inputs[0].columns
        num_features, num_units = features.shape[2], len(weight)
        sizes = [columns.always.start, num_features, weight.shape[1] - columns.of_lot.start]
        sums, always, others = weight.T.split(sizes)
        # (features, facts * units): one product for all tables
        by_feature = sums.view(num_facts, num_features, num_units).transpose(0, 1).reshape(num_features, -1)
        of_items = (features.flatten(0, 1) @ by_feature).view(-1, num_units)
        return torch.cat([of_items, features.sum(1) @ always, others]), bias

    def inputs_for(self, game: Game) -> NetworkInputs:
        return ItemObservations(game, self.tables)

    def outputs(self, network: ActorCritic, decisions: DecisionInputs) -> Outputs:
        inputs, legal = decisions.inputs, decisions.legal
        torso, policy = network.torso, network.policy
        assert isinstance(torso, ItemTorso)
        assert isinstance(policy, ItemPolicy)
        features = torso.others(ItemLayer.apply(*self.rows_of(torso), inputs, self._rows))
        of_actions, of_distances = self._outputs_of(policy)
        outputs, distances = torch.empty_like(legal), torch.empty_like(legal)
        write_outputs(legal.numpy(), inputs.numpy(), self._named, outputs.numpy(), distances.numpy())
        logits = LegalLogits.apply(features, *of_actions, outputs)
        logits = logits + LegalLogits.apply(features, *of_distances, distances)
        named = self._named.items_named(outputs)
        logits = logits.index_put(named, self._logits_of_facts(policy, inputs, legal, named), accumulate=True)
        return Outputs(logits, network.value(features), features)

    def _logits_of_facts(
        self, policy: ItemPolicy, inputs: Tensor, legal: Tensor, named: tuple[Tensor, Tensor]
    ) -> Tensor:
        """(N,), what the facts of an item add to the logit of an action that names it, for N such legal actions."""
        actions = legal[named].numpy()
        places, run = self._facts.T[self._named.item[actions]], self._named.run[actions]
        facts = inputs[named[0][:, None], torch.from_numpy(places)].float()
        return (facts @ policy.fact.T).gather(1, torch.from_numpy(run)[:, None])[:, 0]

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
        expanded = np.empty((len(rows), self.network.num_inputs), np.int16)
        for number, table in enumerate(self._inputs):
            which = rows[:, -1] == number
            part = np.empty((int(which.sum()), self.network.num_inputs), np.int16)
            table.write(np.ascontiguousarray(rows[which, :-1]), part)
            expanded[which] = part
        return torch.from_numpy(expanded)


class ActionOutputs(NamedTuple):
    """Of each action, and then of no action, what it names and which output of the policy's layers is its logit.

    Attributes:
        output: (actions + 1,) int64, the number of its output, with the items of the first table.
        of_next_table: (actions + 1,) int64, how much further that with the items of the next table is.
        amount: (actions + 1,) int64, the amount that it names, or else the number of amounts; one more for no action.
        item: (actions + 1,) int64, the item that it names.
        run: (actions + 1,) int64, the run of such actions that it is in.
    """

    output: np.ndarray
    of_next_table: np.ndarray
    amount: np.ndarray
    item: np.ndarray
    run: np.ndarray

    def items_named(self, outputs: Tensor) -> tuple[Tensor, Tensor]:
        """Rows and columns of those of (B, K) outputs that name an item, which few do."""
        first, none = int(self.output[self.run >= 0].min()), int(self.output[-1])
        rows, columns = ((outputs >= first) & (outputs < none)).nonzero().T
        return rows, columns


def _outputs_of_actions(named: np.ndarray, num_tables: int, num_items: int) -> ActionOutputs:
    """The outputs in the order of `ItemLearning._outputs_of`; `named` is as of `named_by_actions`."""
    plain, run, item, amount = np.column_stack([named, np.full(len(named), -1)])
    num_plain, num_runs, num_amounts = plain.max() + 1, run.max() + 1, amount.max() + 1
    of_amounts, of_items = num_plain + amount, num_plain + num_amounts + run * num_items + item
    output = np.where(run >= 0, of_items, np.where(amount >= 0, of_amounts, plain))
    output[-1] = num_plain + num_amounts + num_tables * num_runs * num_items
    amount = np.where(amount >= 0, amount, num_amounts)
    amount[-1] = num_amounts + 1
    return ActionOutputs(output, np.where(run >= 0, num_runs * num_items, 0), amount, item, run)


class NumberRows(NamedTuple):
    """The rows of the first layer's matrix for the numbers of an observation, which may be about an item.

    Attributes:
        item: (size,) int64, the item that a number is about, or -1.
        own: (size,) int64, the number's own row, in the first table if it is about an item.
        of_next_table: (size,) int64, how much further its own row in the next table is.
        always: (tables,) int64, the row that always counts.
        of_lot: (size,) int64, the row for the number of the lot.
        of_category: (size,) int64, the row for numbers of items of the lot's category.
        of_value: (size,) int64, the row for the value of these items.
        lot: (items,) int64, the numbers that say which item is the lot.
        categories: (tables, items) int64, the category of each item.
        values: (tables, items) float32, its value.
    """

    item: np.ndarray
    own: np.ndarray
    of_next_table: np.ndarray
    always: np.ndarray
    of_lot: np.ndarray
    of_category: np.ndarray
    of_value: np.ndarray
    lot: np.ndarray
    categories: np.ndarray
    values: np.ndarray


def _rows_of_numbers(tables: Sequence[ItemInputs]) -> NumberRows:
    """The rows in the order of `ItemLearning.rows_of`."""
    inputs, num_tables = tables[0], len(tables)
    (num_facts, num_items), columns, of_table = inputs.facts.shape, inputs.columns, inputs.facts.size
    moved = num_tables * (of_table + 1) - columns.of_lot.start  # from a column to its row
    item, own, of_next_table, of_lot, of_category, of_value = np.zeros((6, of_table + len(inputs.others)), np.int64)
    item[inputs.others] = -1
    item[inputs.facts] = np.arange(num_items)
    own[inputs.facts] = np.arange(num_items) * num_facts + np.arange(num_facts)[:, None]
    own[inputs.others] = np.arange(columns.others.start, columns.others.stop) + moved
    of_next_table[inputs.facts] = of_table
    for rows, part in (of_lot, columns.of_lot), (of_category, columns.of_category), (of_value, columns.of_value):
        rows[inputs.facts] = np.arange(part.start, part.stop)[:, None] + moved
    return NumberRows(
        item=item,
        own=own,
        of_next_table=of_next_table,
        always=num_tables * of_table + np.arange(num_tables),
        of_lot=of_lot,
        of_category=of_category,
        of_value=of_value,
        lot=inputs.facts[inputs.lot].copy(),
        categories=np.stack([one.categories for one in tables]),
        values=np.stack([one.values for one in tables]).astype(np.float32),
    )


class ItemLayer(torch.autograd.Function):
    """The first layer with ReLU. Arguments: matrix and biases of `rows_of`; rows of `ItemObservations`."""

    @staticmethod
    def forward(context: Any, rows: Tensor, bias: Tensor, inputs: Tensor, of_numbers: NumberRows) -> Tensor:
        seen = inputs.numpy()
        units, found = torch.empty(len(seen), len(bias)), np.empty(seen.shape[1], np.int64)
        most = _MOST_ROWS * int(np.count_nonzero(seen)) + (1 + UNROLLED) * len(seen)
        lists = Lists.of(len(seen), most)
        write_item_units(seen, found, *numpy_of(rows, bias), lists, units.numpy(), of_numbers)
        context.arrays = lists, units.numpy()
        context.size = rows.shape
        return units

    @staticmethod
    def backward(context: Any, by_units: Tensor) -> tuple[Tensor | None, ...]:
        by_rows, by_bias = torch.zeros(context.size), torch.zeros(context.size[1])
        memory = np.empty(context.size[1], np.float32)
        write_unit_gradients(*context.arrays, *numpy_of(by_units), memory, *numpy_of(by_rows, by_bias))
        return by_rows, by_bias, None, None


@kernel
def list_rows(row, found, of_numbers, places, factors, start):  # type: ignore[no-untyped-def]
    """List the rows of the matrix for one row of `ItemObservations`, from `start` on; returns where the list ends."""
    last, categories = row.shape[0] - 1, of_numbers.categories
    table, lot = int(row[last]), item_marked(row, of_numbers.lot)
    places[start], factors[start] = of_numbers.always[table], np.float32(1.0)
    stop = start + 1
    for index in range(list_nonzero(row, found, 0)):
        place = found[index]
        if place == last:
            continue
        number, item = np.float32(row[place]), of_numbers.item[place]
        places[stop], factors[stop] = of_numbers.own[place] + table * of_numbers.of_next_table[place], number
        stop += 1
        if item >= 0 and lot >= 0 and categories[table, item] == categories[table, lot]:
            places[stop], factors[stop] = of_numbers.of_category[place], number
            places[stop + 1], factors[stop + 1] = of_numbers.of_value[place], number * of_numbers.values[table, item]
            stop += 2
            if item == lot:
                places[stop], factors[stop] = of_numbers.of_lot[place], number
                stop += 1
    return stop


@entry("policy")
def write_item_units(inputs, found, matrix, biases, lists, units, of_numbers):  # type: ignore[no-untyped-def]
    """Write the units of the first layer for each row, and its list; `found` is memory for a row's numbers."""
    bounds, places, factors = lists.bounds, lists.places, lists.factors
    width, start = units.shape[1], 0
    for row in range(inputs.shape[0]):
        stop = list_rows(inputs[row], found, of_numbers, places, factors, start)
        fill_up(places, factors, stop)
        for unit in range(width):
            units[row, unit] = biases[unit]
        add_rows(matrix, places, factors, (start, stop), units, row, width)
        for unit in range(width):
            units[row, unit] = max(units[row, unit], np.float32(0.0))
        bounds[row, 0], bounds[row, 1] = start, stop
        start = stop + UNROLLED - 1


@entry("policy")
def write_outputs(legal, inputs, of_actions, outputs, distances):  # type: ignore[no-untyped-def]
    """Write for legal actions their outputs, and the distances of their amounts to the least one."""
    table, num_amounts = inputs.shape[1] - 1, of_actions.amount[of_actions.amount.shape[0] - 1] - 1
    for row in range(legal.shape[0]):
        least = np.int64(-1)
        for index in range(legal.shape[1]):
            action = legal[row, index]
            amount = of_actions.amount[action]
            if amount < num_amounts:
                least = amount if least < 0 else least
                amount -= least
            outputs[row, index] = of_actions.output[action] + of_actions.of_next_table[action] * int(inputs[row, table])
            distances[row, index] = amount
