"""The tables of docs/behaviour.md: every column and every statistic of the behaviour tables."""

from pathlib import Path

from docs import _tables
from w51_env import make_game
from w51_lab.behaviour import schemas
from w51_lab.behaviour.contract import Column, Statistic, TableSchema, behaviour_of
from w51_lab.behaviour.recorder import KEYS

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/behaviour.md"
COMMON = ("seats", "events")
_MAX_WORDS = 8  # in a cell
_KINDS = {"b": "`bool`", "f": "`float`", "i": "`int`", "u": "`int`"}


def pages() -> dict[str, str]:
    """The text of the page, by its path in the repository."""
    filled = {"keys": _columns(KEYS)}
    for game_id in ("warehouse51_v1", "alles_futsch_v1", "auctions_v0"):
        game = make_game(game_id)
        tables = schemas(game, events=True)
        filled.update({name: described(tables[name]) for name in COMMON})
        parts = [f"### {name}\n\n{described(schema)}" for name, schema in tables.items() if name not in COMMON]
        if (behaviour := behaviour_of(game)) is not None:
            parts.append(f"### Statistics\n\n{statistics(behaviour.statistics)}")
        filled[game_id] = "\n\n".join(parts)
    return {PAGE: _tables.fill((ROOT / PAGE).read_text("utf-8"), filled)}


def described(schema: TableSchema) -> str:
    """What a row of a table is, and a row for each of its own columns."""
    return f"A row for {schema.rows}.\n\n{_columns(schema.columns[len(KEYS) :])}"


def statistics(entries: tuple[Statistic, ...]) -> str:
    """A row for each statistic of the summary and the report."""
    rows = [(f"`{entry.group}.{entry.name}`", f"`{entry.table}`", entry.meaning) for entry in entries]
    table = _tables.table(("key", "from table", "meaning"), rows)
    return f"Numbers of each agent, in `summary.json` below `statistics`.\n\n{table}"


def _columns(columns: tuple[Column, ...]) -> str:
    rows = [(f"`{column.name}`", _kind(column), column.meaning) for column in columns]
    return _tables.table(("column", "type", "meaning"), rows)


def _kind(column: Column) -> str:
    if column.agent_of is not None:
        kind = "name of an agent"
    elif column.labels is not None:
        few = len(column.labels) <= _MAX_WORDS
        kind = ", ".join(f"`{word}`" for word in column.labels) if few else "`str`"
    else:
        kind = _KINDS[column.dtype[0]] + (f", {column.unit}" if column.unit else "")
    return f"{kind} or null" if column.nullable else kind
