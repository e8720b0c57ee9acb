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


def check_table(name: str, schema: TableSchema, table: Table, games: int, players: int, agents: int) -> None:
    """ValueError unless a table that was read can be one of so many games, seats and agents."""
    if sorted(table) != sorted(column.name for column in schema.columns):
        raise ValueError(f"{name}: columns {', '.join(table)}")
    length = len(table["game"]) if table["game"].ndim else 0
    seats = {column.agent_of for column in schema.columns}
    for column in schema.columns:
        where, values = f"{name}/{column.name}", table[column.name]
        if values.dtype != column.dtype or values.shape != (length,):
            raise ValueError(f"{where}: {values.dtype} of shape {values.shape}, but {column.dtype} is needed")
        stop = {"game": games, "lot": np.inf}.get(column.name)
        if column.agent_of is not None or column.labels is not None:
            stop = agents if column.labels is None else len(column.labels)
        elif column.name in seats:
            stop = players
        start = MISSING if column.nullable else 0
        if stop is not None and length and not start <= values.min() <= values.max() < stop:
            raise ValueError(f"{where}: {values.min()} to {values.max()}, but {start} to {stop} is allowed")
