"""The events of many games as columns, and what both games' auctions need of them."""

from collections.abc import Sequence

import numpy as np


class Rows:
    """Events column by column, by game and then in order; lots are counted by the event that begins one.

    Args:
        parts: (M, 7) int32 each, as `Batch.event_rows` gives them, of one call after the other.
        num_games: How many games there are.
        begins: The kind of event that begins a lot; None: there are no lots.

    Attributes:
        game, kind, seat, a, b, c, forced: (M,) int32.
        lot: (M,) int64, the number of the lot in its game that is, or was last, under the hammer; 0 before the first.
        lot_row: (M,) int64, the same as a row of the table of lots, in which each lot of each game has one; not to be used where `lot` is 0.
        lots: (num_games,) int64, how many each game had.
    """

    def __init__(self, parts: Sequence[np.ndarray], num_games: int, begins: int | None = None):
        rows = np.concatenate(parts) if len(parts) != 1 else parts[0]
        if len(parts) > 1:
            rows = rows[np.argsort(rows[:, 0], kind="stable")]
        self.game, self.kind, self.seat, self.a, self.b, self.c, self.forced = np.ascontiguousarray(rows.T)
        self.num_games = num_games
        begun = self.kind == (-1 if begins is None else begins)
        self.lots = np.bincount(self.game[begun], minlength=num_games)
        count = np.cumsum(begun)
        self.lot_row = count - 1
        self.lot = count - (np.cumsum(self.lots) - self.lots)[self.game]

    def where(self, *kinds: int) -> np.ndarray:
        """Indices of the events of these kinds, in order."""
        found = self.kind == kinds[0]
        for kind in kinds[1:]:
            found |= self.kind == kind
        return np.flatnonzero(found)


class Bids:
    """Who bid for what.

    Args:
        rows: The events.
        made: Indices of the events that are bids, with the bid in `a`.
        players: Seats at a table.

    Attributes:
        counts: (lots, players) int64, bids above 0 that a seat made for a lot.
        highest: (lots, players) int64, the highest of them; 0 if none.
    """

    def __init__(self, rows: Rows, made: np.ndarray, players: int):
        made = made[rows.a[made] > 0]
        size = int(rows.lots.sum()) * players
        cell = rows.lot_row[made] * players + rows.seat[made]
        self.counts = np.bincount(cell, minlength=size).reshape(-1, players)
        highest = np.zeros(size, np.int64)
        highest[cell] = rows.a[made]  # of several bids the last stays, which is the highest
        self.highest = highest.reshape(-1, players)

    def highest_of_others(self, seat: np.ndarray) -> np.ndarray:
        """(lots,) the highest bid of all seats but the given one, (lots,); of all seats where it is -1."""
        others = self.highest.copy()
        own = np.flatnonzero(seat >= 0)
        others[own, seat[own]] = 0
        return others.max(axis=1, initial=0)


def balances(
    rows: Rows,
    players: int,
    start: int,
    flows: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
    at_the_end: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """The table of money: what each seat has at the beginning, after each lot, and, if asked for, at the end.

    Args:
        rows: The events.
        players: Seats at a table.
        start: What each seat begins with.
        flows: (events, seats, amounts): at these events these seats get so much (less than 0: they pay).
        at_the_end: (M,) bool, events that come after the last lot is settled; the end has a row of its own then.
    """
    slots = rows.lots + (1 if at_the_end is None else 2)
    first = np.cumsum(slots) - slots
    change = np.zeros((int(slots.sum()), players), np.int64)
    change[first] = start
    for events, seats, amounts in flows:
        lot = rows.lot[events]
        if at_the_end is not None:
            lot = np.where(at_the_end[events], slots[rows.game[events]] - 1, lot)
        np.add.at(change, (first[rows.game[events]] + lot, seats), amounts)
    running = change.cumsum(axis=0)
    before = running[first] - change[first]
    game = np.repeat(np.arange(rows.num_games), slots)
    money = running - before[game]
    return {
        "game": np.repeat(game, players),
        "lot": np.repeat(np.arange(len(game)) - first[game], players),
        "seat": np.tile(np.arange(players), len(game)),
        "money": money.reshape(-1),
    }


def points_by_source(points: np.ndarray) -> dict[str, np.ndarray]:
    """The table of points, of (games, seats, sources)."""
    game, seat, source = np.indices(points.shape).reshape(3, -1)
    return {"game": game, "seat": seat, "source": source, "points": points.reshape(-1)}
