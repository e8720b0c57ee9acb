"""Behaviour tables that auction games share: lots, bids, each bid and pass in order, each seat at each lot, money."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from w51_lab.behaviour.contract import LOT, MISSING, SEAT, Column, EventColumns, Flow, Table, seat_and_agent


class Purses:
    """The money of each seat at any event, by what it has at the beginning and the flows, as those of `Auctions`."""

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
    """The columns of how a lot was auctioned: the bids, the buyer and the price."""
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


class AuctionKinds(NamedTuple):
    """Types of the events of auctions.

    Attributes:
        begins: A lot begins; the game's `Behaviour.lot_begins`.
        bids: A bid is made, or shown, with the bid in `a`.
        passes: A seat passes for good.
        buys: A seat buys the lot, for the price in `b`.
    """

    begins: int
    bids: tuple[int, ...]
    passes: int
    buys: int


class Auctions:
    """The auctions of many games: who bid how much for which lot, who bought it, and what money the seats had.

    Args:
        events: The events.
        num_players: Number of seats.
        kinds: Types of the events of auctions.
        money: Name of the column of money held.
        start: Money of each seat at the beginning.
        flows: (events, seats, amounts): at these events these seats get this much; negative amounts are paid.

    Attributes:
        begins: (lots,) indices of the events that begin the lots.
        buyer, price: (lots,) int64, the buyer and what it paid; -1 for a lot that is not sold.
        counts: (lots, num_players) int64, bids above 0 of a seat for a lot.
        highest: (lots, num_players) int64, the highest of them; 0 if there are none.
    """

    def __init__(
        self, events: EventColumns, num_players: int, kinds: AuctionKinds, money: str, start: int, flows: Sequence[Flow]
    ):
        self.events, self.num_players = events, num_players
        self.begins = events.where(kinds.begins)
        bought = events.where(kinds.buys)
        self.buyer = events.of_lots(bought, events.seat[bought], MISSING)
        self.price = events.of_lots(bought, events.b[bought], MISSING)
        self._bids, self._passes = events.where(*kinds.bids), events.where(kinds.passes)
        self._money, self._start, self._flows = money, start, flows
        self._purses = Purses(events, num_players, start, flows)
        made = self._bids[events.a[self._bids] > 0]
        size = len(self.begins) * num_players
        cell = events.lot_row[made] * num_players + events.seat[made]
        self.counts = np.bincount(cell, minlength=size).reshape(-1, num_players)
        highest = np.zeros(size, np.int64)
        highest[cell] = events.a[made]  # of several bids the last stays, which is the highest
        self.highest = highest.reshape(-1, num_players)

    def _placed(self, at: np.ndarray) -> Table:
        """The columns `game` and `lot` of these events."""
        return {"game": self.events.game[at], "lot": self.events.lot[at]}

    def lots(self) -> Table:
        """A row for each lot: `game`, `lot`, and the columns of `auction_columns`."""
        others = self.highest.copy()
        sold = np.flatnonzero(self.buyer >= 0)
        others[sold, self.buyer[sold]] = 0
        return {
            **self._placed(self.begins),
            "bids": self.counts.sum(axis=1),
            "bidders": (self.counts > 0).sum(axis=1),
            "seat": self.buyer,
            "price": self.price,
            "other_bid": others.max(axis=1, initial=0),
        }

    def bids(self) -> tuple[Table, np.ndarray]:
        """A row for each seat that bid more than 0 for a lot: `game`, `lot`, `seat`, and the columns of `bid_columns`.

        Returns:
            The table, and (rows,) int64, the index of the lot.
        """
        lot, seat = np.nonzero(self.counts)
        table = {
            **self._placed(self.begins[lot]),
            "seat": seat,
            "bids": self.counts[lot, seat],
            "highest": self.highest[lot, seat],
            "bought": self.buyer[lot] == seat,
        }
        return table, lot

    def calls(self, blind: np.ndarray) -> Table:
        """A row for each bid and pass, in order: `game`, and the columns of `call_columns`.

        `blind` is (lots,) bool, whether the bids of a lot are shown together.
        """
        events, at = self.events, np.sort(np.concatenate([self._bids, self._passes]))
        lot = events.lot_row[at]
        bid = np.where(np.isin(at, self._bids), events.a[at], 0)
        first = np.searchsorted(lot, lot)  # of each lot
        standing = np.zeros(len(at), np.int64)
        standing[1:] = _highest_before(bid, first)
        return {
            **self._placed(at),
            "seat": events.seat[at],
            "call": np.arange(len(at)) - first + 1,
            "bid": bid,
            "standing": np.where(blind[lot], 0, standing),
            self._money: self._purses.before(at, events.seat[at]),
            "forced": events.forced[at] != 0,
        }

    def stakes(self) -> Table:
        """A row for each seat at each lot, in order: `game`, `lot`, `seat`, and the columns of `stake_columns`."""
        dropped = np.full(self.counts.shape, MISSING)
        row = self.events.lot_row[self._passes]
        dropped[row, self.events.seat[self._passes]] = np.arange(len(row)) - np.searchsorted(row, row) + 1
        at, seat = np.repeat(self.begins, self.num_players), np.tile(np.arange(self.num_players), len(self.begins))
        return {
            **self._placed(at),
            "seat": seat,
            self._money: self._purses.before(at, seat),
            "bids": self.counts.reshape(-1),
            "highest": self.highest.reshape(-1),
            "dropped": dropped.reshape(-1),
            "bought": (self.buyer[:, None] == np.arange(self.num_players)).reshape(-1),
        }

    def money(self, final: np.ndarray | None = None) -> Table:
        """The table of money: what each seat has at the beginning, after each lot, and, if asked for, at the end.

        Args:
            final: (M,) bool, events after the last lot is complete. The table then has one more row per seat, for the
                end of the game.

        Returns:
            Columns `game`, `lot` (0: at the beginning), `seat`, `money`.
        """
        events, players = self.events, self.num_players
        slots = events.lots + (1 if final is None else 2)
        first = np.cumsum(slots) - slots
        change = np.zeros((int(slots.sum()), players), np.int64)
        change[first] = self._start
        for at, seats, amounts in self._flows:
            lot = events.lot[at]
            if final is not None:
                lot = np.where(final[at], slots[events.game[at]] - 1, lot)
            np.add.at(change, (first[events.game[at]] + lot, seats), amounts)
        running = change.cumsum(axis=0)
        before = running[first] - change[first]
        game = np.repeat(np.arange(events.num_games), slots)
        return {
            "game": np.repeat(game, players),
            "lot": np.repeat(np.arange(len(game)) - first[game], players),
            "seat": np.tile(np.arange(players), len(game)),
            "money": (running - before[game]).reshape(-1),
        }


def _highest_before(bid: np.ndarray, first: np.ndarray) -> np.ndarray:
    """For each call but the first: the highest bid of its lot before it. Bids of a lot rise or stay equal."""
    reach = np.int64(bid.max(initial=0)) + 1
    rising = np.maximum.accumulate(first * reach + bid)  # a later lot is above all earlier ones
    return np.where(first[1:] == first[:-1], rising[:-1] - first[:-1] * reach, 0)
