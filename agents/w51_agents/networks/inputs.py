"""What networks read: observations, and events; with any items of a game, sums of the items' features for each fact."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from w51_env.compiler.compile import entry, kernel, record_of
from w51_env.engine.bots import HeuristicFeatures
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import Game
from w51_env.engine.items import ItemTable

HIGHEST = 2**15 - 1  #  of an input


class ItemColumns(NamedTuple):
    """Where a row of `ItemInputs` has what; "of each fact" is in the order of the facts.

    Attributes:
        sums: Of each fact the features of the items that it holds for, summed.
        always: The features of all items, summed.
        of_lot: Of each fact its number for the lot.
        of_category: Of each fact how many items of the lot's category it holds for.
        of_value: Of each fact the value of these items.
        others: What the observation says of no item. Features that the game computes follow.
        facts: Of each fact its number for each item; counted from the end, as are the last ones.
        features: The features of each item.
    """

    sums: slice
    always: slice
    of_lot: slice
    of_category: slice
    of_value: slice
    others: slice
    facts: slice
    features: slice


class ItemInputs:
    """What is known of a game's items, for networks that read their features.

    A fact is a row of the observation with a number for each item, as the items that one seat owns.

    Attributes:
        columns: Where the inputs are.
        facts: (num_facts, num_items) int64, the places of the facts in an observation.
        features: (num_items, num_features) int8, of the items.
        others: (others,) int64, all other places of an observation.
        lot: The fact that holds for the lot.
        num_categories: Number of categories.
        categories: (num_items,) int64, the category of each item.
        values: (num_items,) int8, its value.

    Raises:
        OptionError: The game has no items.
    """

    def __init__(self, game: Game):
        table = items_of(game)
        places = np.arange(game.layout.size)
        by_item = {name: places[game.layout[name].slice].reshape(-1, len(table.features)) for name in table.slices}
        self.facts = np.concatenate(list(by_item.values()))
        self.features = table.features
        self.others = np.setdiff1d(places, self.facts)
        self.lot = sum(len(by_item[name]) for name in table.slices[: table.slices.index("lot")])
        self.num_categories = table.num_categories
        self.categories = table.features[:, : table.num_categories].argmax(1)
        self.values = table.features[np.arange(len(table.features)), table.num_categories + self.categories]
        self.columns = self._columns()
        self._numbers = record_of(
            lot=self.lot,
            num_categories=self.num_categories,
            of_lot=self.columns.of_lot.start,
            of_category=self.columns.of_category.start,
            of_value=self.columns.of_value.start,
        )

    def _columns(self) -> ItemColumns:
        (num_items, num_features), num_facts = self.features.shape, len(self.facts)
        sizes = {
            "sums": num_facts * num_features,
            "always": num_features,
            "of_lot": num_facts,
            "of_category": num_facts,
            "of_value": num_facts,
            "others": len(self.others),
        }
        stops = dict(zip(sizes, accumulate(sizes.values()), strict=True))
        columns = {name: slice(stop - sizes[name], stop) for name, stop in stops.items()}
        of_items = num_items * num_features
        facts = slice(-self.facts.size - of_items, -of_items)
        return ItemColumns(**columns, facts=facts, features=slice(-of_items, None))

    def write(self, observations: np.ndarray, inputs: np.ndarray) -> None:
        """Write all columns but features that the game computes.

        Args:
            observations: (N, layout.size) int8.
            inputs: (N, columns) int16.
        """
        columns, sums = self.columns, np.empty(self.features.shape[1], np.int64)
        _write_facts(observations, self.facts, self.features, self.categories, self._numbers, sums, inputs)
        inputs[:, columns.always] = self.features.sum(0).clip(-HIGHEST, HIGHEST)
        _copy(observations, self.others, inputs, number=columns.others.start)
        _copy(observations, self.facts.ravel(), inputs, number=inputs.shape[1] + columns.facts.start)
        inputs[:, columns.features] = self.features.ravel()


def items_of(game: Game) -> ItemTable:
    """The items of a game; OptionError if it has none."""
    if game.items is None:
        raise OptionError(f"network: it reads the features of items, but {game.id} has no items")
    return game.items


@kernel
def item_marked(observation, places):  # type: ignore[no-untyped-def]
    """The last item whose number at these places, one for each item, is not 0; -1: none."""
    marked = -1
    for item in range(places.shape[0]):
        if observation[places[item]] != 0:
            marked = item
    return marked


@kernel
def sum_features(observation, places, features, sums):  # type: ignore[no-untyped-def]
    """Sum the features of the items times their numbers at these places. Most are 0, and cost nothing."""
    sums[:] = 0
    for item in range(places.shape[0]):
        number = observation[places[item]]
        if number != 0:
            for feature in range(sums.shape[0]):
                sums[feature] += number * features[item, feature]
    for feature in range(sums.shape[0]):
        sums[feature] = min(max(sums[feature], -HIGHEST), HIGHEST)


@entry("item_inputs")
def _write_facts(observations, facts, features, categories, numbers, sums, inputs):  # type: ignore[no-untyped-def]
    """Write the sums of the facts and what they say of the lot.

    `numbers` says which fact holds for the lot, how many categories there are, and where columns start; `sums` is
    memory for a number for each feature.
    """
    at, num_features = numbers[0], sums.shape[0]
    for row in range(observations.shape[0]):
        lot = item_marked(observations[row], facts[at.lot])
        for fact in range(facts.shape[0]):
            sum_features(observations[row], facts[fact], features, sums)
            for feature in range(num_features):
                inputs[row, fact * num_features + feature] = sums[feature]
            of_lot, of_category, of_value = 0, 0, 0
            if lot >= 0:
                of_lot = observations[row, facts[fact, lot]]
                of_category, of_value = sums[categories[lot]], sums[at.num_categories + categories[lot]]
            inputs[row, at.of_lot + fact] = of_lot
            inputs[row, at.of_category + fact] = of_category
            inputs[row, at.of_value + fact] = of_value


@entry("item_inputs")
def _copy(observations, places, inputs, start):  # type: ignore[no-untyped-def]
    """Copy the numbers at some places of observations to the columns of inputs from `start` on."""
    for row in range(observations.shape[0]):
        for index in range(places.shape[0]):
            inputs[row, start + index] = observations[row, places[index]]


def hidden_numbers(game: Game, slices: Sequence[str]) -> np.ndarray:
    """(layout.size,) bool, the numbers of an observation in these slices; OptionError if it has no slice of a name."""
    hidden = np.zeros(game.layout.size, bool)
    for name in slices:
        if name not in game.layout:
            raise OptionError(f"hidden_slices: {name!r}, but {game.id} has {', '.join(game.layout)}")
        hidden[game.layout[name].slice] = True
    return hidden


class NetworkInputs:
    """Observations as a network reads them: without hidden slices, with heuristic features or features of items.

    Args:
        game: The game it plays.
        heuristic_features: Append the heuristic features, which are computed from the whole observation.
        hidden_slices: Names of slices of the observation that are set to 0.
        items: Inputs of a network for any items, as `ItemInputs`; the last ones are the facts and features of items.
        history: Append this number of events, each as 6 numbers, -128 to 127.

    Attributes:
        layout: The layout of the observations.
        items: The inputs of a network for any items; None: it reads observations.
        is_hidden: (layout.size,) bool, the numbers of an observation that are set to 0.
        history: The number of events.
        size: Number of inputs.
        dtype: int8, with `items` int16.

    Raises:
        OptionError: The game has no heuristic features, no slice of a name, or no items.
    """

    def __init__(
        self,
        game: Game,
        heuristic_features: bool = False,
        hidden_slices: Sequence[str] = (),
        items: bool = False,
        history: int = 0,
    ):
        self.layout = game.layout
        self._features = HeuristicFeatures(game) if heuristic_features else None
        self.items = ItemInputs(game) if items else None
        self._shown = self.items.columns.others.stop if self.items else game.layout.size
        self._end = self._shown + (self._features.layout.size if self._features else 0)
        self.history = history
        self.size = self._end + (-self.items.columns.facts.start if self.items else 0) + history * COLUMNS
        self.dtype = np.dtype(np.int16 if items else np.int8)
        self.is_hidden = hidden_numbers(game, hidden_slices)

    @property
    def contain_observations(self) -> bool:
        """Whether the first inputs are the observations, unchanged."""
        return self.items is None and not self.is_hidden.any()

    @property
    def are_observations(self) -> bool:
        """Whether the inputs are the observations, unchanged."""
        return self.contain_observations and self.size == self._shown

    def __call__(self, observations: np.ndarray, events: np.ndarray | None = None) -> np.ndarray:
        """(N, size) of `dtype`; arguments as of `write`."""
        if self.are_observations:
            return observations
        inputs = np.empty((len(observations), self.size), self.dtype)
        self.write(observations, inputs, events)
        return inputs

    def write(self, observations: np.ndarray, inputs: np.ndarray, events: np.ndarray | None = None) -> None:
        """Write inputs.

        Args:
            observations: (N, layout.size) int8.
            inputs: (N, size) of `dtype`, which is written to.
            events: (N, history, 6) int16, as of `Batch.history`, for inputs with history.

        Raises:
            OptionError: Inputs with history, but no events.
        """
        shown = np.where(self.is_hidden, np.int8(0), observations) if self.is_hidden.any() else observations
        if self.items is None:
            inputs[:, : self._shown] = shown
        else:
            self.items.write(shown, inputs)
        if self._features is not None:
            inputs[:, self._shown : self._end] = self._features.compute(observations)
        if self.history:
            if events is None:
                raise OptionError("network: history reads events, but was given none; HistoryPolicyAgent plays it")
            np.clip(events.reshape(len(events), -1), -128, 127, out=inputs[:, self._end :], casting="unsafe")
