"""The behaviour tables of Warehouse 51, from the events and the final states of games."""

import numpy as np

from w51_env.engine.game import Game
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.relic_checks import ALIGNMENTS
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import CATEGORIES, EXPOSED, NO_GAP, UNSOLD
from w51_lab.behaviour.auction_tables import AuctionKinds, Auctions
from w51_lab.behaviour.contract import MISSING, EventColumns, Flow, Table, Tables, points_table
from w51_lab.behaviour.warehouse51.kernels import known_counterfeits, shares_of_prices, worth_to_seats

AUCTIONS = ("open", "blind")
FATES = ("unsold", "kept", "pawned", "exposed")
_UNSOLD, _KEPT, _PAWNED, _EXPOSED = range(len(FATES))
PROTECTIONS = ("certificate", "cancelling")
_AUCTIONS = AuctionKinds(EVENT.REVEALED, (EVENT.BID, EVENT.BID_SHOWN), EVENT.PASSED, EVENT.SOLD)


def tables(game: Game, events: EventColumns, states: np.ndarray) -> Tables:
    """The tables of the games, with the columns of `behaviour.schemas`."""
    relics, start = load_relic_set(game.options["relics"]), int(game.rules["start_ingots"][0])
    auctions = Auctions(events, game.num_players, _AUCTIONS, "ingots", start, _flows(game, events))
    index, relic = events.game[auctions.begins], events.a[auctions.begins]
    is_counterfeit = states["counterfeit_gap"] != NO_GAP  # (N, relics)
    knew = known_counterfeits(game, events, states)  # (lots, players)
    worth = worth_to_seats(game, states)[index, relic]  # (lots, players)
    blind = np.array([entry.weapon for entry in relics.relics])[relic]
    return {
        "lots": _lots(auctions, relics, states, knew, worth),
        "stakes": _stakes(auctions, relics, is_counterfeit, knew, worth),
        "calls": auctions.calls(blind),
        "bids": _bids(auctions, relics, knew),
        "pawns": _pawns(events, relics, is_counterfeit),
        "protections": _protections(events, relics, is_counterfeit),
        "money": auctions.money(final=events.kind == EVENT.REDEEMED),
        "points": points_table(states["points"][:, : game.num_players]),
    }


def _lots(auctions: Auctions, relics: RelicSet, states: np.ndarray, knew: np.ndarray, worth: np.ndarray) -> Table:
    events, buyer = auctions.events, auctions.buyer
    count = len(auctions.begins)
    sold, surcharged = events.where(EVENT.SOLD), events.where(EVENT.SURCHARGED)
    index, relic = events.game[auctions.begins], events.a[auctions.begins]
    place = states["place"][index, relic]
    owner = np.where(place >= 0, place, MISSING)
    outcome = np.where(states["pawned"][index, relic] != 0, _PAWNED, _KEPT)
    worth_to_owner = np.where(place >= 0, worth[np.arange(count), np.maximum(0, place)], 0)
    outbid = knew & (buyer[:, None] != np.arange(knew.shape[1]))
    effects = [MISSING if entry.effect is None else EFFECT_NAMES.index(entry.effect) for entry in relics.relics]
    return {
        **auctions.lots(),
        **_described(relics, relic),
        "name": relic,
        "alignment": np.array([ALIGNMENTS.index(entry.alignment) for entry in relics.relics])[relic],
        "effect": np.array(effects)[relic],
        "auction": np.array([int(entry.weapon) for entry in relics.relics])[relic],
        "revealer": events.seat[auctions.begins],
        "payee": events.of_lots(sold, events.c[sold], MISSING),
        "surcharge": np.bincount(events.lot_row[surcharged], events.a[surcharged], count),
        "counterfeit": states["counterfeit_gap"][index, relic] != NO_GAP,
        "buyer_knew": (buyer != MISSING) & knew[np.arange(count), buyer],
        "bid_up": (auctions.counts * outbid).sum(axis=1),
        "fate": np.select([place >= 0, place == EXPOSED, place == UNSOLD], [outcome, _EXPOSED, _UNSOLD], MISSING),
        "owner": owner,
        "owner_worth": worth_to_owner,
        "worth": np.where(owner == buyer, worth_to_owner, 0),
        "card_set": np.zeros(count, np.int8),
    }


def _stakes(
    auctions: Auctions, relics: RelicSet, is_counterfeit: np.ndarray, knew: np.ndarray, worth: np.ndarray
) -> Table:
    lot = np.repeat(auctions.begins, auctions.num_players)
    index, relic = auctions.events.game[lot], auctions.events.a[lot]
    return {
        **auctions.stakes(),
        **_described(relics, relic),
        "counterfeit": is_counterfeit[index, relic],
        "knew": knew.reshape(-1),
        "worth": worth.reshape(-1),
    }


def _bids(auctions: Auctions, relics: RelicSet, knew: np.ndarray) -> Table:
    table, lot = auctions.bids()
    return {**table, **_described(relics, auctions.events.a[auctions.begins[lot]]), "knew": knew[lot, table["seat"]]}


def _pawns(events: EventColumns, relics: RelicSet, is_counterfeit: np.ndarray) -> Table:
    pawned, redeemed = events.where(EVENT.PAWNED), events.where(EVENT.REDEEMED)
    paid = np.full(is_counterfeit.shape, MISSING)  # a relic is pawned once at most
    paid[events.game[redeemed], events.a[redeemed]] = events.b[redeemed]
    index, relic = events.game[pawned], events.a[pawned]
    return {
        "game": index,
        **_described(relics, relic),
        "lot": events.lot[pawned],
        "seat": events.seat[pawned],
        "ingots": events.b[pawned],
        "redeemed": paid[index, relic] != MISSING,
        "redeem_price": paid[index, relic],
        "counterfeit": is_counterfeit[index, relic],
    }


def _protections(events: EventColumns, relics: RelicSet, is_counterfeit: np.ndarray) -> Table:
    placed = events.where(EVENT.CERTIFIED, EVENT.CANCELLED)
    index, relic = events.game[placed], events.a[placed]
    return {
        "game": index,
        **_described(relics, relic),
        "seat": events.seat[placed],
        "how": (events.kind[placed] == EVENT.CANCELLED).astype(np.int8),
        "counterfeit": is_counterfeit[index, relic],
    }


def _described(relics: RelicSet, relic: np.ndarray) -> Table:
    """The columns that describe relics."""
    category = np.array([CATEGORIES.index(entry.category) for entry in relics.relics])
    value = np.array([entry.value for entry in relics.relics])
    return {"relic": relic, "category": category[relic], "value": value[relic]}


def _flows(game: Game, events: EventColumns) -> list[Flow]:
    """The ingots that seats get and pay."""
    sold, paid, redeemed = (events.where(kind) for kind in (EVENT.SOLD, EVENT.PAID, EVENT.REDEEMED))
    received = events.where(EVENT.INCOME, EVENT.GAINED)
    pawned, surcharged = events.where(EVENT.PAWNED), events.where(EVENT.SURCHARGED)
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
