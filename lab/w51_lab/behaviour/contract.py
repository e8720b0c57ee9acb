"""Behaviour tables: what agents did in games, as columns, and statistics. A game offers its own in its presentation.

A table is a dict of numpy columns of equal length, by name. Strings are stored as integers: indices into the column's
`labels`, so that a column of a million rows stays small. Missing values are `MISSING`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from w51_env.engine.game import Game
from w51_env.engine.imports import import_object

Table = dict[str, np.ndarray]
Tables = dict[str, Table]

MISSING = -1
Flow = tuple[np.ndarray, np.ndarray, np.ndarray]  # (events, seats, amounts): money that seats get at events


class EventColumns:
    """Events column by column, sorted by game and then in order. The game's event that begins a lot counts the lots.

    Args:
        parts: (M, 7) int32 arrays from `Batch.event_rows`, one for each call of the batch.
        num_games: Number of games.
        lot_begins: The event type that begins a lot; None: there are no lots.

    Attributes:
        game, kind, seat, a, b, c, forced: (M,) int32.
        lot: (M,) int64, number of the current lot in its game, from 1; 0 before the first.
        lot_row: (M,) int64, index of the current lot among the lots of all games; not to be used where `lot` is 0.
        lots: (num_games,) int64, number of lots of each game.
    """

    def __init__(self, parts: Sequence[np.ndarray], num_games: int, lot_begins: int | None = None):
        rows = np.concatenate(parts) if len(parts) != 1 else parts[0]
        if len(parts) > 1:
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
        self.game, self.kind, self.seat, self.a, self.b, self.c, self.forced = np.ascontiguousarray(rows.T)
        self.num_games = num_games
        begun = self.kind == (-1 if lot_begins is None else lot_begins)
        self.lots = np.bincount(self.game[begun], minlength=num_games)
        count = np.cumsum(begun)
        self.lot_row = count - 1
        self.lot = count - (np.cumsum(self.lots) - self.lots)[self.game]

    def where(self, *kinds: int) -> np.ndarray:
        """Indices of the events of these kinds, in order."""
        matches = self.kind == kinds[0]
        for kind in kinds[1:]:
            matches |= self.kind == kind
        return np.flatnonzero(matches)

    def of_lots(self, at: np.ndarray, values: np.ndarray, missing: int) -> np.ndarray:
        """(lots,) int64: the value at the event of each lot, `missing` for a lot without one.

        Args:
            at: Indices of events, one for a lot at most.
            values: (len(at),) their values.
            missing: The value of the other lots.
        """
        by_lot = np.full(int(self.lots.sum()), missing)
        by_lot[self.lot_row[at]] = values
        return by_lot


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
    """A number for each agent, over the rows of one table whose `agent` it is: a count per game, a fraction or a mean.

    Attributes:
        group, name: Where the number is in the summary of an agent: `agent.statistics[group][name]`. Reports show
            `name` without underscores.
        meaning: What is counted or averaged, as a text.
        table: Name of the table whose rows are counted.
        counted: (table) -> (rows,) bool, the rows that count. None: all.
        among: (table) -> (rows,) bool. The number is the fraction of these rows that count. None: it is the count per
            game.
        values: (table) -> (rows,) numbers. The number is their mean over the rows that count, and `among` is None.
        panel: Title of the panel of a report's figure that draws it, as a part of the whole; "" if none draws it.
    """

    group: str
    name: str
    meaning: str
    table: str
    counted: Callable[[Table], np.ndarray] | None = None
    among: Callable[[Table], np.ndarray] | None = None
    values: Callable[[Table], np.ndarray] | None = None
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
        lot_begins: The event type that begins a lot, an index into `event_types`; None: the game has no lots.
        money: The unit of money.
        point_price: Money that counts as one point where prices are compared with points.
        colours: Colours of some sources of points, as `#rrggbb`; reports choose those of the others.
        card: The columns of `lots` that describe the card: lots that are equal in them are the same lot in two games.
            Empty: lots of the same number are.
    """

    schemas: Callable[[Any], Mapping[str, TableSchema]]
    tables: Callable[[Any, EventColumns, np.ndarray], Tables]
    statistics: tuple[Statistic, ...] = ()
    lot_begins: int | None = None
    money: str = "money"
    point_price: float = 1
    colours: Mapping[str, str] = field(default_factory=dict)
    card: tuple[str, ...] = ()


def seat_and_agent(name: str, meaning: str, nullable: bool = False) -> tuple[Column, Column]:
    """A column of seats, and beside it the agents in them: `seat` and `agent`, or `<name>` and `<name>_agent`."""
    agent = "agent" if name == "seat" else f"{name}_agent"
    return (
        Column(name, "i1", meaning, nullable=nullable),
        Column(agent, "i2", "the agent in that seat", nullable=nullable, agent_of=name),
    )


LOT = Column("lot", "i1", "number of the lot in its game, from 1")
SEAT = seat_and_agent("seat", "the seat, from 0")


def points_table(points: np.ndarray) -> dict[str, np.ndarray]:
    """The table of points: columns `game`, `seat`, `source`, `points`, from (games, seats, sources) integers."""
    game, seat, source = np.indices(points.shape).reshape(3, -1)
    return {"game": game, "seat": seat, "source": source, "points": points.reshape(-1)}


def behaviour_of(game: Game) -> Behaviour | None:
    """The behaviour tables of a game, imported at first use; None if it has none."""
    named = game.presentation.behaviour
    found: Behaviour | None = import_object(named) if isinstance(named, str) else named
    return found
