"""The results of a tournament in one SQLite file: a row for each game, and what else is kept of each block.

A block is one transaction, so a process that is killed at any moment leaves whole blocks. A digest of each block finds
damage that SQLite does not notice. The file may be untrusted: it holds numbers and texts, and nothing in it is run.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from w51_agents.agent.interface import AgentError
from w51_agents.system.archives import open_arrays
from w51_agents.system.files import digest_of
from w51_agents.system.json_text import JsonObject, differences, parse_json
from w51_lab.arena.agent_statistics import AgentStatistics, Number
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.database import check_rows, create, open_tables, schema_of
from w51_lab.arena.plan import Block, Plan
from w51_lab.arena.recorded_games import RecordedGame
from w51_lab.arena.surprise import Candidate
from w51_lab.behaviour import Part, check_table, schemas
from w51_lab.behaviour.contract import Table

_TYPES = {"deals": np.int64, "lengths": np.uint16, "seats": np.int16, "scores": np.int16, "ranks": np.int8}
_BY_SEAT = ("seats", "scores", "ranks")
_MAX_BEHAVIOUR, _HEADERS = (
    2**18,
    2**17,
)  #  bytes of the tables: for each game, of which those of this package need a tenth
# What sqlite3, numpy and pydantic raise for a damaged file.
_DAMAGED = (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, OverflowError, OSError)


class BlockFacts(BaseModel):
    """What is kept of a block as JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    block: Block
    seconds: Number
    statistics: list[AgentStatistics]
    replays: list[RecordedGame]
    candidates: list[Candidate]


def open_results(path: Path, plan: Plan, about: str) -> sqlite3.Connection:
    """A connection that writes to the file of a tournament, made if there is none; errors as of `create`.

    `about` is what the file of its specification has, as JSON.
    """
    return create(path, _schema(plan), about)


def write_block(file: sqlite3.Connection, result: BlockResult) -> None:
    """Add a block in one transaction; sqlite3.Error if it cannot be written."""
    names = ("block", "seconds", "statistics", "replays", "candidates")
    facts = BlockFacts(**{name: getattr(result, name) for name in names}).model_dump_json()
    columns = {name: getattr(result, name) for name in _TYPES}
    number, behaviour = result.block.number, _packed(result.behaviour, len(result.deals))
    ids = _first_id(number) + np.arange(len(result.deals))
    rows = np.column_stack([ids, *columns.values()]).tolist()
    with file:
        digest = _digest(columns, behaviour, facts)
        file.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", (number, facts, behaviour, digest))
        file.executemany(f"INSERT OR REPLACE INTO games VALUES ({', '.join('?' * len(rows[0]))})", rows)


def read_blocks(path: Path, plan: Plan, about: JsonObject) -> dict[int, BlockResult]:
    """The blocks in a file, by number; their behaviour tables are read when they are asked for.

    `about` is what the file of its specification has now.

    Raises:
        AgentError: It is damaged, or of another tournament.
    """
    results = {}
    planned = dict(enumerate(plan.blocks))
    games = 0
    with _damage_reported(path), closing(open_tables(path, _schema(plan))) as file:
        check_rows(file)
        _check_about(path, file, about)
        for number, text, behaviour, digest in file.execute("SELECT * FROM blocks ORDER BY number"):
            ids = _first_id(number), _first_id(number + 1) - 1
            rows = file.execute("SELECT * FROM games WHERE id BETWEEN ? AND ? ORDER BY id", ids).fetchall()
            columns: Any = _columns(np.array(rows), plan.game.num_players)
            if digest != _digest(columns, behaviour, text):
                raise ValueError(f"block {number} has another digest")
            facts = BlockFacts.model_validate_json(text)
            if planned.get(number) != facts.block:
                raise AgentError(f"results {path}: of another tournament")
            tables = StoredTables(path, plan, facts.block, len(rows))
            results[number] = BlockResult(**columns, **dict(facts), behaviour=tables)
            _check_planned(plan, results[number])
            games += len(rows)
        if (games,) != file.execute("SELECT count(*) FROM games").fetchone():
            raise ValueError("it has games of blocks that it does not have")
    return results


def _check_about(path: Path, file: sqlite3.Connection, about: JsonObject) -> None:
    """AgentError if the specification was edited after the tournament had begun."""
    ((text,),) = file.execute("SELECT about FROM tournament")
    if edited := differences(parse_json(text), about):
        raise AgentError(f"results {path}: of another tournament, or one that was edited since it began: {edited}")


def _check_planned(plan: Plan, result: BlockResult) -> None:
    """ValueError if a block has other games than the plan has, or facts of other games."""
    block, seated = result.block, plan.seated(result.block)
    deals = np.repeat(np.arange(block.start, block.stop), seated.shape[1])
    recorded = [*result.replays, *(candidate.game for candidate in result.candidates)]
    if (
        not np.array_equal(result.deals, deals)
        or not np.array_equal(result.seats, seated.reshape(-1, seated.shape[2]))
        or len(result.statistics) != len(plan.names)
        or any(one.row >= len(deals) or len(one.controllers) != seated.shape[2] for one in recorded)
        or any(candidate.winner >= len(plan.names) for candidate in result.candidates)
    ):
        raise ValueError(f"block {block.number} has other games than are planned")


class StoredTables(Part):
    """Behaviour tables of a stored block, each read when it is asked for; none if the tournament keeps none."""

    def __init__(self, path: Path, plan: Plan, block: Block, games: int):
        self._path = path
        self._number = block.number
        self._games = games
        self._schema = _schema(plan)
        self._players = plan.game.num_players
        self._agents = len(plan.names)
        self._schemas = schemas(plan.game) if plan.spec.behaviour else {}

    def __getitem__(self, name: str) -> Table:
        columns = [column.name for column in self._schemas[name].columns]
        with _damage_reported(self._path), closing(open_tables(self._path, self._schema)) as file:
            query = "SELECT behaviour FROM blocks WHERE number = ?"
            (content,) = file.execute(query, (self._number,)).fetchone()
            with open_arrays(BytesIO(content), _MAX_BEHAVIOUR * self._games + _HEADERS) as arrays:
                table = {column: arrays[f"{name}/{column}"] for column in columns}
            check_table(self._schemas[name], table, self._games, self._players, self._agents)
            return table

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __len__(self) -> int:
        return len(self._schemas)


def _schema(plan: Plan) -> dict[str, str]:
    return schema_of(plan.game.num_players, len(plan.names))


@contextmanager
def _damage_reported(path: Path) -> Iterator[None]:
    try:
        yield
    except AgentError:
        raise
    except _DAMAGED as error:
        hint = "; if the file is removed, its games are played again"
        raise AgentError(f"results {path}: damaged ({error}){hint}") from None


def _first_id(block: int) -> int:
    """The id of the first game of a block in the table of games."""
    return block << 32


def _packed(behaviour: Part, games: int) -> bytes:
    """Behaviour tables as numpy stores them; empty if there are none."""
    content = BytesIO()
    arrays: Any = {f"{name}/{column}": array for name, table in behaviour.items() for column, array in table.items()}
    if (size := sum(array.nbytes for array in arrays.values())) > _MAX_BEHAVIOUR * games:
        raise AgentError(f"behaviour: {size:,} bytes for {games} games, but {_MAX_BEHAVIOUR:,} a game are allowed")
    if arrays:
        np.savez_compressed(content, **arrays)
    return content.getvalue()


def _columns(games: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """The columns of a block, of the rows of the table."""
    widths = [players if name in _BY_SEAT else 1 for name in _TYPES]
    parts = np.split(games[:, 1:], np.cumsum(widths)[:-1], axis=1)
    typed = {name: part.astype(_TYPES[name]) for name, part in zip(_TYPES, parts, strict=True)}
    return {name: column if name in _BY_SEAT else column[:, 0] for name, column in typed.items()}


def _digest(columns: dict[str, np.ndarray], behaviour: bytes, facts: str) -> str:
    return digest_of({**columns, "behaviour": np.frombuffer(behaviour, np.uint8)}, facts)
