"""Behaviour tables in parts, one for each match or block. They are read one part at a time, so that a tournament of any
length needs the memory of one block.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from w51_lab.behaviour.contract import MISSING, Table, TableSchema

Part = Mapping[str, Table]  #  the tables of one batch, by name
Parts = Sequence[Part]


def first_games(parts: Parts) -> list[int]:
    """The number of games before each part."""
    games = [int(part["seats"]["game"].max(initial=-1)) + 1 for part in parts]
    return [0, *np.cumsum(games).tolist()[:-1]]


def chunks(parts: Parts, first: Sequence[int], name: str, rows: int) -> Iterator[Table]:
    """One table of all parts, in chunks of whole parts of so many rows; `game` counts on: `first` is `first_games`."""
    waiting: list[Table] = []
    count = 0
    for number, (part, before) in enumerate(zip(parts, first, strict=True), 1):
        table = dict(part[name])
        table["game"] = (table["game"] + before).astype(table["game"].dtype)
        waiting.append(table)
        count += len(table["game"])
        if count >= rows or number == len(parts):
            yield {column: np.concatenate([each[column] for each in waiting]) for column in table}
            waiting, count = [], 0


def check_table(schema: TableSchema, table: Table, games: int, players: int, agents: int) -> None:
    """ValueError unless a table has the dtypes of its schema, columns of one length, and games, seats, agents and
    labels that there are.

    Args:
        schema: What it must have.
        table: A table with the columns of the schema, which may be a stranger's.
        games: Number of games.
        players: Number of seats.
        agents: Number of agents.
    """
    seats = {"seat", *(column.agent_of for column in schema.columns)}
    for column in schema.columns:
        values = table[column.name]
        if values.dtype != column.dtype or values.shape != (len(table["game"]),):
            raise ValueError(f"{column.name}: {values.dtype} {values.shape} does not fit the table")
        count = len(column.labels) if column.labels is not None else {"game": games}.get(column.name)
        count = agents if column.agent_of else players if column.name in seats else count
        low = MISSING if column.nullable else 0
        if count is not None and len(values) and not low <= values.min() <= values.max() < count:
            raise ValueError(f"{column.name}: values must be from {low} to {count - 1}")
