"""The secrets of a table: a token that opens each seat of a person, and an invitation to choose a free one."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from w51_env.play.table import PERSON, TableError

TOKENS, INVITATION = "tokens", "invitation"  # in the file of the table


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
