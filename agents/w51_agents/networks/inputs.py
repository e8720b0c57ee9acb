"""What networks read: observations, and events; with any items of a game, sums of the items' features for each fact."""

from collections.abc import Sequence

import numpy as np

from w51_env.compiler.compile import entry
from w51_env.engine.bots import HeuristicFeatures
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import Game
from w51_env.engine.items import ItemTable

HIGHEST = 2**15 - 1  #  of an input


class ItemInputs:
    """What is known of a game's items, for networks that read their features.

    A fact is a row of the observation with a number for each item, as the items that one seat owns. The inputs are the
    features of the items that each fact holds for, summed, and the features of all items; then for each fact its number
    for the lot, and how many items of the lot's category it holds for, of what value; then all else of the observation.

    Attributes:
        num_inputs: Number of these inputs.
        size: Number of columns with those of the facts and features by item, which follow.
        facts: (num_facts, num_items) int64, the places of the facts in an observation.
        features: (num_items, num_features) int8, of the items.
        others: (others,) int64, all other places of an observation.
        lot: The fact that holds for the lot.
        categories: (num_items,) int64, the category of each item.
        num_categories: Number of categories.

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
        self.categories = table.features[:, : table.num_categories].argmax(1)
        self.num_categories = table.num_categories
        num_facts, num_features = len(self.facts), table.features.shape[1]
        self.num_inputs = (num_facts + 1) * num_features + 3 * num_facts + len(self.others)
        self.size = self.num_inputs + self.facts.size + self.features.size

    def write(self, observations: np.ndarray, inputs: np.ndarray) -> None:
        """Write all columns but those between the first `num_inputs` and the facts and features of the items.

        Args:
            observations: (N, layout.size) int8.
            inputs: (N, columns) int16.
        """
        sizes, sums = np.array([self.lot, self.num_categories]), np.empty(self.features.shape[1], np.int64)
        _write(observations, self.features, self.facts, self.others, self.categories, sizes, sums, inputs)


def items_of(game: Game) -> ItemTable:
    """The items of a game; OptionError if it has none."""
    if game.items is None:
        raise OptionError(f"network: it reads the features of items, but {game.id} has no items")
    return game.items


@entry("item_inputs")
def _write(observations, features, facts, others, categories, sizes, *written):  # type: ignore[no-untyped-def]
    """The columns in the order of `ItemInputs`. Most numbers of facts are 0, and cost nothing.

    `sizes` are the fact of the lot, and the number of categories; `sums` is memory for a number for each feature.
    """
    sums, inputs = written
    lot, num_categories = sizes[0], sizes[1]
    num_facts, num_items = facts.shape
    num_features = features.shape[1]
    after_sums = (num_facts + 1) * num_features
    for row in range(observations.shape[0]):
        lot_item = -1
        for item in range(num_items):
            if observations[row, facts[lot, item]] != 0:
                lot_item = item
        for fact in range(num_facts + 1):
            sums[:] = 0
            for item in range(num_items):
                number = observations[row, facts[fact, item]] if fact < num_facts else 1
                if number != 0:
                    for feature in range(num_features):
                        sums[feature] += number * features[item, feature]
            for feature in range(num_features):
                inputs[row, fact * num_features + feature] = min(max(sums[feature], -HIGHEST), HIGHEST)
            if fact < num_facts:
                for part in range(3):
                    inputs[row, after_sums + part * num_facts + fact] = 0
                if lot_item >= 0:
                    category = categories[lot_item]
                    start = fact * num_features
                    inputs[row, after_sums + fact] = observations[row, facts[fact, lot_item]]
                    inputs[row, after_sums + num_facts + fact] = inputs[row, start + category]
                    inputs[row, after_sums + 2 * num_facts + fact] = inputs[row, start + num_categories + category]
        for place in range(len(others)):
            inputs[row, after_sums + 3 * num_facts + place] = observations[row, others[place]]
        column = inputs.shape[1] - num_items * (num_facts + num_features)
        for fact in range(num_facts):
            for item in range(num_items):
                inputs[row, column + fact * num_items + item] = observations[row, facts[fact, item]]
        column += num_facts * num_items
        for item in range(num_items):
            for feature in range(num_features):
                inputs[row, column + item * num_features + feature] = features[item, feature]


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
        hidden: The slices that are set to 0.
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
        self._shown = self.items.num_inputs if self.items else game.layout.size
        self._end = self._shown + (self._features.layout.size if self._features else 0)
        self.history = history
        self.size = self._end + (self.items.size - self._shown if self.items else 0) + history * COLUMNS
        self.dtype = np.dtype(np.int16 if items else np.int8)
        for name in hidden_slices:
            if name not in game.layout:
                raise OptionError(f"hidden_slices: {name!r}, but {game.id} has {', '.join(game.layout)}")
        self.hidden = [game.layout[name].slice for name in hidden_slices]

    @property
    def contain_observations(self) -> bool:
        """Whether the first inputs are the observations, unchanged."""
        return self.items is None and not self.hidden

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
        shown = observations
        if self.hidden:
            shown = observations.copy()
            for part in self.hidden:
                shown[:, part] = 0
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
