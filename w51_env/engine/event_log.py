"""The log of a batch: what happened in its games during its last call."""

from collections.abc import Sequence

import numpy as np

from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS, WHOLE_GAME, EventKind, Events
from w51_env.engine.history import event_rows


class EventLog:
    """Reads the events of N games, which the compiled loops write.

    Args:
        kinds: The game's event kinds.
        logs: (N,) records of `events.log_dtype`, or a single one that is off.
        is_on: Whether events may be read; None: if they are written.

    Attributes:
        is_on: The same.
    """

    def __init__(self, kinds: Sequence[EventKind], logs: np.ndarray, is_on: bool | None = None):
        self.is_on = bool(logs["on"][0]) if is_on is None else is_on
        self._whole_games = bool(logs["on"][0] == WHOLE_GAME)
        self._kinds, self._logs = kinds, logs
        # Memory views are read in less time than arrays.
        self._counts, self._starts, self._bytes = logs["count"].data, logs["start"].data, logs.view(np.uint8).data
        self._size, self._rows_at = logs.itemsize, logs.itemsize - logs["rows"][0].nbytes  # they end the record
        self._capacity, self._row_bytes = logs["rows"].shape[1], logs["rows"][0, 0].nbytes

    def event_bytes(self, index: int) -> bytes:
        """The int16 rows of all events of one game. Privileged.

        Raises:
            RuntimeError: The log was too small for one call.
        """
        count, at = self._counts[index], index * self._size + self._rows_at
        if count > self._capacity:
            self._raise_too_many(count)
        if self._whole_games:
            return event_rows(self._logs["rows"][index, self._starts[index] : count]).tobytes()
        return bytes(self._bytes[at : at + count * self._row_bytes])

    def events(self, index: int, viewer: int | str | None) -> Events:
        """The events of one game that the viewer may know; for viewers see `Events`."""
        self._check_is_on()
        rows = np.frombuffer(self.event_bytes(index), np.int16).reshape(-1, COLUMNS)
        return Events(rows, self._kinds, viewer)

    def rows(self) -> np.ndarray:
        """(M, 1 + COLUMNS) int32: the events of all games, each with the index of its game before it."""
        self._check_is_on()
        ends, first = self._logs["count"].astype(np.int64), self._logs["start"]
        most = ends[ends.argmax()]
        if most > self._capacity:
            self._raise_too_many(most)
        counts = ends - first
        index = np.repeat(np.arange(len(counts)), counts)
        row = np.arange(len(index)) - np.repeat(counts.cumsum() - ends, counts)
        rows = np.empty((len(index), 1 + COLUMNS), np.int32)
        rows[:, 0] = index
        written = self._logs["rows"][index, row]
        rows[:, 1:] = event_rows(written) if self._whole_games else written
        return rows

    def _check_is_on(self) -> None:
        if not self.is_on:
            raise OptionError("events: the log is off; make the batch with events=True")

    def _raise_too_many(self, count: int) -> None:
        raise RuntimeError(f"{count} events in one step, but the log holds {self._capacity}")
