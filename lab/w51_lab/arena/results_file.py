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

from w51_agents.agent import AgentError
from w51_agents.system.files import digest_of
from w51_env.engine.errors import FileError
from w51_lab.arena.blocks import BlockResult
from w51_lab.arena.plan import Block, Plan
from w51_lab.arena.recorded_games import RecordedGame
from w51_lab.arena.supervisor import AgentStatistics, Number
from w51_lab.arena.surprise import Candidate
from w51_lab.behaviour import Part, schemas
from w51_lab.behaviour.contract import Table

RESULTS = "tournament.sqlite"
JOURNAL = f"{RESULTS}-journal"  #  of SQLite, while a block is written
_TYPES = {"deals": np.int64, "lengths": np.uint16, "seats": np.int16, "scores": np.int16, "ranks": np.int8}
_BY_SEAT = ("seats", "scores", "ranks")
_END_OF_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
# What sqlite3, numpy, zipfile and pydantic raise for a damaged file.
_DAMAGED = (sqlite3.Error, ValueError, TypeError, LookupError, AttributeError, OverflowError, OSError)


class BlockFacts(BaseModel):
    """What is kept of a block as JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    block: Block
    seconds: Number
    statistics: list[AgentStatistics]
    replays: list[RecordedGame]
    candidates: list[Candidate]


def make_results(path: Path, players: int) -> None:
    """Make the file of a new tournament of so many seats; sqlite3.Error if it cannot be made."""
    columns = [f"{name}_{seat}" for name in ("agent", "score", "rank") for seat in range(players)]
    keys = "block INTEGER, row INTEGER, deal INTEGER, length INTEGER"
    with _opened(path, "rwc") as file:
        file.execute("CREATE TABLE blocks (number INTEGER PRIMARY KEY, facts TEXT, behaviour BLOB, digest TEXT)")
        columns_of_seats = ", ".join(f"{column} INTEGER" for column in columns)
        file.execute(f"CREATE TABLE games ({keys}, {columns_of_seats}, PRIMARY KEY (block, row)) WITHOUT ROWID")


def write_block(path: Path, result: BlockResult) -> None:
    """Add a block in one transaction; sqlite3.Error if it cannot be written."""
    names = ("block", "seconds", "statistics", "replays", "candidates")
    facts = BlockFacts(**{name: getattr(result, name) for name in names}).model_dump_json()
    columns = {name: getattr(result, name) for name in _TYPES}
    behaviour, number = _packed(result.behaviour), result.block.number
    games = np.column_stack([columns[name] for name in _TYPES]).tolist()
    rows = [(number, row, *values) for row, values in enumerate(games)]
    with _opened(path) as file:
        digest = _digest(columns, behaviour, facts)
        file.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", (number, facts, behaviour, digest))
        file.executemany(f"INSERT OR REPLACE INTO games VALUES ({', '.join('?' * len(rows[0]))})", rows)


def read_blocks(path: Path, plan: Plan) -> dict[int, BlockResult]:
    """The blocks in a file, by number; their behaviour tables are read when they are asked for.

    Raises:
        AgentError: It is damaged, or of another tournament.
    """
    results, planned = {}, dict(enumerate(plan.blocks))
    with _damage_reported(path), _opened(path) as file:
        for number, text, behaviour, digest in file.execute("SELECT * FROM blocks ORDER BY number"):
            rows = file.execute("SELECT * FROM games WHERE block = ? ORDER BY row", (number,)).fetchall()
            columns: Any = _columns(np.array(rows), plan.game.num_players)
            if digest != _digest(columns, behaviour, text):
                raise ValueError(f"block {number} has another digest")
            facts = BlockFacts.model_validate_json(text)
            if planned.get(number) != facts.block:
                raise AgentError(f"results {path}: of another tournament")
            tables = StoredTables(path, plan, facts.block)
            results[number] = BlockResult(**columns, **dict(facts), behaviour=tables)
    return results


class StoredTables(Part):
    """Behaviour tables of a stored block, each read when it is asked for; none if the tournament keeps none.

    Args:
        path: The file of the results.
        plan: The tournament.
        block: The block.
    """

    def __init__(self, path: Path, plan: Plan, block: Block):
        self._path, self._number = path, block.number
        self._schemas = schemas(plan.game) if plan.spec.behaviour else {}

    def __getitem__(self, name: str) -> Table:
        columns = [column.name for column in self._schemas[name].columns]
        with _damage_reported(self._path), _opened(self._path) as file:
            query = "SELECT behaviour FROM blocks WHERE number = ?"
            (content,) = file.execute(query, (self._number,)).fetchone()
            with np.load(BytesIO(content), allow_pickle=False) as arrays:
                return {column: arrays[f"{name}/{column}"] for column in columns}

    def __iter__(self) -> Iterator[str]:
        return iter(self._schemas)

    def __len__(self) -> int:
        return len(self._schemas)


def check_journal(folder: Path) -> None:
    """FileError if the journal in an untrusted folder names another one: SQLite would delete what it names."""
    path = folder / JOURNAL
    if path.exists():
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - len(_END_OF_SUPER_JOURNAL)))
            if file.read() == _END_OF_SUPER_JOURNAL:
                raise FileError(f"tournament {path}: names a file elsewhere, as no journal of this package does")


@contextmanager
def _opened(path: Path, mode: str = "rw") -> Iterator[sqlite3.Connection]:
    """A connection to the file, as one transaction."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)) as file, file:
        file.execute("PRAGMA trusted_schema = OFF")  # its views and triggers call nothing with side effects
        yield file


@contextmanager
def _damage_reported(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        hint = "; if the file is removed, its games are played again"
        raise AgentError(f"results {path}: damaged ({error}){hint}") from None


def _packed(behaviour: Part) -> bytes:
    """Behaviour tables as numpy stores them; empty if there are none."""
    content = BytesIO()
    arrays = {f"{name}/{column}": array for name, table in behaviour.items() for column, array in table.items()}
    if arrays:
        np.savez_compressed(content, allow_pickle=False, **arrays)
    return content.getvalue()


def _columns(games: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """The columns of a block, of the rows of the table."""
    widths = [players if name in _BY_SEAT else 1 for name in _TYPES]
    parts = np.split(games[:, 2:], np.cumsum(widths)[:-1], axis=1)
    typed = {name: part.astype(_TYPES[name]) for name, part in zip(_TYPES, parts, strict=True)}
    return {name: column if name in _BY_SEAT else column[:, 0] for name, column in typed.items()}


def _digest(columns: dict[str, np.ndarray], behaviour: bytes, facts: str) -> str:
    return digest_of({**columns, "behaviour": np.frombuffer(behaviour, np.uint8)}, facts)
