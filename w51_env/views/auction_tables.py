"""Behaviour tables that auction games share: lots, bids, each bid and pass in order, each seat at each lot."""

from collections.abc import Sequence

import numpy as np

from w51_env.views.behaviour import LOT, MISSING, SEAT, Column, Table, seat_and_agent
from w51_env.views.event_columns import Bids, EventColumns, Flow


class Purses:
    """The money of each seat at any event.

    Args:
        events: The events.
        num_players: Number of seats.
        start: Money of each seat at the beginning.
        flows: (events, seats, amounts): at these events these seats get this much.
    """

    def __init__(self, events: EventColumns, num_players: int, start: int, flows: Sequence[Flow]):
        self._events, self._players, self._start = events, num_players, start
        at, seats, amounts = (np.concatenate([flow[part] for flow in flows]) for part in range(3))
        place = self._place(at, seats)
        order = np.argsort(place, kind="stable")
        self._places = place[order]
        self._totals = np.concatenate([[0], np.cumsum(amounts[order])])

    def _place(self, at: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Numbers that rise by game, then seat, then event."""
        return (self._events.game[at].astype(np.int64) * self._players + seats) * (len(self._events.game) + 1) + at

    def before(self, at: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """The money of these seats just before these events."""
        place = self._place(at, seats)
        begin = place - at  # before the first event of this game and seat
        totals = self._totals[np.searchsorted(self._places, place)]
        return np.asarray(self._start + totals - self._totals[np.searchsorted(self._places, begin)])


def auction_columns(price: Column) -> tuple[Column, ...]:
    """The columns of how a lot was auctioned, as `Bids.of_lots` fills them: the bids, the buyer and the price."""
    other = "the highest bid of any seat but the buyer, 0 if there is none"
    return (
        Column("bids", "i2", "bids above 0, of all seats"),
        Column("bidders", "i1", "seats that bid more than 0"),
        *seat_and_agent("seat", "the buyer; null if unsold", nullable=True),
        price,
        Column("other_bid", price.dtype, other, unit=price.unit),
    )


def bid_columns(lot: str, unit: str, dtype: str) -> tuple[Column, ...]:
    """The columns of how a seat bid for a lot, which is a card or a relic."""
    return (
        Column("bids", "i2", "number of bids of the seat"),
        Column("highest", dtype, "the highest bid of the seat", unit=unit),
        Column("bought", "b1", f"whether the seat bought the {lot}"),
    )


def call_columns(money: str, unit: str, dtype: str) -> tuple[Column, ...]:
    """The columns of the table `calls`; `money` is the name of the column of money held."""
    return (
        *(LOT, *SEAT),
        Column("call", "i2", "number of the bid or pass in its lot, from 1; blind bids in the order of showing"),
        Column("bid", dtype, "the bid; 0: the seat passed", unit=unit),
        Column("standing", dtype, "the highest bid before; 0 before the first, and in a blind auction", unit=unit),
        Column(money, dtype, f"{unit} of the seat at this moment", unit=unit),
        Column("forced", "b1", "whether it was the only legal action"),
    )


def stake_columns(money: str, unit: str, dtype: str) -> tuple[Column, ...]:
    """The columns of the table `stakes` that all games have; `money` is the name of the column of money held."""
    return (
        Column(money, dtype, f"{unit} of the seat when the lot came up", unit=unit),
        Column("bids", "i2", "number of bids of the seat"),
        Column("highest", dtype, "the highest bid of the seat; 0 if it did not bid", unit=unit),
        Column(
            "dropped", "i1", "its place in the order of dropping out, from 1; null if it did not pass", nullable=True
        ),
        Column("bought", "b1", "whether the seat bought the lot"),
    )


def calls_table(
    events: EventColumns, bids: np.ndarray, passes: np.ndarray, blind: np.ndarray, purses: Purses, money: str
) -> Table:
    """The table `calls`.

    Args:
        events: The events.
        bids: Indices of the events that are bids, with the bid in `a`.
        passes: Indices of the events that are passes.
        blind: (lots,) bool, whether the bids of a lot are shown together.
        purses: The money of each seat.
        money: Name of the column of money held.
    """
    at = np.sort(np.concatenate([bids, passes]))
    lot = events.lot_row[at]
    bid = np.where(np.isin(at, bids), events.a[at], 0)
    first = np.searchsorted(lot, lot)  # of each lot
    standing = np.zeros(len(at), np.int64)
    standing[1:] = _highest_before(bid, first)
    return {
        "game": events.game[at],
        "lot": events.lot[at],
        "seat": events.seat[at],
        "call": np.arange(len(at)) - first + 1,
        "bid": bid,
        "standing": np.where(blind[lot], 0, standing),
        money: purses.before(at, events.seat[at]),
        "forced": events.forced[at] != 0,
    }


def _highest_before(bid: np.ndarray, first: np.ndarray) -> np.ndarray:
    """For each call but the first: the highest bid of its lot before it. Bids of a lot rise or stay equal."""
    reach = np.int64(bid.max(initial=0)) + 1
    rising = np.maximum.accumulate(first * reach + bid)  # a later lot is above all earlier ones
    return np.where(first[1:] == first[:-1], rising[:-1] - first[:-1] * reach, 0)


def stakes_table(
    events: EventColumns,
    lots: np.ndarray,
    bids: Bids,
    passes: np.ndarray,
    buyer: np.ndarray,
    purses: Purses,
    money: str,
) -> Table:
    """The columns of `stake_columns`, with `game`, `lot` and `seat`: a row for each seat at each lot, in order.

    Args:
        events: The events.
        lots: Indices of the events that begin the lots.
        bids: The bids.
        passes: Indices of the events that are passes for good.
        buyer: (lots,) the buyer, or -1.
        purses: The money of each seat.
        money: Name of the column of money held when the lot came up.
    """
    count, players = bids.counts.shape
    dropped = np.full((count, players), MISSING)
    row = events.lot_row[passes]
    dropped[row, events.seat[passes]] = np.arange(len(passes)) - np.searchsorted(row, row) + 1
    at, seat = np.repeat(lots, players), np.tile(np.arange(players), count)
    return {
        "game": events.game[at],
        "lot": events.lot[at],
        "seat": seat,
        money: purses.before(at, seat),
        "bids": bids.counts.reshape(-1),
        "highest": bids.highest.reshape(-1),
        "dropped": dropped.reshape(-1),
        "bought": (buyer[:, None] == np.arange(players)).reshape(-1),
    }
