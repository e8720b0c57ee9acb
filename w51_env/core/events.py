"""What happened, as data. Kernels `emit` rows into a log; text, renderers, replays and infos read them.

A log is an int16 array (1 + capacity, 6). Row 0 holds the number of events; a log with no rows is off and costs one
comparison. Each event row is (kind, seat, a, b, c, forced); what a, b, c mean is said by the game's `EventKind`s.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from w51_env.core.compile import kernel

COLUMNS = 6
OFF = np.zeros((0, COLUMNS), np.int16)


@dataclass(frozen=True)
class EventKind:
    """One kind of event.

    Attributes:
        name: Its name in data.
        fields: What columns a, b, c hold, by name; the type of each follows from the name (`relic`, `gap`, ...).
        text: A sentence with {seat} and the fields in braces.
        private: True if only the event's seat may see fields after the first `public_fields`.
    """

    name: str
    fields: tuple[str, ...]
    text: str
    private: bool = False


@kernel
def emit(log, kind, seat, a, b, c, forced):
    """Append an event. Kernels call it always; it returns at once when the log is off."""
    if log.shape[0] == 0:
        return
    row = log[0, 0] + 1
    if row < log.shape[0]:
        log[row, 0] = kind
        log[row, 1] = seat
        log[row, 2] = a
        log[row, 3] = b
        log[row, 4] = c
        log[row, 5] = forced
    log[0, 0] = row


class Event(dict):
    """One event as a dict: `event`, `seat`, the kind's fields, `forced`."""


class Events(Sequence[Event]):
    """The events of one call, decoded when looked at.

    Args:
        rows: (count, 6) int16 event rows.
        kinds: The game's event kinds; a row's first column is the index.
        viewer: The seat that looks, or None for one who may see all. Private events of others are left out.
    """

    __slots__ = ("_kinds", "_rows", "_viewer")

    def __init__(self, rows: np.ndarray, kinds: Sequence[EventKind], viewer: int | None = None):
        self._rows = rows
        self._kinds = kinds
        self._viewer = viewer

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

    def __repr__(self) -> str:
        return repr(list(self))

    def _decode(self, row: np.ndarray) -> Event:
        kind = self._kinds[row[0]]
        event = Event(event=kind.name, seat=int(row[1]))
        event.update(zip(kind.fields, map(int, row[2:5]), strict=False))
        event["forced"] = bool(row[5])
        return event


def logged(log: np.ndarray) -> np.ndarray:
    """(count, 6) the events in a log, as a copy.

    Raises:
        RuntimeError: The log was too small for what happened in one call.
    """
    count = int(log[0, 0])
    if count >= log.shape[0]:
        raise RuntimeError(f"{count} events in one step, but the log holds {log.shape[0] - 1}")
    return log[1 : count + 1].copy()
