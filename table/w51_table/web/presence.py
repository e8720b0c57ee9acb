"""Who is at the seats of a table: their secrets, people who are connected, bots that stand in, the clock of a turn."""

import asyncio
import logging
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from w51_env.views.language import Words
from w51_table.play.game_log import GameLog, Kept
from w51_table.play.table import PERSON, PlayerError, TableError

CLOCKS = (15, 30, 60, 120)  # seconds for a decision of a person; None: no clock
_LOG = logging.getLogger("uvicorn.error")
RELOAD_SECONDS = 5.0  # how long somebody who is gone, perhaps to load the page again, is not away


@dataclass(eq=False)
class Client:
    """One connection to a table.

    Attributes:
        seat: The seat that the client's token opens; None: sees what is public.
        words: The client's language, with the names of the seats.
        form: Layout of the pictures.
        changed: Set when there is something to send.
        sent: Number of decisions whose events were sent; None: nothing was sent yet.
        dismissed: Whether the table is put away.
    """

    seat: int | None
    words: Words
    form: str
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int | None = None
    dismissed: bool = False


class Presence:
    """Who is at the seats of a table.

    Args:
        holders: Who holds each seat, as in `Setup.seats`.
        clock: Seconds for a decision of a person; None: as long as it takes.

    Attributes:
        clients: The connections.
        stand_ins: Seats of people at which a bot plays until they are back.
    """

    def __init__(self, holders: Sequence[str], clock: int | None):
        self.clients: set[Client] = set()
        self.stand_ins: set[int] = set()
        self._left: dict[int, float] = {}  # when the last browser of a seat left
        self._holders = holders
        self._clock = clock
        self._begun = time.monotonic()

    @property
    def has_player(self) -> bool:
        """Whether somebody is connected who has a seat; spectators have none."""
        return any(client.seat is not None for client in self.clients)

    def enter(self, client: Client) -> None:
        """Somebody is here, and plays an own seat again. The clock begins with the first player."""
        if not self.has_player:
            self.begin_turn()
        self.clients.add(client)
        if client.seat is not None:
            self.stand_ins.discard(client.seat)

    def leave(self, client: Client) -> None:
        """Somebody is gone."""
        self.clients.discard(client)
        if client.seat is not None:
            self._left[client.seat] = time.monotonic()

    def dismiss(self) -> None:
        """The table is put away: all have to come again."""
        for client in self.clients:
            client.dismissed = True
            client.changed.set()

    def connections(self, seat: int) -> int:
        """How many browsers have a seat open."""
        return sum(client.seat == seat for client in self.clients)

    def is_here(self, seat: int) -> bool:
        """Whether somebody has a seat open, or had it until a few seconds ago."""
        return bool(self.connections(seat)) or time.monotonic() < self._left.get(seat, -RELOAD_SECONDS) + RELOAD_SECONDS

    def set_stand_in(self, by: Client, seat: int, on: bool) -> bool:
        """Let a bot play the seat of a person who is away, or no longer; whether `by`, who must play, may do that."""
        is_person = 0 <= seat < len(self._holders) and self._holders[seat] == PERSON
        if by.seat is None or not is_person or self.is_here(seat):
            return False
        (self.stand_ins.add if on else self.stand_ins.discard)(seat)
        return True

    def begin_turn(self) -> None:
        """A seat has decided: the clock begins anew."""
        self._begun = time.monotonic()

    def seconds_left(self, seat: int | None) -> float | None:
        """Seconds until a bot decides for the seat to move; None if it is no person's, or there is no clock."""
        if self._clock is None or seat is None or self._holders[seat] != PERSON or not self.has_player:
            return None
        return max(0.0, self._begun + self._clock - time.monotonic())


class SeatKeys:
    """The secrets that the file of a table holds.

    Attributes:
        tokens: The token of each seat, empty for agents.
        invitation: The secret with which others choose a seat.
        taken: Seats to which somebody has come; all of them in a file that does not say.

    Raises:
        TableError: There is not a token for each seat, or no invitation, or other seats are taken.
    """

    def __init__(self, game_log: GameLog, num_seats: int):
        extra = game_log.extra
        tokens, invitation = extra.get("tokens"), extra.get("invitation")
        if not isinstance(tokens, list) or len(tokens) != num_seats or not all(isinstance(one, str) for one in tokens):
            raise TableError(f"tokens: {num_seats} texts are needed; was it made by another program?")
        if not isinstance(invitation, str) or not invitation:
            raise TableError(f"invitation: {invitation!r}, but a text is needed")
        taken = extra.get("taken", list(range(num_seats)))
        if not isinstance(taken, list) or not all(type(seat) is int and 0 <= seat < num_seats for seat in taken):
            raise TableError(f"taken: {taken!r}, but seats from 0 to {num_seats - 1} are allowed")
        self.tokens: Sequence[str] = tokens
        self.taken = frozenset(taken)
        self._game_log = game_log
        self.invitation: str = invitation

    def seat_of(self, token: str) -> int | None:
        """The seat that a token opens; None if it opens none."""
        opened = None
        for seat, key in enumerate(self.tokens):  # all of them, so that the time tells nothing
            if key and secrets.compare_digest(key.encode(), token.encode()):
                opened = seat
        return opened

    def is_invitation(self, secret: str) -> bool:
        """Whether it is the secret of the invitation."""
        return secrets.compare_digest(self.invitation.encode(), secret.encode())

    def take(self, seat: int, *, new_token: bool = False) -> None:
        """Somebody has come to a seat, with its token or, by the invitation, for a new one.

        Raises:
            PlayerError: The file cannot be written. Nothing has changed.
        """
        tokens, taken = [*self.tokens], self.taken | {seat}
        if new_token:
            tokens[seat] = new_secret()
        elif taken == self.taken:
            return
        try:
            self._game_log.change({"tokens": tokens, "taken": sorted(taken)})
        except TableError as error:
            _LOG.warning("%s", error)
            raise PlayerError("not_written") from None
        self.tokens, self.taken = tokens, taken


def new_keys(holders: Sequence[str]) -> Kept:
    """New secrets for the file of a table whose seats are held so, as in `Setup.seats`."""
    tokens = [new_secret() if holder == PERSON else "" for holder in holders]
    return {"tokens": tokens, "invitation": new_secret(), "taken": []}


def new_secret() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(16)
