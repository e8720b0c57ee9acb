"""Behaviour tables of auctions: lots, and what each seat knew and bid. Amounts in units; sums are of both lots."""

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


def schemas(game: Game) -> dict[str, TableSchema]:
    """The tables and their columns."""
    lots = (
        LOT,
        *seat_and_agent("seat", "the winner, of two lots of the first one sold; null if nobody bid", nullable=True),
        Column("price", "i2", "what the winner pays; in an all-pay auction its own bid", nullable=True, unit=_UNITS),
        Column("worth", "i2", "worth of this lot to the winner; null with kept values", nullable=True, unit=_CENTS),
        Column("revenue", "i2", "what all bidders pay together, also those that do not win, with fees", unit=_UNITS),
        Column("surplus", "i4", "worth of lots sold less the revenue: what all bidders gain together", unit=_CENTS),
        Column(
            "efficiency", "i2", "worth of lots sold in percent of the most that they could be worth", unit="percent"
        ),
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
        Column(
            "second_bid", "i2", "its bid for a second lot; null if it passed or made none", nullable=True, unit=_UNITS
        ),
        Column("paid", "i2", "what it pays, won or not, with the fee", unit=_UNITS),
        Column("won", "b1", "whether it won a lot"),
    )
    return {"lots": TableSchema("each auction", lots), "bids": TableSchema("each seat at each auction", bids)}


def tables(game: Game, events: EventColumns, states: np.ndarray) -> Tables:
    """The tables of the games, with the columns of `schemas`."""
    players, begins = game.num_players, events.where(EVENT.ROUND_BEGINS)
    lot = events.lot[begins]
    index = events.game[begins]
    seats = np.arange(players)
    bids, seconds = _of_seats(events, events.where(EVENT.SEALED, EVENT.LEFT, EVENT.CLAIMED), len(begins), players)
    signals, second_signals = _signals(game, events, len(begins))
    sales = events.where(EVENT.SOLD)
    is_second = np.append(False, events.lot_row[sales][1:] == events.lot_row[sales][:-1])
    sold, beside = sales[~is_second], sales[is_second]
    winner, price, worth = (
        events.of_lots(sold, values, MISSING) for values in (events.seat[sold], events.a[sold], events.b[sold])
    )
    paid, won = np.zeros((len(begins), players), int), np.zeros((len(begins), players), int)
    np.add.at(won, (events.lot_row[sales], events.seat[sales]), 1)
    if game.options["auction"] == "all_pay":
        paid += np.maximum(bids, 0) + np.maximum(seconds, 0)
    else:
        np.add.at(paid, (events.lot_row[sales], events.seat[sales]), events.a[sales])
    paid += game.options["entry_fee"] * (bids != MISSING)
    if game.rules["two_bids"][0] or game.rules["units"][0]:
        gained, best = _worths_of_two(game, signals, second_signals, won)
        if game.options["items"] > 1:  # which item was sold is in the record of the end, not in the event
            gained = events.of_lots(sold, events.b[sold], 0) + events.of_lots(beside, events.b[beside], 0)
            gained += game.options["synergy"] * ((signals + second_signals) * (won == 2)).sum(axis=1)
    else:
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
            "second_bid": seconds.ravel(),
            "paid": paid.ravel(),
            "won": (won > 0).ravel(),
        },
    }


def _of_seats(events: EventColumns, at: np.ndarray, lots: int, players: int) -> tuple[np.ndarray, np.ndarray]:
    """(lots, players) each: the number in the first and second of these events of a seat; MISSING without one."""
    cells = events.lot_row[at] * players + events.seat[at]
    first = np.unique(cells, return_index=True)[1]
    is_first = np.isin(np.arange(len(at)), first)
    found = np.full((2, lots * players), MISSING)
    found[0, cells[is_first]] = events.a[at[is_first]]
    found[1, cells[~is_first]] = events.a[at[~is_first]]
    return found[0].reshape(lots, players), found[1].reshape(lots, players)


def _signals(game: Game, events: EventColumns, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(lots, players) each: the signals of each lot, which kept values have from the first lot on; and second ones."""
    signals, second = _of_seats(events, events.where(EVENT.SIGNAL), count, game.num_players)
    if game.options["keep_values"]:
        signals = np.repeat(signals[signals[:, 0] != MISSING], game.options["num_rounds"], axis=0)
    return signals, np.maximum(second, 0)


def _worths_of_two(
    game: Game, signals: np.ndarray, second: np.ndarray, won: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(lots,) each, in hundredths: the worth of two units to those who won them, and the most that two lots can be."""
    gained = CENTS * (signals * (won > 0) + second * (won > 1)).sum(axis=1)
    if game.options["items"] == 1:
        return gained, CENTS * np.sort(np.concatenate([signals, second], axis=1), axis=1)[:, -2:].sum(axis=1)
    together = (CENTS + game.options["synergy"]) * (signals + second).max(axis=1)
    apart = [
        signals[:, one] + second[:, two]
        for one in range(game.num_players)
        for two in range(game.num_players)
        if one != two
    ]
    return gained, np.maximum(together, CENTS * np.max(apart, axis=0))


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
