"""The events of many games as numpy columns, and what behaviour tables of auction games take from them."""

from collections.abc import Sequence

import numpy as np

Flow = tuple[np.ndarray, np.ndarray, np.ndarray]  # (events, seats, amounts): money that seats get at events


class EventColumns:
    """Events column by column, sorted by game and then in order. The game's event that begins a lot counts the lots.

    Args:
        parts: (M, 7) int32 arrays from `Batch.event_rows`, one for each call of the batch.
        num_games: Number of games.
        lot_begins: The kind of event that begins a lot; None: there are no lots.

    Attributes:
        game, kind, seat, a, b, c, forced: (M,) int32.
        lot: (M,) int64, number of the current lot in its game, from 1; 0 before the first.
        lot_row: (M,) int64, index of the current lot among the lots of all games; not to be used where `lot` is 0.
        lots: (num_games,) int64, number of lots of each game.
    """

    def __init__(self, parts: Sequence[np.ndarray], num_games: int, lot_begins: int | None = None):
        rows = np.concatenate(parts) if len(parts) != 1 else parts[0]
        if len(parts) > 1:
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
        self.game, self.kind, self.seat, self.a, self.b, self.c, self.forced = np.ascontiguousarray(rows.T)
        self.num_games = num_games
        begun = self.kind == (-1 if lot_begins is None else lot_begins)
        self.lots = np.bincount(self.game[begun], minlength=num_games)
        count = np.cumsum(begun)
        self.lot_row = count - 1
        self.lot = count - (np.cumsum(self.lots) - self.lots)[self.game]

    def where(self, *kinds: int) -> np.ndarray:
        """Indices of the events of these kinds, in order."""
        matches = self.kind == kinds[0]
        for kind in kinds[1:]:
            matches |= self.kind == kind
        return np.flatnonzero(matches)

    def of_lots(self, at: np.ndarray, values: np.ndarray, missing: int) -> np.ndarray:
        """(lots,) int64: the value at the event of each lot, `missing` for a lot without one.

        Args:
            at: Indices of events, one for a lot at most.
            values: (len(at),) their values.
            missing: The value of the other lots.
        """
        by_lot = np.full(int(self.lots.sum()), missing)
        by_lot[self.lot_row[at]] = values
        return by_lot


def points_table(points: np.ndarray) -> dict[str, np.ndarray]:
    """The table of points: columns `game`, `seat`, `source`, `points`, from (games, seats, sources) integers."""
    game, seat, source = np.indices(points.shape).reshape(3, -1)
    return {"game": game, "seat": seat, "source": source, "points": points.reshape(-1)}
