"""Behaviour tables of Warehouse 51: what their columns are, and which statistics a report shows."""

from functools import partial

from w51_env.engine.game import Game
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.event_types import EVENT
from w51_env.warehouse51.relic_checks import ALIGNMENTS
from w51_env.warehouse51.relic_set import RelicSet
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT
from w51_env.warehouse51.state import CATEGORIES, POINT_SOURCES
from w51_lab.behaviour.auction_tables import auction_columns, bid_columns, call_columns, stake_columns
from w51_lab.behaviour.contract import (
    LOT,
    SEAT,
    Behaviour,
    Column,
    Statistic,
    TableSchema,
    seat_and_agent,
    unless,
    where,
)
from w51_lab.behaviour.warehouse51.recorded_tables import AUCTIONS, FATES, PROTECTIONS, tables

_INGOTS, _POINTS = "ingots", "points"
_COUNTERFEIT = Column("counterfeit", "b1", "whether its counterfeit card was in a gap")


def schemas(game: Game) -> dict[str, TableSchema]:
    """The tables and their columns."""
    relics = load_relic_set(game.options["relics"])
    relic = Column("relic", "i1", "the relic, by its id", relics.ids)
    category, value = Column("category", "i1", "its category", CATEGORIES), Column("value", "i1", "its value")
    bids = (
        *(LOT, *SEAT, relic, category, value),
        *bid_columns("relic", _INGOTS, "i1"),
        Column("knew", "b1", "whether the relic is a counterfeit whose card the seat had seen before"),
    )
    stakes = (
        *(LOT, *SEAT, relic, category, value),
        *stake_columns("ingots", _INGOTS, "i1"),
        _COUNTERFEIT,
        Column("knew", "b1", "whether the relic is a counterfeit whose card the seat had seen before, bidding or not"),
        Column("worth", "i2", "the seat's score with the relic at the end less that without it", unit=_POINTS),
    )
    pawns = (
        Column("lot", "i1", "number of the lot that was being auctioned"),
        *(*SEAT, relic, category, value),
        Column("ingots", "i1", "the loan", unit=_INGOTS),
        Column("redeemed", "b1", "whether it was redeemed at the end of the game"),
        Column("redeem_price", "i1", "paid to redeem it; null if it was not redeemed", nullable=True, unit=_INGOTS),
        _COUNTERFEIT,
    )
    protections = (
        *(*SEAT, relic, category, value),
        Column("how", "i1", "by a certificate, or by the effect that cancels a counterfeit", PROTECTIONS),
        Column("counterfeit", "b1", "whether its counterfeit card was in a gap, so that the protection saved it"),
    )
    after = "after which lot, with effects and income; 0: at the beginning; the last lot plus one: at the end"
    money = (Column("lot", "i1", after), *SEAT, Column("money", "i1", "ingots of the seat", unit=_INGOTS))
    points = (
        *SEAT,
        Column("source", "i1", "ingots, sets, or the majority of a category", POINT_SOURCES),
        Column("points", "i2", "points from this source; the sum over the sources is the score", unit=_POINTS),
    )
    return {
        "lots": TableSchema("each relic that was auctioned, sold or not", _lot_columns(relics, relic, category, value)),
        "bids": TableSchema("each seat that bid more than 0 for a lot", bids),
        "stakes": TableSchema("each seat at each lot, bidding or not", stakes),
        "calls": TableSchema("each bid and pass, in order", call_columns("ingots", _INGOTS, "i1")),
        "pawns": TableSchema("each relic that was pawned", pawns),
        "protections": TableSchema("each relic that was protected from exposure", protections),
        "money": TableSchema("each seat after each lot", money),
        "points": TableSchema("each source of points of each seat", points),
    }


def _lot_columns(relics: RelicSet, relic: Column, category: Column, value: Column) -> tuple[Column, ...]:
    return (
        LOT,
        relic,
        Column("name", "i1", "its English name", relics.names),
        category,
        value,
        Column("alignment", "i1", "whether it is a blessing, a curse or neither", ALIGNMENTS),
        Column("effect", "i1", "the effect of its blessing or curse", EFFECT_NAMES, nullable=True),
        Column("auction", "i1", "the kind of auction", AUCTIONS),
        Column("revealer", "i1", "the seat that revealed it"),
        *auction_columns(Column("price", "i1", "ingots paid; null if unsold", nullable=True, unit=_INGOTS)),
        *seat_and_agent("payee", "the seat that received the price; null if unsold or not one seat", nullable=True),
        Column("surcharge", "i1", "paid by the buyer to the reserve in addition, for a curse", unit=_INGOTS),
        _COUNTERFEIT,
        Column("buyer_knew", "b1", "whether it is a counterfeit whose card the buyer had seen before"),
        Column("bid_up", "i2", "bids on a counterfeit by seats that had seen its card and did not buy it"),
        Column("fate", "i1", "what became of it by the end of the game", FATES, nullable=True),
        *seat_and_agent("owner", "the seat that owned it at the end; null if nobody did", nullable=True),
        Column("owner_worth", "i2", "the owner's score less that without it; negative if it did harm", unit=_POINTS),
        Column("worth", "i2", "the same for the buyer; 0 if the buyer did not own it at the end", unit=_POINTS),
        Column("card_set", "i1", "the name of the relic set", (relics.name,)),
    )


_bought = partial(Statistic, "counterfeits", table="lots", panel="counterfeits bought")
_bid_for = partial(Statistic, "counterfeits", table="bids")
_pawned = partial(Statistic, "pawns", table="pawns", panel="relics pawned")
_protected = partial(Statistic, "protections", table="protections", panel="relics protected")
STATISTICS = (
    _bought(
        *("bought_unknowing", "counterfeits per game, bought without having seen the card"),
        counted=lambda lots: lots["counterfeit"] & ~lots["buyer_knew"],
    ),
    _bought(
        *("bought_knowing", "counterfeits per game, bought after having seen the card"),
        counted=lambda lots: lots["counterfeit"] & lots["buyer_knew"],
    ),
    _bid_for(
        *("known_bid_up", "known counterfeits per game that it bid for and did not buy"),
        counted=lambda bids: bids["knew"] & ~bids["bought"],
        panel="known counterfeits bid up",
    ),
    _bid_for(
        *("known_had_to_buy", "fraction that it bought of the known counterfeits that it bid for"),
        counted=where("bought"),
        among=where("knew"),
    ),
    _pawned("pawned", "relics per game", panel=""),
    _pawned("redeemed", "pawned relics per game that it redeemed", counted=where("redeemed")),
    _pawned("lost", "pawned relics per game that it did not redeem", counted=unless("redeemed")),
    _protected("placed", "relics per game that it protected from exposure", panel=""),
    _protected("saved", "protected relics per game that were counterfeits", counted=where("counterfeit")),
    _protected("genuine", "protected relics per game that were genuine", counted=unless("counterfeit")),
)

COLOURS = {
    "blue": "#3b86c0",
    "green": "#3f9c6f",
    "golden": "#e0b13c",
    "red": "#c9513f",
    "ingots": "#8a929b",
    "sets": "#8c6bb1",
}

CARD = ("relic", "name", "category", "value", "alignment", "effect")

BEHAVIOUR = Behaviour(schemas, tables, STATISTICS, EVENT.REVEALED, "ingots", INGOTS_FOR_A_POINT, COLOURS, CARD)
