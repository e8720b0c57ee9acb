"""Views of the seats of agents that play by them, as language models do, with the sentences of all earlier events."""

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

        for row, journal in self._journals.items():
            journal.add(batch.event_bytes(row))

    def step(self, actions: np.ndarray) -> None:
        """Step the batch with (N,) actions and take its events."""
        seats = self._batch.seat.tolist()
        self._batch.step(actions)
        for row, journal in self._journals.items():
            journal.add(self._batch.event_bytes(row), None if seats[row] < 0 else seats[row])

    def infos(self, rows: np.ndarray, seats: np.ndarray) -> list[dict[str, Any]]:
        """For each seat to move its view, whose news begin with its last decision, and the sentences before these."""
        infos = []
        for row, seat in zip(rows.tolist(), seats.tolist(), strict=True):
            journal = self._journals[row]
            view = self._batch.view(row, seat, news=journal.since_decision(seat))
            earlier = tuple(self._batch.game.event_text(event) for event in journal.before_decision(seat))
            infos.append({"view": view, "earlier": earlier})
        return infos
