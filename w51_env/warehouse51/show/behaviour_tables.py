"""The behaviour tables of Warehouse 51, from the events and the final states of games."""

import numpy as np

from w51_env.core.game import Game
from w51_env.views.auction_tables import Purses, calls_table, stakes_table
from w51_env.views.behaviour import MISSING, Table, Tables
from w51_env.views.event_columns import Bids, EventColumns, Flow, money_table, points_table
from w51_env.warehouse51 import event_kinds as kinds
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.relic_checks import ALIGNMENTS
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.show.behaviour_kernels import known_counterfeits, shares_of_prices, worth_to_seats
from w51_env.warehouse51.state import CATEGORIES, EXPOSED, NO_GAP, UNSOLD

AUCTIONS = ("open", "blind")
FATES = ("unsold", "kept", "pawned", "exposed")
_UNSOLD, _KEPT, _PAWNED, _EXPOSED = range(len(FATES))
PROTECTIONS = ("certificate", "cancelling")


def tables(game: Game, events: EventColumns, states: np.ndarray) -> Tables:
    """The tables of the games, with the columns of `behaviour.schemas`."""
    relics = load_relic_set(game.options["relics"])
    is_counterfeit = states["counterfeit_gap"] != NO_GAP  # (N, relics)
    sold = events.where(kinds.SOLD)
    buyer = events.of_lots(sold, events.seat[sold], MISSING)
    bids = Bids(events, events.where(kinds.BID, kinds.BID_SHOWN), game.num_players)
    knew = known_counterfeits(game, events, states)
    flows = _flows(game, events)
    purses = Purses(events, game.num_players, int(game.rules["start_ingots"][0]), flows)
    revealed = events.where(kinds.REVEALED)
    worth = worth_to_seats(game, states)[events.game[revealed], events.a[revealed]]  # (lots, players)
    return {
        "lots": _lots(events, states, bids, knew, buyer, worth, relics),
        "stakes": _stakes(events, states, bids, knew, buyer, worth, purses, relics),
        "calls": _calls(events, purses, relics),
        "bids": _bids(events, bids, knew, buyer, relics),
        "pawns": _pawns(events, relics, is_counterfeit),
        "protections": _protections(events, relics, is_counterfeit),
        "money": money_table(
            events,
            game.num_players,
            int(game.rules["start_ingots"][0]),
            flows,
            final=events.kind == kinds.REDEEMED,
        ),
        "points": points_table(states["points"][:, : game.num_players]),
    }


def _lots(
    events: EventColumns,
    states: np.ndarray,
    bids: Bids,
    knew: np.ndarray,
    buyer: np.ndarray,
    worth: np.ndarray,
    relics: RelicSet,
) -> Table:
    revealed, sold, surcharged = (events.where(kind) for kind in (kinds.REVEALED, kinds.SOLD, kinds.SURCHARGED))
    index, relic = events.game[revealed], events.a[revealed]
    place = states["place"][index, relic]
    owner = np.where(place >= 0, place, MISSING)
    outcome = np.where(states["pawned"][index, relic] != 0, _PAWNED, _KEPT)
    worth_to_owner = np.where(place >= 0, worth[np.arange(len(index)), np.maximum(0, place)], 0)
    outbid = knew & (buyer[:, None] != np.arange(knew.shape[1]))
    effects = [MISSING if entry.effect is None else EFFECT_NAMES.index(entry.effect) for entry in relics.relics]
    return {
        **_described(relics, index, relic),
        "lot": events.lot[revealed],
        "name": relic,
        "alignment": np.array([ALIGNMENTS.index(entry.alignment) for entry in relics.relics])[relic],
        "effect": np.array(effects)[relic],
        "auction": np.array([int(entry.weapon) for entry in relics.relics])[relic],
        "revealer": events.seat[revealed],
        **bids.of_lots(buyer, events.of_lots(sold, events.b[sold], MISSING)),
        "payee": events.of_lots(sold, events.c[sold], MISSING),
        "surcharge": np.bincount(events.lot_row[surcharged], events.a[surcharged], len(index)),
        "counterfeit": states["counterfeit_gap"][index, relic] != NO_GAP,
        "buyer_knew": (buyer != MISSING) & knew[np.arange(len(index)), buyer],
        "bid_up": (bids.counts * outbid).sum(axis=1),
        "fate": np.select([place >= 0, place == EXPOSED, place == UNSOLD], [outcome, _EXPOSED, _UNSOLD], MISSING),
        "owner": owner,
        "owner_worth": worth_to_owner,
        "worth": np.where(owner == buyer, worth_to_owner, 0),
        "card_set": np.zeros(len(index), np.int8),
    }


def _stakes(
    events: EventColumns,
    states: np.ndarray,
    bids: Bids,
    knew: np.ndarray,
    buyer: np.ndarray,
    worth: np.ndarray,
    purses: Purses,
    relics: RelicSet,
) -> Table:
    revealed, passes = events.where(kinds.REVEALED), events.where(kinds.PASSED)
    lot = np.repeat(revealed, knew.shape[1])
    return {
        **_described(relics, events.game[lot], events.a[lot]),
        **stakes_table(events, revealed, bids, passes, buyer, purses, "ingots"),
        "counterfeit": states["counterfeit_gap"][events.game[lot], events.a[lot]] != NO_GAP,
        "knew": knew.reshape(-1),
        "worth": worth.reshape(-1),
    }


def _calls(events: EventColumns, purses: Purses, relics: RelicSet) -> Table:
    blind = np.array([entry.weapon for entry in relics.relics])[events.a[events.where(kinds.REVEALED)]]
    made, passes = events.where(kinds.BID, kinds.BID_SHOWN), events.where(kinds.PASSED)
    return calls_table(events, made, passes, blind, purses, "ingots")


def _bids(events: EventColumns, bids: Bids, knew: np.ndarray, buyer: np.ndarray, relics: RelicSet) -> Table:
    lot, seat = np.nonzero(bids.counts)
    at = events.where(kinds.REVEALED)[lot]
    return {
        **_described(relics, events.game[at], events.a[at]),
        "lot": events.lot[at],
        "seat": seat,
        "bids": bids.counts[lot, seat],
        "highest": bids.highest[lot, seat],
        "bought": buyer[lot] == seat,
        "knew": knew[lot, seat],
    }


def _pawns(events: EventColumns, relics: RelicSet, is_counterfeit: np.ndarray) -> Table:
    pawned, redeemed = events.where(kinds.PAWNED), events.where(kinds.REDEEMED)
    paid = np.full(is_counterfeit.shape, MISSING)  # a relic is pawned once at most
    paid[events.game[redeemed], events.a[redeemed]] = events.b[redeemed]
    index, relic = events.game[pawned], events.a[pawned]
    return {
        **_described(relics, index, relic),
        "lot": events.lot[pawned],
        "seat": events.seat[pawned],
        "ingots": events.b[pawned],
        "redeemed": paid[index, relic] != MISSING,
        "redeem_price": paid[index, relic],
        "counterfeit": is_counterfeit[index, relic],
    }


def _protections(events: EventColumns, relics: RelicSet, is_counterfeit: np.ndarray) -> Table:
    placed = events.where(kinds.CERTIFIED, kinds.CANCELLED)
    index, relic = events.game[placed], events.a[placed]
    return {
        **_described(relics, index, relic),
        "seat": events.seat[placed],
        "how": (events.kind[placed] == kinds.CANCELLED).astype(np.int8),
        "counterfeit": is_counterfeit[index, relic],
    }


def _described(relics: RelicSet, game: np.ndarray, relic: np.ndarray) -> Table:
    """The columns that describe a relic."""
    category = np.array([CATEGORIES.index(entry.category) for entry in relics.relics])
    value = np.array([entry.value for entry in relics.relics])
    return {"game": game, "relic": relic, "category": category[relic], "value": value[relic]}


def _flows(game: Game, events: EventColumns) -> list[Flow]:
    """The ingots that seats get and pay."""
    sold, paid, redeemed = (events.where(kind) for kind in (kinds.SOLD, kinds.PAID, kinds.REDEEMED))
    received = events.where(kinds.INCOME, kinds.GAINED)
    pawned, surcharged = events.where(kinds.PAWNED), events.where(kinds.SURCHARGED)
    shares = shares_of_prices(game, events.seat[sold], events.b[sold])
    return [
        (sold, events.seat[sold], -events.b[sold]),
        (surcharged, events.seat[surcharged], -events.a[surcharged]),
        (paid, events.seat[paid], -events.b[paid]),
        (paid, events.a[paid], events.b[paid]),
        (received, events.seat[received], events.a[received]),
        (pawned, events.seat[pawned], events.b[pawned]),
        (redeemed, events.seat[redeemed], -events.b[redeemed]),
        *((sold, np.full(len(sold), seat), shares[:, seat]) for seat in range(game.num_players)),
    ]
