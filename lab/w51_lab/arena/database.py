"""The SQLite file of a tournament: its tables, and how it is opened. It may be a stranger's.

A view, a column that is computed or pages that lead in a circle would let a query never end. So nothing is asked of a
file before its schema is known to be exactly that of `schema_of`, and of its rows before SQLite has followed each page
once and compared each row with the types and ranges of the schema.
"""

import sqlite3
from contextlib import suppress
from pathlib import Path

from w51_env.engine.errors import FileError

RESULTS = "tournament.sqlite"
JOURNAL = f"{RESULTS}-journal"
FILES = (RESULTS, JOURNAL, f"{RESULTS}-wal", f"{RESULTS}-shm")  #  of SQLite, while blocks are written
_END_OF_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
_SCHEMA_STEPS, _SCHEMA_BYTES = 100_000, 100_000  # of SQLite's machine, and of a text, to read a schema
_ROW_BYTES = 1_000_000_000  # as SQLite has it
_OF_LOCKS = ("SQLITE_BUSY", "SQLITE_PROTOCOL", "SQLITE_IOERR_LOCK", "SQLITE_IOERR_RDLOCK")


def schema_of(players: int, agents: int) -> dict[str, str]:
    """The tables of a tournament with so many seats and agents: the statement that makes each, by its name."""
    ranges = {"agent": (0, agents - 1), "score": (-(2**15), 2**15 - 1), "rank": (1, players)}
    columns = ["id INTEGER PRIMARY KEY", "deal INTEGER NOT NULL", _integer("length", 0, 2**16 - 1)]
    columns += [_integer(f"{name}_{seat}", *ranges[name]) for name in ranges for seat in range(players)]
    block = "number INTEGER PRIMARY KEY, facts TEXT NOT NULL, behaviour BLOB NOT NULL, digest TEXT NOT NULL"
    tables = {"tournament": "about TEXT NOT NULL", "blocks": block, "games": ", ".join(columns)}
    return {name: f"CREATE TABLE {name} ({inner}) STRICT" for name, inner in tables.items()}


def _integer(name: str, low: int, high: int) -> str:
    return f"{name} INTEGER NOT NULL CHECK ({name} BETWEEN {low} AND {high})"


def create(path: Path, schema: dict[str, str], about: str) -> sqlite3.Connection:
    """A connection that writes to the file, made with a text about the tournament if there is none.

    It writes ahead (WAL): a block costs no wait for the disk, and a loss of power at most the last blocks. In folders
    that cannot be mapped as memory that processes share, as those of some networks, it writes a journal instead.

    Raises:
        sqlite3.Error: It cannot be written.
        ValueError: It has another schema.
    """
    file = _connection(path, "rwc")
    try:
        (mode,) = file.execute("PRAGMA journal_mode = WAL").fetchone()
        is_new = not file.execute("SELECT 1 FROM sqlite_schema").fetchall()  # maps the memory
    except sqlite3.OperationalError:
        file.close()
        mode, file = "delete", _without_memory(path, "rwc")
        is_new = not file.execute("SELECT 1 FROM sqlite_schema").fetchall()
    if mode == "wal":
        file.execute("PRAGMA synchronous = NORMAL")
    if is_new:
        with file:
            file.execute("BEGIN")
            for statement in schema.values():
                file.execute(statement)
            file.execute("INSERT INTO tournament VALUES (?)", (about,))
    _check_schema(file, schema)
    return file


def open_tables(path: Path, schema: dict[str, str]) -> sqlite3.Connection:
    """A connection to a file that may be a stranger's; sqlite3.Error, or ValueError if it has another schema."""
    file = _connection(path)
    try:
        _check_schema(file, schema)
    except sqlite3.OperationalError:
        file.close()
        file = _without_memory(path)
        _check_schema(file, schema)
    return file


def check_rows(file: sqlite3.Connection) -> None:
    """ValueError if the pages or rows of a file are not as its schema says; each is read once."""
    (found,) = file.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise ValueError(found)


def close(file: sqlite3.Connection) -> None:
    """Close the connection; the file then stands alone."""
    with suppress(sqlite3.Error):  # the disk is full, or someone else reads
        file.execute("PRAGMA journal_mode = DELETE")
    file.close()


def reason_of(error: sqlite3.Error) -> str:
    """What SQLite says of an error, and what helps if there are no locks."""
    helps = "; if the file system has no locks, name a folder on another one, as on a local disk"
    return f"{error}{helps * (getattr(error, 'sqlite_errorname', '') in _OF_LOCKS)}"


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
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _SCHEMA_BYTES)  # until its schema is known
    file.set_progress_handler(lambda: 1, _SCHEMA_STEPS)
    return file


def _without_memory(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """A connection that needs no shared memory: while it has the file alone, it reads what was written ahead."""
    file = _connection(path, mode)
    try:
        file.execute("PRAGMA locking_mode = EXCLUSIVE")
        file.execute("PRAGMA journal_mode = DELETE")
        file.execute("PRAGMA locking_mode = NORMAL")
        file.execute("PRAGMA user_version").fetchall()  # frees the lock
        path.with_name(f"{path.name}-shm").unlink(missing_ok=True)  # of the attempt to map it
    except sqlite3.Error:
        file.close()
        raise
    return file


def _check_schema(file: sqlite3.Connection, schema: dict[str, str]) -> None:
    """ValueError unless a file has exactly these tables; from then on it is read without limits."""
    found = file.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    if others := {name for _, name, _ in found}.symmetric_difference(schema):
        raise ValueError(f"tables {', '.join(schema)} are needed, and no others; missing or other: {min(others)!a:.80}")
    for name, statement in schema.items():
        if ("table", name, statement) not in found:
            raise ValueError(f"{name}: no table with the columns and types that this package writes")
    file.set_progress_handler(None, 0)
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _ROW_BYTES)
