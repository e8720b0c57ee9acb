"""The file of a table: one line for each decision, appended whole. An unfinished last line is dropped when it is read.

The first line holds the set-up and the secrets of the seats, so only the owner of the file may read it. Between the
decisions, objects change what the owner of the table keeps with it, and a number takes back so many decisions.
"""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypedDict

from w51_agents.agent.interface import AgentError
from w51_agents.named.files import FileDigest, check_files, file_data, files_of
from w51_agents.system.errors import report_os_errors
from w51_agents.system.files import open_file, read_open
from w51_agents.system.locks import lock
from w51_env.engine.errors import ReplayError
from w51_env.engine.game import EXTERNAL
from w51_env.engine.registry import current_id
from w51_lab.replays.digests import options_digest, tables_digest
from w51_lab.replays.replay import MAX_BYTES, Digests, Final, Move, Replay
from w51_lab.replays.replay_file import check_items, check_object, parse_move, read_json
from w51_table.play.table import PERSON, Setup, Table, TableError, play_moves

SUFFIX = ".table"
SCHEMA = 1
_HEADER = {
    "schema": int,
    "game": str,
    "options": dict,
    "digests": dict,
    "seed": int,
    "seats": list,
    "names": list,
    "extra": dict,
}
_OPTIONAL = {"files": dict}


class Kept(TypedDict, total=False):
    """What the file of a web table keeps beside the game."""

    pace: float | None
    clock: int | None
    typed_seed: bool  #             somebody chose the seed
    labels: dict[str, str]  #       what the page calls agents
    tokens: list[str]  #            the secret of each seat, empty for agents
    invitation: str  #              the secret with which others choose a seat
    taken: list[int]  #             seats to which somebody has come
    next: str  #                    the table of a rematch


class GameLog:
    """The open file of a table, locked against a second process.

    Attributes:
        path: The file.
        extra: What the owner of the table keeps with it.
    """

    def __init__(self, path: Path, descriptor: int, extra: Kept):
        self.path = path
        self.extra = extra
        self._descriptor = descriptor

    @classmethod
    def create(cls, path: Path, table: Table, extra: Kept | None = None) -> "GameLog":
        """Write the file of a new table, with the decisions it has.

        Raises:
            TableError: There is such a file, or it cannot be written.
        """
        setup, kept = table.setup, Kept() if extra is None else extra.copy()
        header = {
            "schema": SCHEMA,
            "game": setup.game,
            "options": dict(table.game.options),
            "digests": Digests(options_digest(table.game.options), tables_digest(table.game))._asdict(),
            "seed": setup.seed,
            "seats": setup.seats,
            "names": setup.names,
            "files": file_data(_files(table)),
            "extra": kept,
        }
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        with report_os_errors(f"table {path}: cannot be written"):
            temporary.unlink(missing_ok=True)  # of a process of this number that was killed
            descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            try:
                lock(descriptor)
                _write_all(descriptor, _lines([header, *map(str, table.moves())]))
                os.fsync(descriptor)
                os.link(temporary, path)  # fails if the file exists
            except BaseException:
                os.close(descriptor)
                raise
            finally:
                temporary.unlink(missing_ok=True)
        return cls(path, descriptor, kept)

    @classmethod
    def open(cls, path: Path, check: Callable[[Setup], None] = lambda setup: None) -> tuple["GameLog", Table]:
        """Continue the table of a file.

        Args:
            path: The file; a link is not followed, because what is written to it would change a file elsewhere.
            check: Raises an error for a set-up that is not allowed, before anything that it names is made.

        Raises:
            TableError: The file cannot be read, is no table, is damaged, is of another game or version, is open in
                another process, or the file of an agent has changed, in a game that is not over.
        """
        try:
            descriptor = open_file(path, os.O_RDWR | os.O_APPEND, follow_links=False)
        except OSError as error:
            raise TableError(f"table {path}: cannot be read: {error.strerror or error}") from None
        try:
            table, extra = _continue(descriptor, check)
        except (TableError, ReplayError, UnicodeDecodeError) as error:
            os.close(descriptor)
            raise TableError(f"table {path}: {error}") from None
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, extra), table

    def play(self, table: Table, action: int) -> None:
        """Write a decision of the seat to move, then play it.

        Raises:
            TableError: It cannot be written. The file and the table are as they were.
        """
        seat = table.seat
        assert seat is not None
        self._append([str(Move(seat, table.game.actions[action].name))])
        table.play(action)

    def undo(self, table: Table, decisions: int) -> None:
        """Write that the last decisions are taken back, then take them back; TableError as of `play`."""
        self._append([decisions])
        table.undo(decisions)

    def change(self, extra: Kept) -> None:
        """Change some of the extra data.

        Raises:
            TableError: They cannot be written. Nothing has changed.
        """
        self._append([extra])
        self.extra.update(extra)

    def _append(self, items: Iterable[Any]) -> None:
        size = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, _lines(items))
        except OSError as error:
            os.ftruncate(self._descriptor, size)
            raise TableError(f"table {self.path}: cannot be written: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the file, so that another process may open it."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def replay_path(path: Path) -> Path:
    """The file of the replay of a finished table, from the file of the table."""
    return path.with_suffix(".json")


def _lines(items: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(item, ensure_ascii=False).encode() + b"\n" for item in items)


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _continue(descriptor: int, check: Callable[[Setup], None]) -> tuple[Table, Kept]:
    """Lock an open file and read it; an unfinished last line is cut off."""
    try:
        lock(descriptor)
    except (BlockingIOError, PermissionError):
        raise TableError("is open in another process") from None
    except OSError as error:
        raise TableError(f"cannot be opened: {error.strerror}") from None
    try:
        content = read_open(descriptor, MAX_BYTES)
    except (OSError, ValueError) as error:
        raise TableError(f"cannot be read: {error}") from None
    whole = content[: content.rfind(b"\n") + 1]
    table, extra = _read(whole, check)
    if len(whole) < len(content):
        os.ftruncate(descriptor, len(whole))
    return table, extra


def _read(content: bytes, check: Callable[[Setup], None]) -> tuple[Table, Kept]:
    """The table and the extra data of a file's whole lines; TableError or ReplayError says what is wrong."""
    lines = content.decode().split("\n")[:-1]  # not splitlines: a name may hold other separators
    if not lines:
        raise TableError("is empty or not a table")
    header = read_json(lines[0])
    check_object("", header, _HEADER, _OPTIONAL)
    if header["schema"] != SCHEMA:
        raise TableError(f"schema: {header['schema']}, but this version reads {SCHEMA}")
    for key in ("seats", "names"):
        check_items(key, header[key], str)
    check_object("digests.", header["digests"], {"options": str, "tables": str})
    moves: list[Move] = []
    extra = header["extra"]
    for item in map(read_json, lines[1:]):
        if isinstance(item, dict):
            extra.update(item)
        elif isinstance(item, int) and 0 < item <= len(moves):  # so many are taken back
            del moves[-item:]
        else:
            moves.append(Move(*parse_move(f"decision {len(moves)}", item)))
    seats, names = tuple(header["seats"]), tuple(header["names"])
    setup = Setup(current_id(header["game"]), header["options"], header["seed"], seats, names)
    check(setup)
    controllers = (EXTERNAL,) * len(setup.seats)
    # `Replay.game` checks that the game, its options and tables are still those of the file.
    Replay(setup.game, setup.options, Digests(**header["digests"]), 0, controllers, (), Final(False, (), "")).game()
    table = Table(setup)
    play_moves(table, moves)
    if not table.over and "files" in header:
        try:
            check_files(header["files"], _files(table), "seats")
        except AgentError as error:
            raise TableError(str(error)) from None
    return table, extra


def _files(table: Table) -> dict[str, list[FileDigest]]:
    """The files that the agents at a table read, as far as their names say, by name."""
    return {seat: files_of(seat, table.game) for seat in table.setup.seats if seat != PERSON}
