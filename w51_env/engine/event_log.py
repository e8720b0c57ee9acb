"""The logs of a batch: what happened in its games during its last call and, where it keeps history, before."""

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from w51_env.engine.buffers import Buffers
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS, Events, visible_rows
from w51_env.engine.game import Game
from w51_env.engine.history import FIELDS, FITS, event_rows, type_table, write_history
from w51_env.engine.options import as_array, check_flag, check_range

MAX_ROWS = 2**14

History = tuple[np.ndarray, np.ndarray]  # (N, K, COLUMNS) int16 rows, (N,) int64 lengths


def check_rows(name: str, value: Any, least: int = 1) -> int:
    """The number of rows of a history; OptionError unless it is an integer from `least` to MAX_ROWS."""
    return check_range(name, value, least, MAX_ROWS)


class EventLog:
    """Reads and writes the logs of N games, which the compiled loops write.

    Args:
        game: The game with its rules bound.
        buffers: The memory of the batch.
        is_on: Whether the events of the last call may be read.
        rows: The number of rows that a history has unless a call says another; 0: no past is kept.

    Attributes:
        is_on: The same.
        keeps_games: Whether the past is kept.
    """

    def __init__(self, game: Game, buffers: Buffers, is_on: bool, rows: int):
        self._game, self._buffers = game, buffers
        self._logs = buffers.log
        self.is_on = is_on
        self.keeps_games = rows > 0
        self._rows = rows
        logs = buffers.log
        # Memory views are read in less time than arrays.
        self._counts, self._starts = logs["count"].data, logs["start"].data
        self._bytes = logs.view(np.uint8).data
        self._size, self._rows_at = logs.itemsize, logs.itemsize - logs["rows"][0].nbytes  # they end the record
        self._capacity, self._row_bytes = logs["rows"].shape[1], logs["rows"][0, 0].nbytes
        self._viewers = np.empty(len(buffers.games), np.int8)
        self._type_table = type_table(game.event_types if rows else ())

    def event_bytes(self, index: int) -> bytes:
        """The int16 rows of all events of one game. Privileged.

        Raises:
            RuntimeError: The log was too small for one call.
        """
        count, at = self._counts[index], index * self._size + self._rows_at
        if count > self._capacity:
            self._raise_too_many(count)
        if self.keeps_games:
            return event_rows(self._logs["rows"][index, self._starts[index] : count]).tobytes()
        return bytes(self._bytes[at : at + count * self._row_bytes])

    def events(self, index: int, viewer: int | str | None) -> Events:
        """The events of one game that the viewer may know; for viewers see `Events`."""
        self._check_is_on()
        rows = np.frombuffer(self.event_bytes(index), np.int16).reshape(-1, COLUMNS)
        return Events(rows, self._game.event_types, viewer)

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
        rows[:, 1:] = event_rows(written) if self.keeps_games else written
        return rows

    # ---- the past

    @cached_property
    def _usual(self) -> tuple[Callable[[int], int], np.ndarray, np.ndarray]:
        return self._bind(self._rows)

    def _bind(self, most: int) -> tuple[Callable[[int], int], np.ndarray, np.ndarray]:
        """A call that writes histories of at most this many rows: (final), and the memory it writes to."""
        count = len(self._viewers)
        rows, lengths = np.zeros((count, most * COLUMNS), np.int16), np.zeros(count, np.int64)
        parts = (self._buffers.settings, self._buffers.slots, self._logs, self._type_table, self._viewers)
        return write_history.bind(*parts, rows, lengths), rows.reshape(count, most, COLUMNS), lengths

    def history(self, last: int | None, viewer: Any, final: bool) -> History:
        """The histories that `Batch.history` returns."""
        self._check_keeps_games()
        final, most = check_flag("final", final), self._rows if last is None else check_rows("last", last)
        if viewer is None:
            if final:
                raise OptionError("viewer: None, but the history of a game that is over needs a seat")
            self._viewers[:] = self._buffers.slots["seat"]
        else:
            self._viewers[:] = self._parse_viewers(viewer)
        call, rows, lengths = self._usual if most == self._rows and not final else self._bind(most)
        too_small = call(final)
        if too_small != FITS:
            self._raise_too_many(self._logs["count"][too_small])
        return rows, lengths

    def _parse_viewers(self, viewer: Any) -> np.ndarray:
        seats = as_array("viewer", viewer)
        shape = self._viewers.shape
        last = self._game.num_players - 1
        if seats.dtype.kind not in "iu" or seats.shape not in ((), shape) or ((seats < -1) | (seats > last)).any():
            raise OptionError(f"viewer: {viewer!r}, but a seat, 0 to {last}, or {shape} of them (-1: none), is needed")
        return seats

    def past(self, index: int, viewer: int | str | None) -> np.ndarray:
        """(M, COLUMNS) int16: the events of one running game that a viewer may know; for viewers see `Events`."""
        self._check_keeps_games()
        log = self._logs[index]
        if log["count"] > self._capacity:
            self._raise_too_many(log["count"])
        return visible_rows(event_rows(log["rows"][log["first"] : log["count"]]), self._game.event_types, viewer)

    def forget(self, games: Any = slice(None)) -> None:
        """The past of these games is unknown: their states were not reached by playing here."""
        if self.keeps_games:
            for name in ("count", "start", "first"):
                self._logs[name][games] = 0

    def replace(self, games: slice, past: np.ndarray | None) -> None:
        """These games have this past; None: an unknown one."""
        rows = np.zeros((0, COLUMNS), np.int16) if past is None else self._parse_past(past)
        self.forget(games)
        if len(rows):
            self._logs["rows"][games, : len(rows)] = rows
            self._logs["count"][games] = self._logs["start"][games] = len(rows)

    def _parse_past(self, past: np.ndarray) -> np.ndarray:
        self._check_keeps_games()
        rows = as_array("past", past)
        event_types = len(self._game.event_types)
        players = self._game.num_players
        if rows.ndim != 2 or rows.shape[1] != COLUMNS or rows.dtype.kind not in "iu":
            raise OptionError(f"past: {rows.dtype} of shape {rows.shape}, but (M, {COLUMNS}) integers are needed")
        lows, highs = (0, -1, *[-MAX_ROWS] * FIELDS, 0), (event_types - 1, players - 1, *[MAX_ROWS] * FIELDS, 1)
        if ((rows < lows) | (rows > highs)).any() or len(rows) > self._game.max_events // 2:
            raise OptionError(f"past: rows that are no events of {self._game.id}; `Batch.past` returns such rows")
        return rows

    def keep_known(self, seats: np.ndarray | int) -> None:
        """Remove what the given seat of each game may not know: the states were redrawn."""
        for log, seat in zip(self._logs, np.broadcast_to(seats, self._viewers.shape), strict=True):
            ends = (log["first"], max(log["first"], log["start"]), log["count"])
            before, now = (
                visible_rows(event_rows(log["rows"][start:stop]), self._game.event_types, int(seat))
                for start, stop in pairwise(ends)
            )
            log["first"] = 0
            log["start"] = len(before)
            log["count"] = len(before) + len(now)
            log["rows"][: log["count"]] = np.concatenate([before, now])

    def _check_keeps_games(self) -> None:
        if not self.keeps_games:
            raise OptionError("history: it is not kept; make the batch with history=64, or another number of rows")

    def _check_is_on(self) -> None:
        if not self.is_on:
            raise OptionError("events: the log is off; make the batch with events=True")

    def _raise_too_many(self, count: int) -> None:
        raise RuntimeError(f"{count} events, but the log holds {self._capacity} (`Game.max_events`)")
