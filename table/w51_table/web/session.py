"""A table that browsers visit: the game, its file, the agents' turns, and who is connected."""

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from w51_agents.named.registry import without_folders
from w51_env.engine.errors import W51Error
from w51_env.engine.game import PUBLIC
from w51_env.views.language import Words
from w51_table.play.agent_pool import AgentPool, Answer, next_question
from w51_table.play.game_log import GameLog, Kept, replay_path
from w51_table.play.playback import Playback
from w51_table.play.table import PERSON, USUAL_DELAY, PlayerError, Setup, Table, TableError, printable, without_paths
from w51_table.web.message_types import ForSeat
from w51_table.web.presence import RELOAD_SECONDS, Client, Presence, SeatKeys

DELAYS = (0.0, USUAL_DELAY, 1.0, 2.5)  # seconds from one decision of an agent to the next; None: paused
TOLD_EVERY = 1.0  # seconds, at least, while agents play in one go
UNDO_SECONDS = 4.0  # for which a decision can be taken back; the page says three
_MAX_FAILURE = 1000
_LOG = logging.getLogger("uvicorn.error")


class TableSession:
    """A table in memory. Beside people, agents decide at a delay while a player is connected; else `advance` lets them.

    Args:
        table: The game in progress.
        game_log: Its file, which names the tokens of the seats, the seats that are taken, and the first delay.
        pool: Where its agents decide.

    Attributes:
        presence: Who is connected, and the clock.
        keys: The secrets of its seats.
        next: Name of the table of a rematch; None if there is none.
        agents: What the page calls the agent of each seat; empty for people.
        typed_seed: The seed of the game if somebody chose it, which everybody is told; else None.
        shown: What clients see of the current decision, by viewer, language and form; filled by `messages`.
        left: When it was visited last, by the monotonic clock.
    """

    def __init__(self, table: Table, game_log: GameLog, pool: AgentPool):
        self.table = table
        self.delay: float | None = game_log.extra.get("pace", USUAL_DELAY)
        self.presence = Presence(table.setup.seats, game_log.extra.get("clock"))
        self.next: str | None = game_log.extra.get("next") or None
        self._labels = {one: without_folders(one) for one in table.setup.seats} | (game_log.extra.get("labels") or {})
        self.agents = ["" if one == PERSON else self._labels.get(one, one) for one in table.setup.seats]
        self.typed_seed = str(table.setup.seed) if game_log.extra.get("typed_seed") else None
        self.shown: dict[tuple[int | str, str, str], ForSeat] = {}
        self.left = time.monotonic()
        self._game_log, self.pool = game_log, pool
        self.keys = SeatKeys(game_log, len(table.setup.seats))
        self._playback: Playback | None = None  # made when it is asked for
        self._wake = asyncio.Event()
        self._turn = asyncio.Lock()
        self._failure: tuple[Exception, int] | None = None  # and the last decision at which it is shown
        self._decided, self._undone = -UNDO_SECONDS, 0  # time of the last decision; how many were taken back
        self._explained: tuple[int, Answer] | None = None  # at a decision of agents
        self._hurried_by: int | None = None  # the seat up to whose next decision agents play in one go
        self._told = -TOLD_EVERY  # when clients were told last
        self._agents = asyncio.create_task(self._play_agents()) if self.has_people else None

    @property
    def has_people(self) -> bool:
        """Whether a seat is a person's."""
        return PERSON in self.table.setup.seats

    @property
    def failure(self) -> Exception | None:
        """What went wrong: that an agent failed in the last round, or that the next decision could not be written."""
        return None if self._failure is None or self.table.decision > self._failure[1] else self._failure[0]

    @property
    def in_use(self) -> bool:
        """Whether somebody plays, or waits for an agent; spectators hold no table."""
        return self.presence.has_player or self._turn.locked()

    @property
    def thinking(self) -> bool:
        """Whether an agent is to move, somebody plays, and the game is not paused."""
        return self._agent_to_move() is not None and self.delay is not None and self.presence.has_player

    def free_seats(self) -> set[int]:
        """The seats of people that nobody has come to yet."""
        people = {seat for seat, holder in enumerate(self.table.setup.seats) if holder == PERSON}
        return people - self.keys.taken - {client.seat for client in self.presence.clients}

    def claim(self, seat: int) -> str | None:
        """A new token of a free seat, which is taken from now on; None if it is not free.

        Raises:
            PlayerError: The file cannot be written.
        """
        if seat not in self.free_seats():
            return None
        self.keys.take(seat, new_token=True)
        self._notify()
        return self.keys.tokens[seat]

    def take(self, seat: int) -> None:
        """Somebody has come to a seat with its token."""
        with suppress(PlayerError):  # while nothing can be written, nobody can claim it
            self.keys.take(seat)

    def enter(self, client: Client) -> None:
        if client.seat is not None:
            self.take(client.seat)
        self.presence.enter(client)
        self._wake.set()
        self._notify()

    def leave(self, client: Client) -> None:
        self.presence.leave(client)
        self.left = time.monotonic()
        self._notify()
        asyncio.get_running_loop().call_later(RELOAD_SECONDS, self._notify)  # then the seat is away

    def act(self, client: Client, decision: int, action: int) -> None:
        """Play a person's action, once; anything else changes nothing: late, repeated, forged, or not legal."""
        if client.seat is None or client.seat != self.table.seat or decision != self.table.decision:
            return
        if 0 <= action < len(self.table.game.actions) and self.table.action_mask[action]:
            self._play(action)

    def may_undo(self, seat: int) -> int:
        """How many of its last decisions a seat may take back now."""
        return self.table.retractable(seat) if time.monotonic() < self._decided + UNDO_SECONDS else 0

    def undo(self, client: Client, decision: int) -> None:
        """Take back the last decision of a person, if it has this number before the next and may be taken back."""
        if client.seat is None or decision != self.table.decision or not self.may_undo(client.seat):
            return
        with suppress(TableError):  # it cannot be written: nothing is taken back
            self._game_log.undo(self.table, self.may_undo(client.seat))
            self._undone += 1
        self.presence.begin_turn()
        for each in self.presence.clients:
            each.sent = None  # they get the table anew
        self._changed()

    def set_delay(self, client: Client, delay: float | None) -> None:
        """Change the delay; only those who play may."""
        if client.seat is not None and (delay is None or delay in DELAYS):
            self.delay = delay
            self._wake.set()
            self._notify()

    def may_hurry(self, seat: int | None) -> bool:
        """Whether a seat may let agents play in one go up to its next decision: nobody else would miss anything."""
        people = {one for one, holder in enumerate(self.table.setup.seats) if holder == PERSON}
        return people - self.presence.stand_ins == {seat} and self.thinking and self.delay is not None

    def hurry(self, client: Client) -> None:
        """Let agents play in one go up to the next decision of a client's seat, if it may."""
        if self.may_hurry(client.seat):
            self._hurried_by = client.seat
            self._wake.set()

    def set_stand_in(self, client: Client, seat: int, on: bool) -> None:
        """Let a bot play the seat of a person who is away, or no longer."""
        if self.presence.set_stand_in(client, seat, on):
            self._wake.set()
            self._notify()

    async def rematch(self, create: Callable[[Setup, Kept], Awaitable[tuple[str, list[str]]]]) -> str:
        """The name of a new table with the same people, agents and rules; each keeps the token. It is made once.

        Raises:
            W51Error: As of `create`.
        """
        async with self._turn:
            if self.next is None:
                setup = replace(self.table.setup, seed=secrets.randbits(64))
                extra = self._game_log.extra.copy()
                extra.pop("typed_seed", None)
                extra.pop("next", None)
                self.next, _ = await create(setup, extra)
                with suppress(TableError):  # until it is put away
                    self._game_log.change({"next": self.next})
                self._notify()
            return self.next

    async def playback(self) -> Playback:
        """The game to step through.

        Raises:
            PlayerError: People play it, and it is not over.
        """
        if self.has_people and not self.table.over:
            raise PlayerError("not_over")
        if self._playback is None:
            made = await asyncio.to_thread(Playback.of_table, self.table)
            self._playback = self._playback or made  # another request may have been faster, and the game gone on
        return self._playback

    async def advance(self, decision: int, *, play: bool = True) -> None:
        """Let an agent choose at the next decision of a table of agents, if it has this number, and play the action."""
        async with self._turn:
            agent = self.table.agent_to_move()
            if agent is not None and not self.has_people and decision == self.table.decision:
                playback = await self.playback()
                if self._explained is None or self._explained[0] != decision:
                    answer = await self.ask(agent, explain=True)
                    self._explained = decision, answer
                    if answer.explanation is not None:
                        playback.explanations[decision, agent] = answer.explanation
                if play:
                    self._play_answer(self._explained[1])
        self.left = time.monotonic()

    def close(self) -> None:
        """Stop the agents and close the file."""
        if self._agents is not None:
            self._agents.cancel()
            self._agents = None  # which knows this table, so that neither would go before a full collection
        self._game_log.close()

    async def ask(self, agent: str, *, explain: bool = False) -> Answer:
        """The answer of an agent to the next decision; with `explain` it says more than the action."""
        return await asyncio.wrap_future(self.pool.ask(next_question(self.table, agent, explain=explain)))

    def _play(self, action: int) -> None:
        """Write a decision to the file, then play it. One that cannot be written is not played; agents then pause."""
        try:
            self._game_log.play(self.table, action)
        except (W51Error, OSError) as error:
            _LOG.warning("%s", error)
            self._failure = PlayerError("not_written"), self.table.decision
            if self._agent_to_move() is not None:
                self.delay = None
        else:
            self.presence.begin_turn()
            self._decided = time.monotonic()
            if self._playback is not None:
                self._playback.add(action, self.table.frame())
            if self.table.over:
                self.save_replay()
        if self._playback is not None:
            self._playback.failure = self.failure
        self._changed()

    def _changed(self) -> None:
        self.shown.clear()
        self._wake.set()
        if self.table.over or self.table.seat == self._hurried_by:
            self._hurried_by = None
        if not self._in_one_go() or time.monotonic() > self._told + TOLD_EVERY:
            self._notify()

    def _in_one_go(self) -> bool:
        """Whether agents decide now without a delay: somebody is in a hurry, or an auction has lost all its people."""
        table = self.table
        if self._agent_to_move() is None or not self.has_people:
            return False
        view = table.view(PUBLIC, Words(), table.decision)
        is_auction = bool((view.table.get("lot") or {}).get("running"))
        people = [one for one, holder in zip(view.players, table.setup.seats, strict=True) if holder == PERSON]
        return self._hurried_by is not None or (is_auction and all(one.get("bidding") is False for one in people))

    def save_replay(self) -> bool:
        """Write the replay of the finished game; whether it could be written."""
        try:
            self.table.replay().save(replay_path(self._game_log.path), follow_links=False)
        except (W51Error, OSError) as error:
            _LOG.warning("%s", error)
            return False
        return True

    def _notify(self) -> None:
        self._told = time.monotonic()
        for client in self.presence.clients:
            client.changed.set()

    def _agent_to_move(self) -> str | None:
        """Name of the agent that decides next: that of the seat, or the bot that stands in for a person."""
        return self.table.agent_to_move() or (self._bot if self.table.seat in self.presence.stand_ins else None)

    @property
    def _bot(self) -> str:
        return self.table.game.bots[-1]

    async def _play_agents(self) -> None:
        """Play the agents' decisions while a player is there to see them."""
        while not self.table.over:
            now = agent, _, _ = self._now()
            if agent is None or self.delay is None or not self.presence.has_player:
                seconds = self.presence.seconds_left(self.table.seat) if agent is None else None
                if not await self._woken(seconds):  # the time is up: a bot decides
                    answer = await self.ask(self._bot)
                    if self._now() == now:
                        self._play_answer(answer)
                continue
            begun, answer = time.monotonic(), await self.ask(agent)
            await self._wait_for_delay(begun)
            if self._now() == now:  # else a person came back, or took a decision back
                self._play_answer(answer)

    def _now(self) -> tuple[str | None, int, int]:
        """What an answer of an agent is for: who decides, the number of the decision, and of those taken back."""
        return self._agent_to_move(), self.table.decision, self._undone

    async def _woken(self, seconds: float | None) -> bool:
        """Wait until something has changed, at most some seconds; whether something has."""
        self._wake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), seconds)
        return self._wake.is_set()

    def _play_answer(self, answer: Answer) -> None:
        if answer.failure is not None:
            agent = self._agent_to_move() or self._bot
            _LOG.warning("agent %s failed: %s", agent, printable(answer.failure, _MAX_FAILURE))
            shown = self._labels.get(agent, agent)
            if self.has_people:  # the reason may hold what the agent's seat alone may know
                error = PlayerError("agent_failed_here", agent=shown)
            else:
                error = PlayerError("agent_failed", agent=shown, reason=without_paths(answer.failure, agent))
            self._failure = error, self.table.decision + len(self.table.setup.seats)
        self._play(answer.action)

    async def _wait_for_delay(self, begun: float) -> None:
        """Wait until the delay since `begun`, when an agent began to decide, is over."""
        while not self._in_one_go() and (self.delay is None or (left := begun + self.delay - time.monotonic()) > 0):
            if not await self._woken(None if self.delay is None else left):
                return
