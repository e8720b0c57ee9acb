"""Tables that browsers visit: the game, its file, the agents' turns, and who is connected."""

import asyncio
import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from w51_env.core.errors import W51Error
from w51_env.core.game import ALL, PUBLIC
from w51_env.core.language import Words
from w51_env.core.replay import Move
from w51_env.play.agent_pool import AgentPool, Question, is_quick
from w51_env.play.journal import SUFFIX, Journal
from w51_env.play.table import PERSON, Setup, Table, TableError

PACES = (0.0, 0.4, 1.0, 2.5)  # seconds from one decision of an agent to the next; None: paused
MOST_FILES = 10_000  # of tables in a folder
_NAME = re.compile(r"[A-Za-z0-9_-]{16}")
_TOKENS = "tokens"


@dataclass(eq=False)
class Visitor:
    """One connection to a table.

    Attributes:
        seat: The seat that the visitor's token opens; None: sees what is public.
        words: The visitor's language, with the names of the seats.
        form: Layout of the pictures.
        changed: Set when there is something to send.
        sent: Number of decisions whose events were sent; None: nothing was sent yet.
    """

    seat: int | None
    words: Words
    form: str
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int | None = None


class LiveTable:
    """A table in memory.

    Args:
        name: Name of the table, which opens its public view.
        table: The game in progress.
        journal: Its file.
        pool: Where its agents decide.
        pace: One of `PACES`, or None.

    Attributes:
        visitors: The connections.
        shown: What visitors see of the current decision, by viewer, language and form; filled by `messages`.
        failures: What went wrong, as sentences.
        left: When the last visitor left, by the monotonic clock.
    """

    def __init__(self, name: str, table: Table, journal: Journal, pool: AgentPool, pace: float | None):
        self.name = name
        self.table = table
        self.pace = pace
        self.visitors: set[Visitor] = set()
        self.shown: dict[tuple[int | str, str, str], dict[str, Any]] = {}
        self.failures: list[str] = []
        self.left = time.monotonic()
        self._journal = journal
        self.pool = pool
        self._tokens: list[str] = journal.extra[_TOKENS]
        self._wake = asyncio.Event()
        self._agents = asyncio.create_task(self._play_agents())

    @property
    def thinking(self) -> bool:
        """Whether an agent is to move and the game is not paused."""
        return self.table.agent_to_move() is not None and self.pace is not None

    def viewer_of(self, visitor: Visitor) -> int | str:
        """Whose view a visitor gets: that of the own seat, else the public one. Among agents nothing is hidden."""
        if visitor.seat is not None:
            return visitor.seat
        return PUBLIC if PERSON in self.table.setup.seats else ALL

    def seat_of(self, token: str) -> int | None:
        """The seat that a token opens; None if it opens none."""
        found = None
        for seat, own in enumerate(self._tokens):
            if own and secrets.compare_digest(own.encode(), token.encode()):
                found = seat
        return found

    def enter(self, visitor: Visitor) -> None:
        self.visitors.add(visitor)
        self._wake.set()
        self._notify()

    def leave(self, visitor: Visitor) -> None:
        self.visitors.discard(visitor)
        self.left = time.monotonic()
        self._notify()

    def act(self, visitor: Visitor, decision: int, action: int) -> None:
        """Play a person's action, once; anything else changes nothing: late, repeated, forged, or not legal."""
        if visitor.seat is None or visitor.seat != self.table.seat or decision != self.table.decision:
            return
        if not (0 <= action < len(self.table.game.actions) and self.table.action_mask[action]):
            return
        self._play(action)

    def set_pace(self, visitor: Visitor, pace: float | None) -> None:
        """Change the pace; of a table with people only they may."""
        if (visitor.seat is not None or PERSON not in self.table.setup.seats) and (pace is None or pace in PACES):
            self.pace = pace
            self._wake.set()
            self._notify()

    def close(self) -> None:
        """Stop the agents and close the file."""
        self._agents.cancel()
        self._journal.close()

    def question(self, agent: str, *, insight: bool = False) -> Question:
        """The next decision, for an agent; with `insight` its answer says more than the action."""
        table = self.table
        return Question(
            table.setup.game,
            table.game.options,
            agent,
            table.agent_seed(),
            table.observation[None],
            table.action_mask[None],
            None if is_quick(agent) else table.info(),
            insight,
        )

    def _play(self, action: int) -> None:
        """Write a decision to the file, then play it. If it cannot be written the table pauses and says why."""
        seat = self.table.seat
        assert seat is not None
        try:
            self._journal.append([Move(seat, self.table.game.actions[action].name)])
            self.table.play(action)
            if self.table.over:
                self.table.replay().save(replay_path(self._journal.path))
        except (W51Error, OSError) as error:
            self.failures.append(str(error))
            self.pace = None
        self.shown.clear()
        self._wake.set()
        self._notify()

    def _notify(self) -> None:
        for visitor in self.visitors:
            visitor.changed.set()

    async def _play_agents(self) -> None:
        """Play the agents' decisions while somebody is there to see them."""
        while not self.table.over:
            agent = self.table.agent_to_move()
            if agent is None or self.pace is None or not self.visitors:
                self._wake.clear()
                await self._wake.wait()
                continue
            begun = time.monotonic()
            answer = await asyncio.wrap_future(self.pool.ask(self.question(agent)))
            await self._wait_for_pace(begun)
            if answer.failure is not None:
                self.failures.append(answer.failure)
            self._play(int(answer.actions[0]))

    async def _wait_for_pace(self, begun: float) -> None:
        """Wait until the pace allows a decision that an agent began to think about at a time."""
        while self.pace is None or (left := begun + self.pace - time.monotonic()) > 0:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), None if self.pace is None else left)
            except TimeoutError:
                return


class LiveTables:
    """The tables of a server by name. Their files are in one folder; those that somebody visits are in memory.

    Args:
        folder: The folder; it is made if there is none.
        pool: Where agents decide.
        most: The most tables in memory.
        idle: Seconds after which a table without visitors is put away; its file stays.
    """

    def __init__(self, folder: Path, pool: AgentPool, most: int, idle: float):
        self.folder = folder
        self.pool = pool
        self._most = most
        self._idle = idle
        self._live: dict[str, LiveTable] = {}

    def __len__(self) -> int:
        return len(self._live)

    def create(self, setup: Setup, pace: float | None) -> tuple[str, list[str]]:
        """The name of a new table and the token of each seat, empty for agents.

        Raises:
            W51Error: The setup is not allowed, there are too many tables, or the file cannot be written.
        """
        table = Table(setup)
        self._make_room()
        if sum(1 for _ in self.folder.glob(f"*{SUFFIX}")) >= MOST_FILES:
            raise TableError(f"tables: {self.folder} holds {MOST_FILES} of them; delete some files")
        name = secrets.token_urlsafe(12)
        tokens = [secrets.token_urlsafe(16) if seat == PERSON else "" for seat in setup.seats]
        journal = Journal.create(self._path(name), table, {_TOKENS: tokens})
        self._live[name] = LiveTable(name, table, journal, self.pool, pace)
        return name, tokens

    def get(self, name: str) -> LiveTable | None:
        """The table of this name, from its file if it was put away; None if there is none.

        Raises:
            W51Error: Its file is damaged, or there are too many tables.
        """
        if name not in self._live and _NAME.fullmatch(name) and self._path(name).exists():
            self._make_room()
            journal, table = Journal.open(self._path(name))
            self._live[name] = LiveTable(name, table, journal, self.pool, PACES[1])
        return self._live.get(name)

    def put_away(self, idle: float | None = None) -> None:
        """Close the tables that nobody has visited for some seconds."""
        limit = time.monotonic() - (self._idle if idle is None else idle)
        for name, live in list(self._live.items()):
            if not live.visitors and live.left <= limit:
                live.close()
                del self._live[name]

    def close(self) -> None:
        """Close all tables."""
        for live in self._live.values():
            live.close()
        self._live.clear()

    def _make_room(self) -> None:
        if len(self._live) >= self._most:
            self.put_away(0.0)
        if len(self._live) >= self._most:
            raise TableError(f"tables: {self._most} are in use, which is the most that this server holds")

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"


def replay_path(path: Path) -> Path:
    """The file of the replay of a finished table, from the file of the table."""
    return path.with_suffix(".json")


def known_names(seats: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """A name for each seat, all different: those given, else the agent's, or `Player 0` and so on."""
    found: list[str] = []
    for seat, (holder, given) in enumerate(zip(seats, names, strict=True)):
        name = " ".join(given.split())[:24] or (f"Player {seat}" if holder == PERSON else holder)
        found.append(name if name not in found else f"{name} {seat}")
    return tuple(found)
