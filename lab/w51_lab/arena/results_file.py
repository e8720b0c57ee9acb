"""The results of a tournament in one SQLite file: a row for each game, and what else is kept of each block.

A block is one transaction, so a process that is killed at any moment leaves whole blocks. A digest of each block finds
damage that SQLite does not notice. The file may be untrusted: it holds numbers and texts, and nothing in it is run.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from w51_agents.agent.interface import AgentError
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
JOURNAL = f"{RESULTS}-journal"
FILES = (RESULTS, JOURNAL, f"{RESULTS}-wal", f"{RESULTS}-shm")  #  of SQLite, while blocks are written
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


def open_results(path: Path, players: int) -> sqlite3.Connection:
    """A connection that writes to the file of a tournament of so many seats, made if there is none; sqlite3.Error.

    It writes ahead (WAL): a block costs no wait for the disk, and a loss of power at most the last blocks.
    """
    file = _connection(path, "rwc")
    file.execute("PRAGMA journal_mode = WAL")
    file.execute("PRAGMA synchronous = NORMAL")
    facts = "number INTEGER PRIMARY KEY, facts TEXT, behaviour BLOB, digest TEXT"
    file.execute(f"CREATE TABLE IF NOT EXISTS blocks ({facts})")
    seats = [f"{name}_{seat} INTEGER" for name in ("agent", "score", "rank") for seat in range(players)]
    columns = ", ".join(["id INTEGER PRIMARY KEY", "deal INTEGER", "length INTEGER", *seats])
    file.execute(f"CREATE TABLE IF NOT EXISTS games ({columns})")
    return file


def close_results(file: sqlite3.Connection) -> None:
    """Close the connection; the file then stands alone."""
    with suppress(sqlite3.Error):  # the disk is full, or someone else reads
        file.execute("PRAGMA journal_mode = DELETE")
    file.close()


def write_block(file: sqlite3.Connection, result: BlockResult) -> None:
    """Add a block in one transaction; sqlite3.Error if it cannot be written."""
    names = ("block", "seconds", "statistics", "replays", "candidates")
    facts = BlockFacts(**{name: getattr(result, name) for name in names}).model_dump_json()
    columns = {name: getattr(result, name) for name in _TYPES}
    behaviour, number = _packed(result.behaviour), result.block.number
    ids = _first_id(number) + np.arange(len(result.deals))
    rows = np.column_stack([ids, *columns.values()]).tolist()
    with file:
        digest = _digest(columns, behaviour, facts)
        file.execute("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?)", (number, facts, behaviour, digest))
        file.executemany(f"INSERT OR REPLACE INTO games VALUES ({', '.join('?' * len(rows[0]))})", rows)


def read_blocks(path: Path, plan: Plan) -> dict[int, BlockResult]:
    """The blocks in a file, by number; their behaviour tables are read when they are asked for.

    Raises:
        AgentError: It is damaged, or of another tournament.
    """
    results, planned = {}, dict(enumerate(plan.blocks))
    with _damage_reported(path), closing(_connection(path)) as file:
        for number, text, behaviour, digest in file.execute("SELECT * FROM blocks ORDER BY number"):
            ids = _first_id(number), _first_id(number + 1) - 1
            rows = file.execute("SELECT * FROM games WHERE id BETWEEN ? AND ? ORDER BY id", ids).fetchall()
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
        with _damage_reported(self._path), closing(_connection(self._path)) as file:
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


def _connection(path: Path, mode: str = "rw") -> sqlite3.Connection:
    file = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, check_same_thread=False)
    file.execute("PRAGMA trusted_schema = OFF")  # its views and triggers call nothing with side effects
    return file


@contextmanager
def _damage_reported(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        hint = "; if the file is removed, its games are played again"
        raise AgentError(f"results {path}: damaged ({error}){hint}") from None


def _first_id(block: int) -> int:
    """The id of the first game of a block in the table of games."""
    return block << 32


def _packed(behaviour: Part) -> bytes:
    """Behaviour tables as numpy stores them; empty if there are none."""
    content = BytesIO()
    arrays: Any = {f"{name}/{column}": array for name, table in behaviour.items() for column, array in table.items()}
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
