"""Events: what happened in a game, as data. Kernels `emit` rows into a log; text, replays and infos read them.

A log is a record; a log that is off costs one comparison. Each event row is (type, seat, a, b, c, forced); the game's
`EventType`s name a, b and c. A log holds the private events of all seats; an `Events` object holds those of one viewer.
A log has the events of the last call, or also those before it of the running game (`engine.history`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from w51_env.compiler.compile import kernel

COLUMNS = 6
OFF, LAST_CALL, WHOLE_GAME = range(3)  # `on` of a log: which events it holds


@cache
def log_dtype(capacity: int) -> np.dtype:
    """The record of a log of `capacity` events. `count` may exceed the capacity, by which an overflow is detected.

    Rows from `start` are of the last call, rows from `first` of the running game.
    """
    numbers = [(name, "i2") for name in ("on", "count", "start", "first")]
    return np.dtype([*numbers, ("rows", "i2", (capacity, COLUMNS))])


@dataclass(frozen=True)
class EventType:
    """One event type.

    Attributes:
        name: Its name in data.
        fields: Names of the columns a, b, c. All are integers; the game's text interprets them by these names.
        text: A sentence with {seat} and the fields in braces, for a game whose sentences are in no language file.
        private: True if only the event's seat may know it.
        seats: The fields that are seats, or that are numbered like seats; -1: nobody.
        secret: Names of columns after those of `fields` that only the event's seat may know, and that only logs of
            whole games have (`keeps_games`).
        begins_lot: True if a new lot begins, so that viewers of a replay can jump to it.
        shows_bid: True if a secret bid is shown, whose amount is the first field.
        retractable: True if a decision that has caused only this event may be taken back: it has shown nothing hidden.
        staged: How a page dwells on it: `sale`, which ends a lot; `turn`, a hidden card of a gap that is shown;
            `leave`, a card that leaves its owner; `note`; empty: not at all.
    """

    name: str
    fields: tuple[str, ...]
    text: str = ""
    private: bool = False
    seats: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    begins_lot: bool = False
    shows_bid: bool = False
    retractable: bool = False
    staged: Literal["", "sale", "turn", "leave", "note"] = ""


@kernel
def emit(log, event_type, seat, a, b, c, forced):
    """Append an event. Kernels call it always; it returns at once when the log is off."""
    if log.on == 0:
        return
    row = log.count
    if row < log.rows.shape[0]:
        log.rows[row, 0] = event_type
        log.rows[row, 1] = seat
        log.rows[row, 2] = a
        log.rows[row, 3] = b
        log.rows[row, 4] = c
        log.rows[row, 5] = forced
    log.count += 1


@kernel
def begin_call(log):
    """Prepare a log that is on for the events of a call; rows of a game that is over, and followed by another, go."""
    if log.on != WHOLE_GAME:
        log.count = 0
        return
    capacity = log.rows.shape[0]
    if log.count > capacity:
        log.count = capacity + 1  # it stays too small
    elif log.first > 0:
        move_rows(log, log.first)
    log.start = log.count


@kernel
def move_rows(log, first):
    """Drop the rows before `first`."""
    for row in range(first, log.count):
        for column in range(COLUMNS):
            log.rows[row - first, column] = log.rows[row, column]
    log.count -= first
    log.first = 0


@kernel
def begin_game(log):
    """The events from here on are those of the next game."""
    if log.on == WHOLE_GAME:
        log.first = log.count


@kernel
def keeps_games(log):
    """Whether what only the seat of an event may know belongs in the log (`EventType.secret`)."""
    return log.on == WHOLE_GAME


class Event(dict):
    """One event as a dict: `event`, `seat`, the fields of its type, `forced`."""


class Events(Sequence[Event]):
    """The events of one viewer, decoded at each access. It holds the rows of this viewer's events and no others.

    Args:
        rows: (count, 6) int16 event rows.
        event_types: The game's event types; a row's first column is the index.
        viewer: A seat: private events of other seats are left out; `PUBLIC`: all private events are left out; None: all
            events (privileged).
    """

    __slots__ = ("_event_types", "_rows")

    def __init__(self, rows: np.ndarray, event_types: Sequence[EventType], viewer: int | str | None = None):
        self._rows = visible_rows(rows, event_types, viewer)
        self._event_types = event_types

    def known_to(self, viewer: int | str | None) -> "Events":
        """Those of these events that a viewer may know; for viewers see `Events`."""
        return Events(self._rows, self._event_types, viewer)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Event]:
        return map(self._decode, self._rows)

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def _decode(self, row: np.ndarray) -> Event:
        event_type = self._event_types[row[0]]
        event = Event(event=event_type.name, seat=int(row[1]))
        event.update(zip(event_type.fields, map(int, row[2:5]), strict=False))
        event["forced"] = bool(row[5])
        return event


class EventJournal:
    """Collects the events of one game, and gives each seat those since its last decision.

    Rows are kept as bytes and decoded by `since_decision`, so that a game whose events nobody reads costs little.
    """

    def __init__(self, event_types: Sequence[EventType], num_players: int):
        self._event_types = event_types
        self._parts: list[bytes] = []
        self._decided = [0] * num_players  # number of parts before a seat's last decision

    def add(self, rows: bytes, seat: int | None = None) -> None:
        """Add the int16 rows of all events of one call, which was the decision of `seat` (None: the set-up)."""
        if seat is not None:
            self._decided[seat] = len(self._parts)
        self._parts.append(rows)

    def since_decision(self, seat: int) -> Events:
        """The events since a seat's last decision that it may know; those that its decision caused are among them."""
        return self._events(self._parts[self._decided[seat] :], seat)

    def before_decision(self, seat: int) -> Events:
        """The events before those of `since_decision`."""
        return self._events(self._parts[: self._decided[seat]], seat)

    def _events(self, parts: list[bytes], seat: int) -> Events:
        return Events(np.frombuffer(b"".join(parts), np.int16).reshape(-1, COLUMNS), self._event_types, seat)


def visible_rows(rows: np.ndarray, event_types: Sequence[EventType], viewer: int | str | None) -> np.ndarray:
    """The rows that a viewer may know, in memory of their own: never a view of rows that the viewer may not know."""
    if viewer is None:
        return rows.copy() if rows.base is not None else rows
    ends = list(zip(rows[:, 0].tolist(), rows[:, 1].tolist(), strict=True))
    visible = rows[np.array([not event_types[event_type].private or seat == viewer for event_type, seat in ends], bool)]
    if any(event_types[event_type].secret and seat != viewer for event_type, seat in ends):
        for row in visible:
            if row[1] != viewer and event_types[row[0]].secret:
                row[2 + len(event_types[row[0]].fields) : -1] = 0
    return visible
