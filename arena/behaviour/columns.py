"""Tables of behaviour: what their columns are, and how tables of several matches become one.

A table is a dict of numpy columns of equal length, by name; tables are a dict of those. Words are kept as numbers, which the column's `words`
explain, so that a column of a million rows stays small.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.agent import AgentError

Table = dict[str, np.ndarray]
Tables = dict[str, Table]

NONE = -1  # in a column that may be empty


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: Its name.
        dtype: Of numpy.
        meaning: In a sentence.
        words: What 0, 1, 2, ... stand for; None: the numbers are numbers.
        empty: Whether it may be NONE, which is written as a missing value.
        agent_of: The name of a column of seats: this one is the agent that sits there, as an index into the match's agents.
    """

    name: str
    dtype: str
    meaning: str
    words: tuple[str, ...] | None = None
    empty: bool = False
    agent_of: str | None = None


@dataclass(frozen=True)
class Layout:
    """What a table holds: a row for each ..., and its columns."""

    rows: str
    columns: tuple[Column, ...]


KEYS = (
    Column("deal", "i8", "which deal of the deal set: one shuffle, played in several seatings; the independent draw"),
    Column("lineup", "i4", "which line-up of the tournament"),
    Column("game", "i4", "which game of these tables, from 0"),
)

# Columns that tables of both games have.
LOT = Column("lot", "i1", "number of the lot in its game, from 1")
SEAT = Column("seat", "i1", "the seat")
AGENT = Column("agent", "i2", "who sat there", agent_of="seat")
BUYER = (
    Column("seat", "i1", "the buyer; none if unsold", empty=True),
    Column("agent", "i2", "who sat there", empty=True, agent_of="seat"),
)

SEATS = Layout(
    "each seat of each game",
    (
        *KEYS,
        Column("seat", "i1", "the seat, from 0"),
        AGENT,
        Column("score", "i2", "its final score"),
        Column("rank", "i1", "its rank from 1; equal ranks stay equal"),
        Column("wins", "f4", "1 for a sole winner, 1 / k for each of k tied winners, else 0"),
        Column("decisions", "u2", "decisions of all seats in this game"),
    ),
)


def events_layout(kinds: Sequence[str]) -> Layout:
    """The table of all events, which every game has."""
    return Layout(
        "each event of each game, in order",
        (
            *KEYS,
            Column(
                "kind",
                "i1",
                "what happened; the page of the game lists the kinds and what a, b, c are in each",
                tuple(kinds),
            ),
            Column("seat", "i1", "whose doing it was", empty=True),
            Column("agent", "i2", "who sat there", empty=True, agent_of="seat"),
            Column("a", "i2", "first field of the event"),
            Column("b", "i2", "second field"),
            Column("c", "i2", "third field"),
            Column("forced", "b1", "whether it was the only legal action"),
        ),
    )


def complete(layout: Layout, table: Table, keys: Table, agents: np.ndarray) -> Table:
    """The table with its keys and agents, all columns in the order and the types of the layout.

    Args:
        layout: Of the table.
        table: The columns that are its own, and `game`.
        keys: `deal` and `lineup` of each game.
        agents: (games, seats), who sat where.
    """
    game = table["game"]
    whole: Table = {}
    for column in layout.columns:
        if column.name in keys:
            values = keys[column.name][game]
        elif column.agent_of is not None:
            seat = table[column.agent_of]
            values = np.where(seat >= 0, agents[game, seat], NONE)
        else:
            values = table[column.name]
        whole[column.name] = np.ascontiguousarray(values, column.dtype)
    return whole


def concatenate(parts: Sequence[Tables]) -> Tables:
    """The tables of several matches of one game as one; `game` goes on from part to part.

    Raises:
        AgentError: No parts, or parts that have not the same tables.
    """
    if not parts:
        raise AgentError("behaviour: no tables to put together")
    if any(part.keys() != parts[0].keys() for part in parts):
        raise AgentError(
            f"behaviour: tables {' and '.join(sorted({', '.join(part) for part in parts}))} can't be put together"
        )
    games = [int(part["seats"]["game"].max(initial=-1)) + 1 for part in parts]
    first = np.cumsum([0, *games[:-1]])
    joined: Tables = {}
    for name, table in parts[0].items():
        joined[name] = {column: np.concatenate([part[name][column] for part in parts]) for column in table}
        joined[name]["game"] += np.repeat(first, [len(part[name]["game"]) for part in parts]).astype(
            joined[name]["game"].dtype
        )
    return joined
