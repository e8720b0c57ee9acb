"""The past of the games of a batch: what reads and writes the logs that have it."""

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from w51_env.engine.buffers import Buffers
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS, visible_rows
from w51_env.engine.game import Game
from w51_env.engine.history import FIELDS, FITS, event_rows, kind_table, write_history
from w51_env.engine.options import as_array, check_flag, check_range

MAX_ROWS = 2**14

History = tuple[np.ndarray, np.ndarray]  # (N, K, COLUMNS) int16 rows, (N,) int64 lengths


def check_rows(name: str, value: Any, least: int = 1) -> int:
    """The number of rows of a history; OptionError unless it is an integer from `least` to MAX_ROWS."""
    return check_range(name, value, least, MAX_ROWS)


class PastOfGames:
    """Reads and writes the past of the games of one batch.

    Args:
        game: The game with its rules bound.
        buffers: The memory of the batch.
        rows: The number of rows that a history has unless a call says another; 0: no past is kept.

    Attributes:
        is_kept: Whether there is anything to read.
    """

    def __init__(self, game: Game, buffers: Buffers, rows: int):
        self._game, self._buffers, self._logs = game, buffers, buffers.log
        self._rows, self.is_kept = rows, rows > 0
        self._viewers, self._kinds = np.empty(len(buffers.games), np.int8), kind_table(game.event_kinds if rows else ())

    @cached_property
    def _usual(self) -> tuple[Callable[[int], int], np.ndarray, np.ndarray]:
        return self._bind(self._rows)

    def _bind(self, most: int) -> tuple[Callable[[int], int], np.ndarray, np.ndarray]:
        """A call that writes histories of at most this many rows: (final), and the memory it writes to."""
        count = len(self._viewers)
        rows, lengths = np.zeros((count, most * COLUMNS), np.int16), np.zeros(count, np.int64)
        parts = (self._buffers.settings, self._buffers.slots, self._logs, self._kinds, self._viewers)
        return write_history.bind(*parts, rows, lengths), rows.reshape(count, most, COLUMNS), lengths

    def read(self, last: int | None, viewer: Any, final: bool) -> History:
        """The histories that `Batch.history` returns."""
        self._check_is_kept()
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
            self._check_fits(too_small)
        return rows, lengths

    def _parse_viewers(self, viewer: Any) -> np.ndarray:
        seats, shape, last = as_array("viewer", viewer), self._viewers.shape, self._game.num_players - 1
        if seats.dtype.kind not in "iu" or seats.shape not in ((), shape) or ((seats < -1) | (seats > last)).any():
            raise OptionError(f"viewer: {viewer!r}, but a seat, 0 to {last}, or {shape} of them (-1: none), is needed")
        return seats

    def past(self, index: int, viewer: int | str | None) -> np.ndarray:
        """(M, COLUMNS) int16: the events of one running game that a viewer may know; for viewers see `Events`."""
        self._check_is_kept()
        self._check_fits(index)
        log = self._logs[index]
        return visible_rows(event_rows(log["rows"][log["first"] : log["count"]]), self._game.event_kinds, viewer)

    def forget(self, games: Any = slice(None)) -> None:
        """The past of these games is unknown: their states were not reached by playing here."""
        if self.is_kept:
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
        self._check_is_kept()
        rows, kinds, players = as_array("past", past), len(self._game.event_kinds), self._game.num_players
        if rows.ndim != 2 or rows.shape[1] != COLUMNS or rows.dtype.kind not in "iu":
            raise OptionError(f"past: {rows.dtype} of shape {rows.shape}, but (M, {COLUMNS}) integers are needed")
        lows, highs = (0, -1, *[-MAX_ROWS] * FIELDS, 0), (kinds - 1, players - 1, *[MAX_ROWS] * FIELDS, 1)
        if ((rows < lows) | (rows > highs)).any() or len(rows) > self._game.max_events // 2:
            raise OptionError(f"past: rows that are no events of {self._game.id}; `Batch.past` returns such rows")
        return rows

    def keep_known(self, seats: np.ndarray | int) -> None:
        """Remove what the given seat of each game may not know: the states were redrawn."""
        for log, seat in zip(self._logs, np.broadcast_to(seats, self._viewers.shape), strict=True):
            ends = (log["first"], max(log["first"], log["start"]), log["count"])
            before, now = (
                visible_rows(event_rows(log["rows"][start:stop]), self._game.event_kinds, int(seat))
                for start, stop in pairwise(ends)
            )
            log["first"], log["start"], log["count"] = 0, len(before), len(before) + len(now)
            log["rows"][: log["count"]] = np.concatenate([before, now])

    def _check_is_kept(self) -> None:
        if not self.is_kept:
            raise OptionError("history: it is not kept; make the batch with history=64, or another number of rows")

    def _check_fits(self, index: int) -> None:
        count, capacity = self._logs["count"][index], self._logs["rows"].shape[1]
        if count > capacity:
            raise RuntimeError(f"game {index}: {count} events, but the log holds {capacity} (`Game.max_events`)")
