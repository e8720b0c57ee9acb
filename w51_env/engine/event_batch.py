"""What happened in the games of a batch, and what viewers may know of them."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from w51_env.compiler.compile import rows
from w51_env.engine.buffers import Buffers
from w51_env.engine.errors import OptionError
from w51_env.engine.events import Event, Events, check_log_size, logged, logged_rows
from w51_env.engine.game import ALL, PUBLIC, Game, Viewer, check_viewer
from w51_env.engine.options import check_choice
from w51_env.engine.state_batch import StateBatch


class EventBatch(StateBatch):
    """The events and views of a batch of games; `Batch` adds how they are played."""

    def __init__(self, game: Game, num_games: int, buffers: Buffers):
        super().__init__(game, num_games, buffers)
        log = buffers.log
        # Memory views are read in less time than arrays.
        self._log_counts, self._log_bytes = log["count"].data, log.view(np.uint8).data
        self._log_size, self._rows_at = log.dtype.itemsize, log.dtype.fields["rows"][1]
        self._row_bytes = log["rows"][0, 0].nbytes

    def events(self, index: int, viewer: Viewer = None) -> Events:
        """The events of one game in the last call. Privileged without a viewer.

        Args:
            index: The game.
            viewer: A seat: the events that this seat may know, and no others; `PUBLIC`: those that all may know; None:
                all events, private ones too.

        Raises:
            OptionError: The log is off, or there is no such game or viewer.
            RuntimeError: The log was too small for one call.
        """
        self._check_log("events")
        self._check_index(index)
        if viewer is not None:
            check_choice("viewer", viewer, (None, PUBLIC, *range(self.game.num_players)))
        with self._alone:
            return self._events(index, viewer)

    def _events(self, index: int, viewer: int | str | None) -> Events:
        return Events(logged(self._buffers.log[index]), self.game.event_kinds, viewer)

    def view(self, index: int, viewer: int | str, *, news: Iterable[Event] | None = None, words: Any = None) -> Any:
        """What a viewer may know of one game, as plain data with words, for people and language models: a
        `views.view.View`.

        Args:
            index: The game.
            viewer: A seat; `PUBLIC`; or `ALL`, which is privileged.
            news: Events for the view, that this viewer may know; None: those of the last call if the log is on.
            words: Language and names of the seats (`views.language.Words`); None: English, `Player 0` and so on.

        Raises:
            OptionError: There is no such game or viewer.
        """
        self._check_index(index)
        check_viewer(self.game, viewer)
        self._check_open("view")
        with self._alone:
            if news is None:
                news = self._events(index, None if viewer == ALL else viewer) if self.logs_events else ()
            legal = self._buffers.legal[index, : self._slots["count"][index]].tolist()
            observe = partial(self._observe_one, index)
            make_view = self.game.presentation.make_view
            return make_view(self.game, self.games[index], viewer, legal=legal, news=news, observe=observe, words=words)

    @property
    def logs_events(self) -> bool:
        """Whether the log is on."""
        return bool(self._buffers.log["on"][0])

    def event_bytes(self, index: int) -> bytes:
        """The int16 rows of all events of one game in the last call, for `engine.events.EventJournal`. Privileged.

        Raises:
            RuntimeError: The log was too small for one call.
        """
        start, size = index * self._log_size + self._rows_at, self._log_counts[index] * self._row_bytes
        if size > self._log_size - self._rows_at:
            check_log_size(self._log_counts[index], self.game.max_events)
        return bytes(self._log_bytes[start : start + size])

    def event_rows(self) -> np.ndarray:
        """(M, 7) int32: all events of all games in the last call, by game and then in order. Privileged.

        The columns: the game's index, then kind, seat, a, b, c, forced (`engine.events`). For many games this is much
        faster than `events`.

        Raises:
            OptionError: The log is off.
            RuntimeError: The log was too small for one call.
        """
        self._check_log("event_rows")
        return logged_rows(self._buffers.log)

    def _observe_one(self, index: int, seat: int) -> np.ndarray:
        """(layout.size,) int8: the observation of one seat of one game."""
        rules, games = self._buffers.game_arguments
        out = np.empty((1, self.game.layout.size), np.int8)
        self._loops.observe(rules, games[index : index + 1], np.full(1, seat, np.int8), rows(out))
        return out[0]

    def _check_log(self, call: str) -> None:
        self._check_not_refused(call)
        if not self._buffers.log["on"][0]:
            raise OptionError("events: the log is off; make the batch with events=True")
