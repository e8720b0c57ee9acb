"""A table that browsers visit: the game, its file, the agents' turns, and who is connected."""

import asyncio
import logging
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from w51_env.core.errors import W51Error
from w51_env.core.game import PUBLIC
from w51_env.play.agent_pool import AgentPool, Answer, Question, is_quick
from w51_env.play.film import Film
from w51_env.play.journal import Journal
from w51_env.play.table import PERSON, PlayerError, Table, printable, without_paths
from w51_env.replays.replay import Move
from w51_env.views.language import Words

PACES = (0.0, 0.4, 1.0, 2.5)  # seconds from one decision of an agent to the next; None: paused
TOKENS, PACE = "tokens", "pace"  # what the file of a table holds beside the game
_LONGEST_FAILURE = 1000
_LOG = logging.getLogger("uvicorn.error")


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
    """A table in memory. Beside people, agents decide at a pace while somebody is connected; else `advance` lets them.

    Args:
        table: The game in progress.
        journal: Its file, which names the tokens of the seats and the first pace.
        pool: Where its agents decide.
        film: The game of agents to step through; None where people sit.

    Attributes:
        visitors: The connections.
        shown: What visitors see of the current decision, by viewer, language and form; filled by `messages`.
        left: When it was visited last, by the monotonic clock.
    """

    def __init__(self, table: Table, journal: Journal, pool: AgentPool, film: Film | None = None):
        self.table = table
        self.pace: float | None = journal.extra.get(PACE, PACES[1])
        self.visitors: set[Visitor] = set()
        self.shown: dict[tuple[int | str, str, str], dict[str, Any]] = {}
        self.left = time.monotonic()
        self._journal = journal
        self.pool = pool
        self._tokens: list[str] = journal.extra[TOKENS]
        self._film = film
        self._wake = asyncio.Event()
        self._turn = asyncio.Lock()
        self._failure: tuple[Exception, int] | None = None  # and the last decision at which it is shown
        self._considered: tuple[int, Answer] | None = None  # at a decision of agents
        self._agents = asyncio.create_task(self._play_agents()) if self.has_people else None

    @property
    def has_people(self) -> bool:
        """Whether a seat is a person's."""
        return PERSON in self.table.setup.seats

    @property
    def failure(self) -> Exception | None:
        """What went wrong: that an agent failed in the last round, or that the next decision could not be written."""
        if self._failure is None or self.table.decision > self._failure[1]:
            return None
        return self._failure[0]

    @property
    def in_use(self) -> bool:
        """Whether somebody is connected, or waits for the decision of an agent."""
        return bool(self.visitors) or self._turn.locked()

    @property
    def thinking(self) -> bool:
        """Whether an agent is to move and the game is not paused."""
        return self.table.agent_to_move() is not None and self.pace is not None

    def viewer_of(self, visitor: Visitor) -> int | str:
        """Whose view a visitor gets: that of the own seat, else the public one."""
        return PUBLIC if visitor.seat is None else visitor.seat

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
        """Change the pace; only those who play may."""
        if visitor.seat is not None and (pace is None or pace in PACES):
            self.pace = pace
            self._wake.set()
            self._notify()

    async def film(self) -> Film:
        """The game to step through.

        Raises:
            PlayerError: People play it, and it is not over.
        """
        if self.has_people and not self.table.over:
            raise PlayerError("not_over")
        if self._film is None:
            self._film = await asyncio.to_thread(Film.of_table, self.table)
        return self._film

    async def consider(self, decision: int) -> None:
        """Let an agent choose at the decision of this number, if it is the next one at a table of agents."""
        async with self._turn:
            await self._consider(decision)
        self.left = time.monotonic()

    async def advance(self, decision: int) -> None:
        """The same, and play what it has chosen."""
        async with self._turn:
            answer = await self._consider(decision)
            if answer is not None:
                self._play_answer(answer)
        self.left = time.monotonic()

    async def _consider(self, decision: int) -> Answer | None:
        agent = self.table.agent_to_move()
        if agent is None or self._film is None or decision != self.table.decision:
            return None
        if self._considered is None or self._considered[0] != decision:
            answer = await asyncio.wrap_future(self.pool.ask(self.question(agent, explain=True)))
            self._considered = decision, answer
            if answer.explanation is not None:
                self._film.explanations[decision, agent] = answer.explanation
        return self._considered[1]

    def close(self) -> None:
        """Stop the agents and close the file."""
        if self._agents is not None:
            self._agents.cancel()
        self._journal.close()

    def question(self, agent: str, *, explain: bool = False) -> Question:
        """The next decision, for an agent; with `explain` its answer says more than the action."""
        table = self.table
        return Question(
            table.setup.game,
            table.game,
            agent,
            table.agent_seed(),
            table.observation[None],
            table.action_mask[None],
            None if is_quick(agent) else table.info(),
            explain,
        )

    def _play(self, action: int) -> None:
        """Write a decision to the file, then play it. One that cannot be written is not played; agents then pause."""
        seat = self.table.seat
        assert seat is not None
        try:
            self._journal.append([Move(seat, self.table.game.actions[action].name)])
        except (W51Error, OSError) as error:
            _LOG.warning("%s", error)
            self._failure = PlayerError("not_written"), self.table.decision
            if self.table.agent_to_move() is not None:
                self.pace = None
        else:
            self.table.play(action)
            if self._film is not None:
                self._film.add(action, self.table.frame())
            if self.table.over:
                self.save_replay()
        if self._film is not None:
            self._film.failure = self.failure
        self.shown.clear()
        self._wake.set()
        self._notify()

    def save_replay(self) -> bool:
        """Write the replay of the finished game; whether it could be written."""
        try:
            self.table.replay().save(replay_path(self._journal.path), follow_links=False)
        except (W51Error, OSError) as error:
            _LOG.warning("%s", error)
            return False
        return True

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
            self._play_answer(answer)

    def _play_answer(self, answer: Answer) -> None:
        if answer.failure is not None:
            agent = self.table.agent_to_move()
            _LOG.warning("agent %s failed: %s", agent, printable(answer.failure, _LONGEST_FAILURE))
            if self.has_people:  # the reason may hold what the agent's seat alone may know
                error = PlayerError("agent_failed_here", agent=agent)
            else:
                error = PlayerError("agent_failed", agent=agent, reason=without_paths(answer.failure))
            self._failure = error, self.table.decision + len(self.table.setup.seats)
        self._play(int(answer.actions[0]))

    async def _wait_for_pace(self, begun: float) -> None:
        """Wait until the pace allows a decision that an agent began to think about at a time."""
        while self.pace is None or (left := begun + self.pace - time.monotonic()) > 0:
            self._wake.clear()
            try:
                await asyncio.wait_for(self._wake.wait(), None if self.pace is None else left)
            except TimeoutError:
                return


def replay_path(path: Path) -> Path:
    """The file of the replay of a finished table, from the file of the table."""
    return path.with_suffix(".json")
