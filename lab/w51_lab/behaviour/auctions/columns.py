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
        Column("revenue", "i2", "what all bidders pay together, also those that do not win, with fees", unit=_UNITS),
        Column("surplus", "i4", "worth to the winner less the revenue: what all bidders gain together", unit=_CENTS),
        Column("efficiency", "i2", "worth to the winner in percent of the highest worth to a bidder", unit="percent"),
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
        Column("paid", "i2", "what it pays, won or not, with the fee", unit=_UNITS),
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
    paid = _paid(game, bids, winner, price)
    gained, best = _worths(game, signals, winner, worth, states["common"][index].astype(np.int64))
    share = np.where(best > 0, 100 * gained // np.maximum(best, 1), 100 * (winner != MISSING))
    return {
        "lots": {
            "game": index,
            "lot": lot,
            "seat": winner,
            "price": price,
            "worth": worth,
            "revenue": paid.sum(axis=1),
            "surplus": gained - CENTS * paid.sum(axis=1),
            "efficiency": share,
            "bidders": (bids != MISSING).sum(axis=1),
            "highest": signals.max(axis=1),
        },
        "bids": {
            "game": np.repeat(index, players),
            "lot": np.repeat(lot, players),
            "seat": np.tile(seats, len(begins)),
            "signal": signals.ravel(),
            "bid": bids.ravel(),
            "paid": paid.ravel(),
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


def _paid(game: Game, bids: np.ndarray, winner: np.ndarray, price: np.ndarray) -> np.ndarray:
    """(lots, players): what each seat pays."""
    fees = game.options["entry_fee"] * (bids != MISSING)
    if game.options["auction"] == "all_pay":
        return np.asarray(np.maximum(bids, 0) + fees)
    return np.asarray(fees + np.maximum(price, 0)[:, None] * (winner[:, None] == np.arange(bids.shape[1])))


def _worths(
    game: Game, signals: np.ndarray, winner: np.ndarray, worth: np.ndarray, common: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(lots,) each, in hundredths: the worth to the winner, 0 without one, and the highest worth to any bidder.

    Kept values are in no event: they follow from the signals, or from the common value at the end.
    """
    own = np.take_along_axis(signals, np.maximum(winner, 0)[:, None], axis=1)[:, 0]
    values = game.options["values"]
    if values in ("private", "affiliated"):
        kept, best = CENTS * own, CENTS * signals.max(axis=1)
    else:
        kept = CENTS * (common if values == "mineral" else 0) + (values == "average") * (
            CENTS * signals.sum(axis=1) // signals.shape[1]
        )
        best = np.where(worth != MISSING, worth, kept)
    gained = np.where(winner == MISSING, 0, np.where(worth != MISSING, worth, kept))
    return gained, best


def _overbids(bids: Table) -> np.ndarray:
    return np.asarray(bids["bid"] > bids["signal"])


def _pays(bids: Table) -> np.ndarray:
    return np.asarray(bids["paid"])


def _made(bids: Table) -> np.ndarray:
    return np.asarray(bids["bid"] != MISSING)


STATISTICS = (
    Statistic("bids", "overbids", "fraction of its bids above its signal", "bids", counted=_overbids, among=_made),
    Statistic("bids", "bid", "mean of its bids, units", "bids", counted=_made, values=lambda bids: bids["bid"]),
    Statistic("bids", "paid", "mean of what it pays at an auction, won or not, units", "bids", values=_pays),
    Statistic(
        *("lots", "payoff", "mean of worth less price of its lots, units", "lots"),
        counted=lambda lots: lots["worth"] != MISSING,
        values=lambda lots: lots["worth"] / CENTS - lots["price"],
    ),
)

BEHAVIOUR = Behaviour(schemas, tables, STATISTICS, EVENT.ROUND_BEGINS, _UNITS, 1 / CENTS)
