"""The items of a game, such as its cards, as numbers: for networks that play with any items."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class ItemTable:
    """The items of a game, and where its observation and its actions name them.

    Two games with equal `names`, `slices`, `actions` and `amounts` differ in the features of their items only: a
    network that reads the features can play both.

    Attributes:
        features: (num_items, num_features) int8; zeros for an item that this game does not have.
        names: Names of the features. The first `num_categories` are 1 for the category of the item, else 0; as many
            after them are its value in the place of its category, else 0.
        num_categories: Number of categories of items.
        slices: Names of the slices of the observation whose last axis is the item. One of them is `lot`, the item that
            is for sale.
        actions: The first action of each run of `num_items` actions, one for each item.
        amounts: The first action and the number of actions that name an amount, from 1 upwards.
        option: Name of the option of the game that the features show.
    """

    features: np.ndarray
    names: tuple[str, ...]
    num_categories: int
    slices: tuple[str, ...]
    actions: tuple[int, ...]
    amounts: tuple[int, int]
    option: str

    def __post_init__(self) -> None:
        if self.features.shape[1] != len(self.names) or "lot" not in self.slices:
            raise ValueError("items: a name for each feature and a slice 'lot' are needed")
