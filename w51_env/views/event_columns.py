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


class Bids:
    """Who bid how much for which lot.

    Args:
        events: The events.
        made: Indices of the events that are bids, with the bid in `a`.
        num_players: Number of seats.

    Attributes:
        counts: (lots, num_players) int64, bids above 0 of a seat for a lot.
        highest: (lots, num_players) int64, the highest of them; 0 if there are none.
    """

    def __init__(self, events: EventColumns, made: np.ndarray, num_players: int):
        made = made[events.a[made] > 0]
        size = int(events.lots.sum()) * num_players
        cell = events.lot_row[made] * num_players + events.seat[made]
        self.counts = np.bincount(cell, minlength=size).reshape(-1, num_players)
        highest = np.zeros(size, np.int64)
        highest[cell] = events.a[made]  # of several bids the last stays, which is the highest
        self.highest = highest.reshape(-1, num_players)

    def of_lots(self, buyer: np.ndarray, price: np.ndarray) -> dict[str, np.ndarray]:
        """The columns `auction_columns` of lots, from their buyers, -1 for none, and their prices, (lots,) each."""
        return {
            "bids": self.counts.sum(axis=1),
            "bidders": (self.counts > 0).sum(axis=1),
            "seat": buyer,
            "price": price,
            "other_bid": self.highest_of_others(buyer),
        }

    def highest_of_others(self, seat: np.ndarray) -> np.ndarray:
        """(lots,) the highest bid of all seats but the given one, (lots,); of all seats where it is -1."""
        others = self.highest.copy()
        has_seat = np.flatnonzero(seat >= 0)
        others[has_seat, seat[has_seat]] = 0
        return others.max(axis=1, initial=0)


def money_table(
    events: EventColumns, num_players: int, start: int, flows: Sequence[Flow], final: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """The table of money: what each seat has at the beginning, after each lot, and, if asked for, at the end.

    Args:
        events: The events.
        num_players: Number of seats.
        start: Money of each seat at the beginning.
        flows: (events, seats, amounts): at these events these seats get this much; negative amounts are paid.
        final: (M,) bool, events after the last lot is complete. The table then has one more row per seat, for the end
            of the game.

    Returns:
        Columns `game`, `lot` (0: at the beginning), `seat`, `money`.
    """
    slots = events.lots + (1 if final is None else 2)
    first = np.cumsum(slots) - slots
    change = np.zeros((int(slots.sum()), num_players), np.int64)
    change[first] = start
    for at, seats, amounts in flows:
        lot = events.lot[at]
        if final is not None:
            lot = np.where(final[at], slots[events.game[at]] - 1, lot)
        np.add.at(change, (first[events.game[at]] + lot, seats), amounts)
    running = change.cumsum(axis=0)
    before = running[first] - change[first]
    game = np.repeat(np.arange(events.num_games), slots)
    return {
        "game": np.repeat(game, num_players),
        "lot": np.repeat(np.arange(len(game)) - first[game], num_players),
        "seat": np.tile(np.arange(num_players), len(game)),
        "money": (running - before[game]).reshape(-1),
    }


def points_table(points: np.ndarray) -> dict[str, np.ndarray]:
    """The table of points: columns `game`, `seat`, `source`, `points`, from (games, seats, sources) integers."""
    game, seat, source = np.indices(points.shape).reshape(3, -1)
    return {"game": game, "seat": seat, "source": source, "points": points.reshape(-1)}
