"""Paired tables: a row for each seat, and each lot, of a pair of games, with what it was on both sides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from w51_env.engine.game import Game
from w51_lab.behaviour import schemas
from w51_lab.behaviour.contract import MISSING, Column, Table, TableSchema
from w51_lab.behaviour.parts import Part
from w51_lab.behaviour.recorder import KEYS
from w51_lab.pairs.option_pair import SIDES, OptionChange, card_columns

TRAINING = Column("training", "i8", "seed of the training of the agents; null if none was trained", nullable=True)
_OF_SEATS = ("score", "rank", "wins", "decisions")
_PLACE = (*(column.name for column in KEYS), "seat", "agent")


class PairedTables:
    """What is common to the paired tables of all parts of a pair of matches.

    `seats` has a row for each seat of each pair of games. `lots` has a row for each lot that came up on both sides: the
    same card, or, in a game without cards, the lot of the same number.

    Args:
        games: The games of both sides.
        change: The option that differs, for the meaning of columns.
    """

    def __init__(self, games: tuple[Game, Game], change: OptionChange):
        tables = [schemas(game) for game in games]
        self.schemas = {"seats": _seats_schema(tables[0]["seats"], change)}
        if all("lots" in table for table in tables):
            self._own = tuple(map(card_columns, games))
            self._cards = _cards(*self._own)
            self.schemas["lots"] = _lots_schema([table["lots"] for table in tables], self._cards, change)

    def joined(self, name: str, first: Table, second: Table) -> Table:
        """A paired table from those of both sides, but for the column `training`."""
        if name == "lots":
            rows = self.matched(first, second)
            first, second = (
                {column: values[chosen] for column, values in table.items()}
                for table, chosen in zip((first, second), rows, strict=True)
            )
        made: Table = {}
        for column in self.schemas[name].columns:
            of_side, _, side = column.name.rpartition("_")
            if column.name in first and side not in SIDES:
                made[column.name] = first[column.name]
            elif side in SIDES:
                made[column.name] = (first, second)[SIDES.index(side)][of_side]
        return made

    def matched(self, first: Table, second: Table) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the same lots in the tables `lots` of both sides, in the order of the first."""
        described = [self._described(table, side) for side, table in enumerate((first, second))]
        _, kinds = np.unique(np.concatenate(described), axis=0, return_inverse=True)
        of_sides = np.split(kinds.reshape(-1), [len(described[0])])
        keys = [of_side * (len(kinds) + 1) + _occurrence(of_side) for of_side in of_sides]
        _, one, other = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
        order = np.argsort(one)
        return one[order], other[order]

    def _described(self, lots: Table, side: int) -> np.ndarray:
        """(rows, 1 + K) int64: the game of each lot, and its card in the numbers of both sides, or its number."""
        columns = [lots["game"]]
        for card, own in zip(self._cards, self._own[side], strict=True):
            values = lots[card.name].astype(np.int64)
            if card.labels is not None and own.labels is not None:
                numbers = np.array([card.labels.index(label) for label in own.labels])
                values = np.where(values == MISSING, MISSING, numbers[values])
            columns.append(values)
        return np.stack([*columns, *([] if self._cards else [lots["lot"]])], axis=1).astype(np.int64)


class PairedPart(Mapping[str, Table]):
    """The paired tables of a part, each made when it is asked for.

    Args:
        tables: What is common to all parts.
        first, second: The tables of both sides, of the same games.
        training: Seed of the training of the agents; MISSING if none was trained.
    """

    def __init__(self, tables: PairedTables, first: Part, second: Part, training: int):
        self._tables = tables
        self._sides = (first, second)
        self._training = training

    def __getitem__(self, name: str) -> Table:
        if name not in self._tables.schemas:
            raise KeyError(name)
        first, second = (side[name] for side in self._sides)
        made = self._tables.joined(name, first, second)
        return {TRAINING.name: np.full(len(made["game"]), self._training, TRAINING.dtype), **made}

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables.schemas)

    def __len__(self) -> int:
        return len(self._tables.schemas)


def _both(column: Column, change: OptionChange) -> tuple[Column, Column]:
    """A column for each side."""
    first, second = (
        replace(
            column,
            name=f"{column.name}_{side}",
            meaning=f"{column.meaning}, with {label}",
            agent_of=column.agent_of and f"{column.agent_of}_{side}",
        )
        for side, label in zip(SIDES, change.labels, strict=True)
    )
    return first, second


def _seats_schema(seats: TableSchema, change: OptionChange) -> TableSchema:
    columns = {column.name: column for column in seats.columns}
    pairs = [side for name in _OF_SEATS for side in _both(columns[name], change)]
    kept = (columns[name] for name in _PLACE)
    return TableSchema(f"each seat of each pair of games: {' and '.join(change.labels)}", (TRAINING, *kept, *pairs))


def _lots_schema(lots: Sequence[TableSchema], cards: Sequence[Column], change: OptionChange) -> TableSchema:
    """The columns of both sides; a column that only one of them has is left out."""
    keys = {column.name for column in KEYS}
    described = {column.name for column in cards}
    texts = [{column.name: column for column in schema.columns} for schema in lots]
    pairs = [
        replace(column, labels=texts[side][name].labels)
        for name in texts[0]
        if name in texts[1] and name not in keys | described
        for side, column in enumerate(_both(texts[0][name], change))
    ]
    rows = f"each lot that came up in both games of a pair: {' and '.join(change.labels)}"
    return TableSchema(rows, (TRAINING, *KEYS, *cards, *pairs))


# ---- the same lot on both sides


def _cards(first: Sequence[Column], second: Sequence[Column]) -> tuple[Column, ...]:
    """The columns of a card, each with the texts of both sides: those of the first keep their numbers."""
    shared = []
    for one, other in zip(first, second, strict=True):
        labels = None if one.labels is None else tuple(dict.fromkeys((*one.labels, *(other.labels or ()))))
        shared.append(replace(one, labels=labels))
    return tuple(shared)


def _occurrence(kinds: np.ndarray) -> np.ndarray:
    """For each value how many equal ones are before it."""
    order = np.argsort(kinds, kind="stable")
    ordered = kinds[order]
    counts = np.empty(len(kinds), np.int64)
    counts[order] = np.arange(len(kinds)) - np.searchsorted(ordered, ordered)
    return counts
