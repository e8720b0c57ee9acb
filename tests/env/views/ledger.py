"""What the words of each event claim, for each game: true of the state before it, and made so in the state after it.

A ledger begins as a copy of a state. Each event is a method, which asserts what its sentence says and writes what it
says has changed. After the events of a call, the ledger must have the fields of the true state.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from w51_env.engine.game import Game


class Ledger:
    """A state as the events tell it.

    Args:
        game: The game.
        record: The state before the first event. It is copied.
    """

    fields: ClassVar[tuple[str, ...]]  # that must be equal after the events of each call
    at_end: ClassVar[tuple[str, ...]]  # and that must be when the game is over

    def __init__(self, game: Game, record: np.void):
        self.game, self.options, self.players = game, game.options, game.num_players
        self.out: set[int] = set()
        self.best, self.leader = 0, -1  # bid of the present lot
        self.now = record.copy()

    def read(self, event: dict[str, Any]) -> None:
        """Apply one event; AssertionError if it is not true."""
        fields = {name: value for name, value in event.items() if name not in ("event", "forced")}
        tell: Callable[..., None] = getattr(self, event["event"])
        tell(**fields)

    def begin(self, events: Iterable[dict[str, Any]]) -> None:
        """Read the events of the set-up, after which the state is as it was given."""

    def check(self, record: np.void) -> None:
        """Compare with the true state after the events of a call."""
        for name in (*self.fields, *(self.at_end if record["over"] else ())):
            assert self.now[name].tolist() == record[name].tolist(), name

    def passed(self, seat: int) -> None:
        assert seat not in self.out
        assert seat != self.leader
        self.out.add(seat)

    def begin_lot(self, best: int) -> None:
        self.out, self.best, self.leader = set(), best, -1

    def raise_to(self, seat: int, amount: int, held: int, least: int) -> None:
        assert seat not in self.out
        assert least <= amount <= held
        self.best, self.leader = amount, seat
