"""Behaviour tables in parts, one for each match or block. They are read one part at a time, so that a tournament of any
length needs the memory of one block.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from w51_env.agents.agent import AgentError
from w51_env.core.behaviour import Table

Part = Mapping[str, Table]  #  the tables of one batch, by name
Parts = Sequence[Part]


def table_names(parts: Parts) -> list[str]:
    """The names of the tables; AgentError for no parts, or parts with different tables."""
    if not parts:
        raise AgentError("behaviour: no tables, but at least one part is needed")
    found = {tuple(part) for part in parts}
    if len(found) > 1:
        names = " and ".join(sorted(", ".join(each) for each in found))
        raise AgentError(f"behaviour: parts with the tables {names}; all parts must have the same tables")
    return list(found.pop())


def first_games(parts: Parts) -> list[int]:
    """The number of games before each part."""
    games = [int(part["seats"]["game"].max(initial=-1)) + 1 for part in parts]
    return [0, *np.cumsum(games).tolist()[:-1]]


def chunks(parts: Parts, first: Sequence[int], name: str, rows: int) -> Iterator[Table]:
    """One table of all parts, in chunks of whole parts; `game` counts on from part to part.

    Args:
        parts: The parts, in order.
        first: `first_games(parts)`.
        name: Name of the table.
        rows: A chunk ends when it has so many rows.
    """
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
