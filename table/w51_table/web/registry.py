"""The replays and tables of a server: in memory those that are visited, in a folder all of the last weeks."""

import asyncio
import hashlib
import logging
import os
import re
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from w51_agents.agent.interface import AgentError
from w51_agents.named.registry import check_named
from w51_agents.system.files import open_file, read_bytes, read_open
from w51_agents.system.locks import lock
from w51_env.engine.errors import FileError, ReplayError, W51Error
from w51_env.engine.registry import check_from_outside, current_id, game_from_outside
from w51_lab.replays.replay import MAX_BYTES, Replay
from w51_table.play.agent_pool import AgentPool
from w51_table.play.game_log import SUFFIX, GameLog, Kept, replay_path
from w51_table.play.playback import Playback
from w51_table.play.table import PERSON, PlayerError, Setup, Table
from w51_table.web.limits import Allowance, Allowances
from w51_table.web.new_game import check_times
from w51_table.web.presence import SeatKeys, new_keys
from w51_table.web.session import TableSession

MAX_FILES = 10_000  # of tables in a folder
NEW_AT_ONCE, NEW_PER_SECOND = 100, 2.0  # tables
NEW_OF_VISITOR = 1 / 300  # of one visitor in a second, after `NEW_AT_ONCE`: fewer than `MAX_FILES` while they are kept
DAY = 24 * 60 * 60
KEPT, KEPT_EMPTY = 30 * DAY, DAY  # seconds since the last decision; without any decision
MAX_REPLAY = 512 * 1024  # bytes of a replay that a page sends
_KEPT_REPLAYS = 32  # of pages, in memory
_LOG = logging.getLogger("uvicorn.error")
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")


class TableRegistry:
    """The tables of a server by name. Their files are in one folder; those that somebody visits are in memory.

    Args:
        folder: The folder; it is made if there is none.
        pool: Where agents decide.
        max_tables: Maximum number of tables in memory.
        idle: Seconds after which a table without clients is put away; its file stays.
        agents: Names of agents of the command line, whose code may run.
    """

    def __init__(self, folder: Path, pool: AgentPool, max_tables: int, idle: float, agents: Sequence[str] = ()):
        self.folder = folder
        self.pool = pool
        self._agents = agents
        self._opening = asyncio.Lock()
        self._max_tables = max_tables
        self._idle = idle
        self._sessions: dict[str, TableSession] = {}
        self._new = Allowance(NEW_AT_ONCE, NEW_PER_SECOND)
        self._new_of_visitors = Allowances(NEW_AT_ONCE, NEW_OF_VISITOR)

    def __len__(self) -> int:
        return len(self._sessions)

    async def create(
        self, setup: Setup, extra: Kept, actions: Sequence[int] = (), *, visitor: str = ""
    ) -> tuple[str, list[str]]:
        """The name of a new table and the token of each seat, empty for agents.

        Args:
            setup: Its set-up.
            extra: What its file holds beside the game; the secrets of `SeatKeys`, if they are those of
                another table.
            actions: Action ids of decisions that were made before.
            visitor: Who asks for it, as of `visitor_of`.

        Raises:
            W51Error: The setup is not allowed, there are too many tables, or the file cannot be written.
        """
        self._make_room()
        if not self._new_of_visitors.take(visitor) or not self._new.take():
            raise PlayerError("too_many_new_tables")
        name = secrets.token_urlsafe(12)
        kept: Kept = {**new_keys(setup.seats), **extra}
        try:
            made = await asyncio.to_thread(self._create, name, setup, kept, actions)
        except FileError as error:
            _LOG.warning("%s", error)
            raise PlayerError("not_written") from None
        self._sessions[name] = TableSession(*made, self.pool)
        return name, kept["tokens"]

    async def get(self, name: str) -> TableSession | None:
        """The table of this name, from its file if it was put away; None if there is none.

        Raises:
            PlayerError: Its file is damaged or names agents that are not allowed, or there are too many tables.
        """
        if name not in self._sessions and _NAME.fullmatch(name):
            async with self._opening:
                if name not in self._sessions and os.path.lexists(self._path(name)):
                    self._make_room()
                    self._sessions[name] = TableSession(*await asyncio.to_thread(self._load, name), self.pool)
        session = self._sessions.get(name)
        if session is not None:
            session.left = time.monotonic()
        return session

    def exists(self, name: str) -> bool:
        """Whether there is a table of this name."""
        return _NAME.fullmatch(str(name)) is not None and self._path(name).exists()

    def replay(self, name: str) -> bytes | None:
        """The replay of a finished table, from its file; None if there is none, or if the file is not one."""
        path = replay_path(self._path(name))
        if not _NAME.fullmatch(name) or not os.path.lexists(path):
            return None
        try:
            content = read_bytes(path, MAX_BYTES, follow_links=False)
            Replay.parse(content.decode()).verify()
        except (OSError, ValueError) as error:  # W51Error and UnicodeDecodeError are ValueErrors
            _LOG.warning("replay %s: %s", path, error)
            return None
        return content

    def _create(self, name: str, setup: Setup, extra: Kept, actions: Sequence[int]) -> tuple[Table, GameLog]:
        """A new table with its file."""
        if sum(1 for _ in self.folder.glob(f"*{SUFFIX}")) >= MAX_FILES:
            raise PlayerError("too_many_files", count=MAX_FILES)
        table = Table(setup)
        for action in actions:
            table.play(action)
        return table, GameLog.create(self._path(name), table, extra)

    def _load(self, name: str) -> tuple[Table, GameLog]:
        """The table of a file; it runs no code and reads no file that the command line does not name."""
        try:
            game_log, table = GameLog.open(self._path(name), self._check_setup)
        except AgentError:
            raise PlayerError("code_refused") from None
        except W51Error as error:  # names the path, which is not for clients
            _LOG.warning("%s", error)
            raise PlayerError("table_unusable") from None
        try:
            SeatKeys(game_log, len(table.setup.seats))
            check_times(game_log.extra)
            if not isinstance(game_log.extra.get("labels", {}), dict):
                raise PlayerError("table_unusable")
        except BaseException:
            game_log.close()
            raise
        return table, game_log

    def _check_setup(self, setup: Setup) -> None:
        """An error for the set-up in a file that names code or files of this machine."""
        game = game_from_outside(setup.game, setup.options)
        check_named(game, set(setup.seats) - {PERSON}, self._agents, "table")

    def unload(self, idle: float | None = None) -> None:
        """Close the tables that nobody has visited for some seconds."""
        limit = time.monotonic() - (self._idle if idle is None else idle)
        for name, session in list(self._sessions.items()):
            if not session.in_use and not session.presence.clients and session.left <= limit:
                self._put_away(name)

    def close(self) -> None:
        """Close all tables."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    def _make_room(self) -> None:
        if len(self._sessions) >= self._max_tables:
            self.unload(0.0)
        if len(self._sessions) >= self._max_tables:
            watched = [name for name, session in self._sessions.items() if not session.in_use]
            if not watched:
                raise PlayerError("too_many_tables", count=self._max_tables)
            self._put_away(min(watched, key=lambda name: self._sessions[name].left))

    def _put_away(self, name: str) -> None:
        session = self._sessions.pop(name)
        session.presence.dismiss()
        session.close()

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"


class Replays:
    """The replays that pages have opened, and the games of tables that everybody may see whole.

    Those of the command line stay. Of the others, the oldest of the visitor who has most makes room.
    """

    def __init__(self, tables: TableRegistry):
        self._tables = tables
        self._playbacks: OrderedDict[str, Playback] = OrderedDict()
        self._visitors: dict[str, str] = {}  # who has sent each
        self._lock = Lock()  # replays are read in threads

    def add(self, content: bytes, visitor: str = "") -> str:
        """The name of a replay that the page of a visitor has sent.

        Raises:
            W51Error: It is no replay, is damaged, or names a file of this machine.
        """
        try:
            replay = Replay.parse(content.decode())
        except UnicodeDecodeError as error:
            raise ReplayError(f"not JSON: {error}") from None
        check_from_outside(current_id(replay.game_id), replay.options)
        replay.verify()
        name, playback = _name_of(replay), Playback.of_replay(replay)
        with self._lock:
            if name not in self._playbacks:
                self._playbacks[name], self._visitors[name] = playback, visitor
            if len(self._visitors) > _KEPT_REPLAYS:
                self._forget_one()
        return name

    def keep(self, replay: Replay, default_agent: str | None = None) -> str:
        """The name of a replay of the command line.

        Args:
            replay: The replay.
            default_agent: Name of the agent that the page shows first, or `none`; None: that of hints.

        Raises:
            ReplayError: The replay does not lead to its recorded result.
        """
        replay.verify()
        name = _name_of(replay)
        self._playbacks[name] = Playback.of_replay(replay, default_agent)
        return name

    def _forget_one(self) -> None:
        [(most, _)] = Counter(self._visitors.values()).most_common(1)
        oldest = next(name for name in self._playbacks if self._visitors.get(name) == most)
        del self._playbacks[oldest], self._visitors[oldest]

    async def get(self, name: str) -> Playback:
        """The replay of this name, or the game of the table of this name: a finished one, or one of agents.

        Raises:
            W51Error: There is none, or its file is damaged.
        """
        with self._lock:
            if name in self._playbacks:
                self._playbacks.move_to_end(name)
                return self._playbacks[name]
        session = await self._tables.get(name)
        if session is None:
            raise PlayerError("no_replay")
        return await session.playback()


def _name_of(replay: Replay) -> str:
    """The name of a replay, by all that it holds."""
    return hashlib.blake2b(replay.encode(), digest_size=16).hexdigest()


def delete_old(folder: Path) -> int:
    """Delete the old tables of a folder that no process has open; replays stay. Returns how many were deleted."""
    deleted = 0
    with suppress(OSError):  # the folder is gone
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            with suppress(OSError, ValueError):  # a link, too long for a table, gone, or open in another process
                deleted += bool(_NAME.fullmatch(path.stem)) and _delete_if_old(path)
    return deleted


def _delete_if_old(path: Path) -> bool:
    """Delete the file of a table if it is old; errors if it cannot be read, or is in use."""
    if time.time() - path.lstat().st_mtime < KEPT_EMPTY:
        return False
    descriptor = open_file(path, follow_links=False)
    try:
        lock(descriptor)
        is_begun = b'\n"' in read_open(descriptor, MAX_BYTES)
        if is_old := time.time() - os.fstat(descriptor).st_mtime >= (KEPT if is_begun else KEPT_EMPTY):
            path.unlink()
        return is_old
    finally:
        os.close(descriptor)
