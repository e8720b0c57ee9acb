"""Views of the seats of agents that play by them, as language models do, with the sentences of all earlier events."""

from collections import defaultdict
from typing import Any

import numpy as np

from w51_env.core.batch import Batch
from w51_env.core.events import EventJournal


class SeatViews:
    """The infos `view` and `earlier` of the seats of some games in a batch that logs events.

    Args:
        batch: The batch, after its reset.
        rows: Rows of the games.
    """

    def __init__(self, batch: Batch, rows: np.ndarray):
        self._batch = batch
        kinds, players = batch.game.event_kinds, batch.game.num_players
        self._journals = {int(row): EventJournal(kinds, players) for row in rows}
        self._earlier: dict[tuple[int, int], list[str]] = defaultdict(list)

    def log_events(self) -> None:
        """Take the events of the batch's last call."""
        for row, journal in self._journals.items():
            journal.add(self._batch.events(row))

    def infos(self, rows: np.ndarray, seats: np.ndarray) -> list[dict[str, Any]]:
        """For each seat to move its view, whose news begin after its last decision, and the sentences before these."""
        infos = []
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            view = self._batch.view(row, seat, news=self._journals[row].take(seat))
            earlier = self._earlier[row, seat]
            infos.append({"view": view, "earlier": tuple(earlier)})
            earlier += [event["text"] for event in view.news]
        return infos
