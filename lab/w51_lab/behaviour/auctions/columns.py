"""Behaviour tables of single-item auctions: lots, and what each seat knew and bid. Amounts in units."""

import numpy as np

from w51_env.auctions.event_types import EVENT
from w51_env.auctions.state import CENTS
from w51_env.engine.game import Game
from w51_lab.behaviour.contract import (
    LOT,
    MISSING,
    SEAT,
    Behaviour,
    Column,
    EventColumns,
    Statistic,
    Table,
    Tables,
    TableSchema,
    seat_and_agent,
)

_UNITS = "units"
_CENTS = "hundredths"
_NO_SIGNAL = -1


def schemas(game: Game) -> dict[str, TableSchema]:
    """The tables and their columns."""
    lots = (
        LOT,
        *seat_and_agent("seat", "the winner; null if nobody bid", nullable=True),
        Column("price", "i2", "what the winner pays; in an all-pay auction its own bid", nullable=True, unit=_UNITS),
        Column("worth", "i2", "worth to the winner; null with kept values", nullable=True, unit=_CENTS),
        Column("bidders", "i1", "seats that bid"),
        Column("highest", "i1", "the highest signal", unit=_UNITS),
    )
    bids = (
        LOT,
        *SEAT,
        Column("signal", "i1", "what the seat knew: its value, or its signal of a common one", unit=_UNITS),
        Column(
            "bid",
            "i2",
            "its bid, or the price at which it left or bought; null if it passed, or a clock asked it no more",
            nullable=True,
            unit=_UNITS,
        ),
        Column("won", "b1", "whether it won the lot"),
    )
    return {"lots": TableSchema("each auction", lots), "bids": TableSchema("each seat at each auction", bids)}


def tables(game: Game, events: EventColumns, states: np.ndarray) -> Tables:
    """The tables of the games, with the columns of `schemas`."""
    players, begins = game.num_players, events.where(EVENT.ROUND_BEGINS)
    lot, index = events.lot[begins], events.game[begins]
    sold, bid_at = events.where(EVENT.SOLD), events.where(EVENT.SHOWN, EVENT.LEFT, EVENT.CLAIMED)
    winner, price, worth = (
        events.of_lots(sold, values, MISSING) for values in (events.seat[sold], events.a[sold], events.b[sold])
    )
    bids = np.full((len(begins), players), MISSING)
    bids[events.lot_row[bid_at], events.seat[bid_at]] = events.a[bid_at]
    signals = _signals(game, events, len(begins))
    seats = np.arange(players)
    return {
        "lots": {
            "game": index,
            "lot": lot,
            "seat": winner,
            "price": price,
            "worth": worth,
            "bidders": (bids != MISSING).sum(axis=1),
            "highest": signals.max(axis=1),
        },
        "bids": {
            "game": np.repeat(index, players),
            "lot": np.repeat(lot, players),
            "seat": np.tile(seats, len(begins)),
            "signal": signals.ravel(),
            "bid": bids.ravel(),
            "won": (winner[:, None] == seats).ravel(),
        },
    }


def _signals(game: Game, events: EventColumns, count: int) -> np.ndarray:
    """(lots, players): the signals of each lot, which kept values have from the first lot of the game."""
    learned = events.where(EVENT.SIGNAL)
    signals = np.full((count, game.num_players), _NO_SIGNAL)
    signals[events.lot_row[learned], events.seat[learned]] = events.a[learned]
    if game.options["keep_values"]:
        signals = np.repeat(signals[signals[:, 0] != _NO_SIGNAL], game.options["num_rounds"], axis=0)
    return signals


def _overbids(bids: Table) -> np.ndarray:
    return np.asarray(bids["bid"] > bids["signal"])


def _made(bids: Table) -> np.ndarray:
    return np.asarray(bids["bid"] != MISSING)


STATISTICS = (
    Statistic("bids", "overbids", "fraction of its bids above its signal", "bids", counted=_overbids, among=_made),
    Statistic("bids", "bid", "mean of its bids, units", "bids", counted=_made, values=lambda bids: bids["bid"]),
    Statistic(
        *("lots", "payoff", "mean of worth less price of its lots, units", "lots"),
        counted=lambda lots: lots["worth"] != MISSING,
        values=lambda lots: lots["worth"] / CENTS - lots["price"],
    ),
)

BEHAVIOUR = Behaviour(schemas, tables, STATISTICS, EVENT.ROUND_BEGINS, _UNITS, 1 / CENTS)
