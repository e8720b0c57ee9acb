"""What happened, as data. Kernels `emit` rows into a log; text, renderers, replays and infos read them.

A log is a record; one that is off costs a comparison. Each event row is (kind, seat, a, b, c, forced); what a, b, c mean
is said by the game's `EventKind`s.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_env.core.compile import kernel

COLUMNS = 6


def log_dtype(capacity: int) -> np.dtype:
    """The record of a log that holds so many events. `count` goes on past the capacity, so that an overflow is seen."""
    return np.dtype([("on", "i2"), ("count", "i2"), ("rows", "i2", (capacity, COLUMNS))])


@dataclass(frozen=True)
class EventKind:
    """One kind of event.

    Attributes:
        name: Its name in data.
        fields: What columns a, b, c hold, by name. All are integers; the name tells the game's text what one stands for.
        text: A sentence with {seat} and the fields in braces.
        private: True if only the event's seat may see it.
    """

    name: str
    fields: tuple[str, ...]
    text: str
    private: bool = False


@kernel
def emit(log, kind, seat, a, b, c, forced):
    """Append an event. Kernels call it always; it returns at once when the log is off."""
    if log.on == 0:
        return
    row = log.count
    if row < log.rows.shape[0]:
        log.rows[row, 0] = kind
        log.rows[row, 1] = seat
        log.rows[row, 2] = a
        log.rows[row, 3] = b
        log.rows[row, 4] = c
        log.rows[row, 5] = forced
    log.count += 1


class Event(dict):
    """One event as a dict: `event`, `seat`, the kind's fields, `forced`."""


class Events(Sequence[Event]):
    """The events of one call, decoded when looked at.

    Args:
        rows: (count, 6) int16 event rows.
        kinds: The game's event kinds; a row's first column is the index.
        viewer: The seat that looks, or None for one who may see all. Private events of others are left out; `PUBLIC`
            sees no private events.
    """

    __slots__ = ("_kinds", "_rows", "_viewer")

    def __init__(self, rows: Iterable[np.ndarray], kinds: Sequence[EventKind], viewer: int | str | None = None):
        self._rows = rows
        self._kinds = kinds
        self._viewer = viewer

    @classmethod
    def joined(cls, parts: Sequence["Events"], kinds: Sequence[EventKind], viewer: int | str | None = None) -> "Events":
        """The events of several calls as one sequence, for another viewer."""
        return cls(_Rows(parts), kinds, viewer)

    def _visible(self) -> list[np.ndarray]:
        if self._viewer is None:
            return list(self._rows)
        return [row for row in self._rows if not self._kinds[row[0]].private or row[1] == self._viewer]

    def __len__(self) -> int:
        return len(self._visible())

    def __iter__(self) -> Iterator[Event]:
        return map(self._decode, self._visible())

    def __getitem__(self, index: Any) -> Any:
        rows = self._visible()[index]
        return [self._decode(row) for row in rows] if isinstance(index, slice) else self._decode(rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def _decode(self, row: np.ndarray) -> Event:
        kind = self._kinds[row[0]]
        event = Event(event=kind.name, seat=int(row[1]))
        event.update(zip(kind.fields, map(int, row[2:5]), strict=False))
        event["forced"] = bool(row[5])
        return event


class _Rows:
    """The rows of several `Events`, brought together when looked at."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Events]):
        self._parts = parts

    def __iter__(self) -> Iterator[np.ndarray]:
        for part in self._parts:
            yield from part._rows


def logged(log: np.void) -> np.ndarray:
    """(count, 6) the events in a log record, as a copy.

    Raises:
        RuntimeError: The log was too small for what happened in one call.
    """
    count = int(log["count"])
    if count > len(log["rows"]):
        raise RuntimeError(f"{count} events in one step, but the log holds {len(log['rows'])}")
    return log["rows"][:count].copy()


def logged_rows(logs: np.ndarray) -> np.ndarray:
    """(M, 1 + COLUMNS) int32: the events in (N,) log records, each with the index of its log before it.

    Raises:
        RuntimeError: One of the logs was too small for what happened in one call.
    """
    counts = logs["count"].astype(np.int64)
    fullest = int(counts.argmax())
    if counts[fullest] > logs["rows"].shape[1]:
        logged(logs[fullest])
    starts = counts.cumsum() - counts
    index = np.repeat(np.arange(len(logs)), counts)
    place = np.arange(len(index)) - np.repeat(starts, counts)
    rows = np.empty((len(index), 1 + COLUMNS), np.int32)
    rows[:, 0] = index
    rows[:, 1:] = logs["rows"][index, place]
    return rows
