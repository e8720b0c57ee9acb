"""The tables of docs/behaviour.md: every column of every table of behaviour."""

from pathlib import Path

from arena.behaviour import schemas
from docs import _tables
from w51_env import make_game
from w51_env.core.behaviour import Column, TableSchema

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/behaviour.md"
COMMON = ("seats", "events")
_MOST_WORDS = 8  #  that a cell lists


def pages() -> dict[str, str]:
    """The text of the page, by its path in the repository."""
    found: dict[str, str] = {}
    for game_id in ("warehouse51_v0", "alles_futsch_v0"):
        tables = schemas(make_game(game_id), events=True)
        found.update({name: columns(tables[name]) for name in COMMON})
        found[game_id] = "\n\n".join(
            f"### {name}\n\n{columns(schema)}" for name, schema in tables.items() if name not in COMMON
        )
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), found)}


def columns(schema: TableSchema) -> str:
    """A row for each column."""
    rows = [(f"`{column.name}`", _kind(column), column.meaning) for column in schema.columns]
    return f"A row for {schema.rows}.\n\n{_tables.table(('column', 'holds', 'meaning'), rows)}"


def _kind(column: Column) -> str:
    if column.agent_of is not None:
        kind = "the name of an agent"
    elif column.words is not None:
        kind = "a word" if len(column.words) > _MOST_WORDS else ", ".join(f"`{word}`" for word in column.words)
    else:
        kind = {"b": "true or false", "f": "a number"}.get(column.dtype[0], "a whole number")
    return f"{kind}, or nothing" if column.nullable else kind
