"""Who is at the seats of a table: their secrets, people who are connected, bots that stand in, the clock of a turn."""

import asyncio
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from w51_env.play.table import PERSON, TableError
from w51_env.views.language import Words

CLOCKS = (15, 30, 60, 120)  # seconds for a decision of a person; None: no clock
TOKENS, INVITATION = "tokens", "invitation"  # in the file of the table


@dataclass(eq=False)
class Client:
    """One connection to a table.

    Attributes:
        seat: The seat that the client's token opens; None: sees what is public.
        words: The client's language, with the names of the seats.
        form: Layout of the pictures.
        changed: Set when there is something to send.
        sent: Number of decisions whose events were sent; None: nothing was sent yet.
    """

    seat: int | None
    words: Words
    form: str
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    sent: int | None = None


class Presence:
    """Who is at the seats of a table.

    Args:
        holders: Who holds each seat, as in `Setup.seats`.
        clock: Seconds for a decision of a person; None: as long as it takes.

    Attributes:
        clients: The connections.
        stand_ins: Seats of people at which a bot plays until they are back.
        taken: Seats of people to which somebody has come.
    """

    def __init__(self, holders: Sequence[str], clock: int | None):
        self.clients: set[Client] = set()
        self.stand_ins: set[int] = set()
        self.taken: set[int] = set()
        self._holders = holders
        self._clock = clock
        self._begun = time.monotonic()

    def enter(self, client: Client) -> None:
        """Somebody is here, and plays an own seat again. The clock begins with the first one."""
        if not self.clients:
            self.begin_turn()
        self.clients.add(client)
        if client.seat is not None:
            self.stand_ins.discard(client.seat)
            self.taken.add(client.seat)

    def leave(self, client: Client) -> None:
        """Somebody is gone."""
        self.clients.discard(client)

    def connections(self, seat: int) -> int:
        """How many browsers have a seat open."""
        return sum(client.seat == seat for client in self.clients)

    def set_stand_in(self, by: Client, seat: int, on: bool) -> bool:
        """Let a bot play the seat of a person who is away, or no longer; whether `by`, who must play, may do that."""
        if by.seat is None or not 0 <= seat < len(self._holders) or self._holders[seat] != PERSON:
            return False
        if self.connections(seat):
            return False
        (self.stand_ins.add if on else self.stand_ins.discard)(seat)
        return True

    def begin_turn(self) -> None:
        """A seat has decided: the clock begins anew."""
        self._begun = time.monotonic()

    def seconds_left(self, seat: int | None) -> float | None:
        """Seconds until a bot decides for the seat to move; None if it is no person's, or there is no clock."""
        if self._clock is None or seat is None or self._holders[seat] != PERSON or not self.clients:
            return None
        return max(0.0, self._begun + self._clock - time.monotonic())


class SeatKeys:
    """The secrets that the file of a table holds.

    Args:
        extra: What the file holds beside the game, with the secrets.

    Attributes:
        tokens: The token of each seat, empty for agents.
        invitation: The secret with which others choose a seat.

    Raises:
        TableError: There is not a token for each of `num_seats`, or no invitation.
    """

    def __init__(self, extra: Mapping[str, Any], num_seats: int):
        tokens, invitation = extra.get(TOKENS), extra.get(INVITATION)
        if not isinstance(tokens, list) or len(tokens) != num_seats or not all(isinstance(one, str) for one in tokens):
            raise TableError(f"tokens: {num_seats} texts are needed; was it made by another program?")
        if not isinstance(invitation, str) or not invitation:
            raise TableError(f"invitation: {invitation!r}, but a text is needed")
        self.tokens: Sequence[str] = tokens
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


def new_keys(holders: Sequence[str]) -> dict[str, Any]:
    """New secrets for the file of a table whose seats are held so, as in `Setup.seats`."""
    tokens = [secrets.token_urlsafe(16) if holder == PERSON else "" for holder in holders]
    return {TOKENS: tokens, INVITATION: secrets.token_urlsafe(16)}
