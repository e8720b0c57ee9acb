"""Behaviour tables: what agents did in games, as columns, and statistics. A game offers its own in its presentation.

A table is a dict of numpy columns of equal length, by name. Strings are stored as integers: indices into the column's
`labels`, so that a column of a million rows stays small. Missing values are `MISSING`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from w51_env.views.event_columns import EventColumns

Table = dict[str, np.ndarray]
Tables = dict[str, Table]

MISSING = -1


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: The column's name, in memory and in files.
        dtype: Its numpy dtype.
        meaning: What its values are, as a text.
        labels: The texts of the values 0, 1, 2, ...; None: the values are numbers.
        nullable: Whether a value may be MISSING, which files store as null.
        agent_of: Name of a column of seats, for a column of the agents in these seats. The arena fills it; a game
            leaves it out.
        unit: What its numbers count, such as ingots or points; "" for names and counts.
    """

    name: str
    dtype: str
    meaning: str
    labels: tuple[str, ...] | None = None
    nullable: bool = False
    agent_of: str | None = None
    unit: str = ""


@dataclass(frozen=True)
class TableSchema:
    """What a row of a table stands for ("each ..."), and its columns."""

    rows: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Statistic:
    """A number for each agent, counted over the rows of one table whose `agent` it is.

    Attributes:
        group, name: Where the number is in the summary of an agent: `agent[group][name]`. Reports show `name` without
            underscores.
        meaning: What is counted, as a text.
        table: Name of the table whose rows are counted.
        counted: (table) -> (rows,) bool, the rows that count. None: all.
        among: (table) -> (rows,) bool. The number is the fraction of these rows that count. None: it is the count per
            game.
        panel: Title of the panel of a report's figure that draws it, as a part of the whole; "" if none draws it.
    """

    group: str
    name: str
    meaning: str
    table: str
    counted: Callable[[Table], np.ndarray] | None = None
    among: Callable[[Table], np.ndarray] | None = None
    panel: str = ""


def where(column: str) -> Callable[[Table], np.ndarray]:
    """For `Statistic`: the rows where a column is true."""
    return lambda table: table[column]


def unless(column: str) -> Callable[[Table], np.ndarray]:
    """For `Statistic`: the rows where a column is false."""
    return lambda table: ~table[column]


@dataclass(frozen=True)
class Behaviour:
    """The behaviour tables of a game.

    Every summary has prices from a table `lots` (columns `agent`, `price`, `worth`, and `category` and `value` if there
    are any), money over time from a table `money` (`lot`, `agent`, `money`), and points from a table `points` (`agent`,
    `source`, `points`), if the game has them.

    Attributes:
        schemas: (game) -> the schema of each table, by name.
        tables: (game, events, states) -> the tables with the columns of their schemas and `game`, the index of each
            row's game. `states` are the (N,) records of the games when they are over.
        statistics: The numbers in the summary of each agent besides prices, money and points.
        lot_begins: The kind of event that begins a lot, an index into `event_kinds`; None: the game has no lots.
        money: The unit of money.
        point_price: Money that counts as one point where prices are compared with points.
        colours: Colours of some sources of points, as `#rrggbb`; reports choose those of the others.
    """

    schemas: Callable[[Any], Mapping[str, TableSchema]]
    tables: Callable[[Any, EventColumns, np.ndarray], Tables]
    statistics: tuple[Statistic, ...] = ()
    lot_begins: int | None = None
    money: str = "money"
    point_price: int = 1
    colours: Mapping[str, str] = field(default_factory=dict)


def seat_and_agent(name: str, meaning: str, nullable: bool = False) -> tuple[Column, Column]:
    """A column of seats, and beside it the agents in them: `seat` and `agent`, or `<name>` and `<name>_agent`."""
    agent = "agent" if name == "seat" else f"{name}_agent"
    return (
        Column(name, "i1", meaning, nullable=nullable),
        Column(agent, "i2", "the agent in that seat", nullable=nullable, agent_of=name),
    )


LOT = Column("lot", "i1", "number of the lot in its game, from 1")
SEAT = seat_and_agent("seat", "the seat, from 0")
