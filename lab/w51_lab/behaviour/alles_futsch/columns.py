"""Behaviour tables of Alles Futsch!: lots, bids, objects, money by lot, money by source. Money is in thousands."""

from functools import partial

import numpy as np

from w51_env.alles_futsch.event_types import EVENT
from w51_env.alles_futsch.state import CARDS, OBJECTS, TYPES
from w51_env.engine.game import Game
from w51_lab.behaviour.alles_futsch.kernels import worth_to_seats
from w51_lab.behaviour.auction_tables import (
    AuctionKinds,
    Auctions,
    auction_columns,
    bid_columns,
    call_columns,
    stake_columns,
)
from w51_lab.behaviour.contract import (
    LOT,
    MISSING,
    SEAT,
    Behaviour,
    Column,
    EventColumns,
    Flow,
    Statistic,
    Table,
    Tables,
    TableSchema,
    points_table,
    seat_and_agent,
)

CARD_WORDS = tuple(" ".join(TYPES[kind] for kind in card) for card in CARDS)
ALIKE = ("all different", "two alike", "three alike")
_THOUSANDS = "thousands"
OUTCOMES = ("taken", "sold", "lost")
_TAKEN, _SOLD, _LOST = range(len(OUTCOMES))
CARD_SETS = ("multisets", "random")
_AUCTIONS = AuctionKinds(EVENT.SELECTED, (EVENT.BID,), EVENT.PASSED, EVENT.BOUGHT)
SOURCES = ("start", "cards", "sales", "purchases", "fines", "bonuses")


def schemas(game: Game) -> dict[str, TableSchema]:
    """The tables and their columns."""
    card = Column("card", "i1", "the card: its three objects", CARD_WORDS)
    category = Column("category", "i1", "how many of its objects are alike", ALIKE)
    bids = (*(LOT, *SEAT, card, category), *bid_columns("card", _THOUSANDS, "i2"))
    would = "what the objects would have brought the seat at once, by what all owned then, if all can pay"
    stakes = (
        *(LOT, *SEAT, card, category),
        *stake_columns("money", _THOUSANDS, "i2"),
        Column("worth", "i2", would, unit=_THOUSANDS),
    )
    objects = (
        LOT,
        *seat_and_agent("seat", "the buyer of the card"),
        Column("type", "i1", "the type of the object", TYPES),
        Column("outcome", "i1", "what became of it", OUTCOMES),
        *seat_and_agent("owner", "its new owner; null if it was lost, or its buyer went broke", nullable=True),
        Column(
            "price",
            "i2",
            "price paid to the buyer of the card; null if it was not sold",
            nullable=True,
            unit=_THOUSANDS,
        ),
    )
    after = "after which lot, with all its objects placed; 0: at the beginning"
    money = (Column("lot", "i1", after), *SEAT, Column("money", "i2", "money of the seat", unit=_THOUSANDS))
    sources = "start money, cards bought, objects sold, objects bought from others, fines, bonuses"
    points = (
        *SEAT,
        Column("source", "i1", sources, SOURCES),
        Column("points", "i2", "from this source, negative if paid; the sum is the score", unit=_THOUSANDS),
    )
    return {
        "lots": TableSchema("each card that was auctioned, sold or not", _lot_columns(card, category)),
        "bids": TableSchema("each seat that bid more than 0 for a lot", bids),
        "stakes": TableSchema("each seat at each lot, bidding or not", stakes),
        "calls": TableSchema("each bid and pass, in order", call_columns("money", _THOUSANDS, "i2")),
        "objects": TableSchema("each placed object of a card that was bought", objects),
        "money": TableSchema("each seat after each lot", money),
        "points": TableSchema("each source of money of each seat", points),
    }


def _lot_columns(card: Column, category: Column) -> tuple[Column, ...]:
    return (
        LOT,
        card,
        category,
        Column("selector", "i1", "the seat that selected it"),
        *auction_columns(
            Column("price", "i2", "price paid to the bank; null if unsold", nullable=True, unit=_THOUSANDS)
        ),
        Column("taken", "i1", "objects that the buyer took"),
        Column("sold", "i1", "objects that the buyer sold to other players"),
        Column("lost", "i1", "objects that nobody could buy"),
        Column(
            "worth", "i2", "what the objects brought the buyer at once: sales, bonuses, less fines", unit=_THOUSANDS
        ),
        Column("card_set", "i1", "which object cards are in the game, as the option `cards`", CARD_SETS),
    )


def tables(game: Game, events: EventColumns, states: np.ndarray) -> Tables:
    """The tables of the games, with the columns of `schemas`."""
    flows, start = _flows(events), int(game.rules["start_money"][0])
    auctions = Auctions(events, game.num_players, _AUCTIONS, "money", start, list(flows.values()))
    objects, lot_row = _objects(events)
    card, count = events.a[auctions.begins], len(auctions.begins)
    each_seat, (bids, lot) = np.repeat(card, game.num_players), auctions.bids()
    return {
        "lots": {
            **_lots(auctions, objects["outcome"], lot_row, flows),
            "card_set": np.full(count, CARD_SETS.index(game.options["cards"])),
        },
        "stakes": {
            **auctions.stakes(),
            **_described(each_seat),
            "worth": worth_to_seats(game, events, states).reshape(-1),
        },
        "calls": auctions.calls(blind=np.zeros(count, bool)),
        "bids": {**bids, **_described(card[lot])},
        "objects": objects,
        "money": auctions.money(),
        "points": _points(events, game.num_players, start, flows),
    }


def _flows(events: EventColumns) -> dict[str, Flow]:
    """The money that seats get from each source."""
    bought, sold, fined, bonus = (events.where(kind) for kind in (EVENT.BOUGHT, EVENT.SOLD, EVENT.FINED, EVENT.BONUS))
    return {
        "cards": (bought, events.seat[bought], -events.b[bought]),
        "sales": (sold, events.seat[sold], events.c[sold]),
        "purchases": (sold, events.b[sold], -events.c[sold]),
        "fines": (fined, events.seat[fined], -events.a[fined]),
        "bonuses": (bonus, events.seat[bonus], events.a[bonus]),
    }


def _objects(events: EventColumns) -> tuple[Table, np.ndarray]:
    """The table of objects, and for each the row of its lot."""
    placed = events.where(EVENT.TOOK, EVENT.SOLD, EVENT.LOST)
    # In the event after a sale the buyer takes the object, unless the buyer is broke.
    by_sale = np.zeros(len(events.kind) + 1, bool)
    by_sale[1:-1] = (events.kind[:-1] == EVENT.SOLD) & (events.kind[1:] == EVENT.TOOK)
    placed = placed[~by_sale[placed]]
    outcome = np.select([events.kind[placed] == EVENT.SOLD, events.kind[placed] == EVENT.LOST], [_SOLD, _LOST], _TAKEN)
    sold_and_taken = by_sale[placed + 1]
    owner = np.select([outcome == _TAKEN, sold_and_taken], [events.seat[placed], events.b[placed]], MISSING)
    table = {
        "game": events.game[placed],
        "lot": events.lot[placed],
        "seat": events.seat[placed],
        "type": events.a[placed],
        "outcome": outcome,
        "owner": owner,
        "price": np.where(outcome == _SOLD, events.c[placed], MISSING),
    }
    return table, events.lot_row[placed]


def _lots(auctions: Auctions, outcome: np.ndarray, lot_row: np.ndarray, flows: dict[str, Flow]) -> Table:
    """The table of lots, from what became of each object, the row of its lot, and the money that seats get."""
    events, count = auctions.events, len(auctions.begins)
    worth = np.zeros(count, np.int64)
    for source in ("sales", "fines", "bonuses"):
        at, seats, amounts = flows[source]
        is_buyer = seats == auctions.buyer[events.lot_row[at]]
        np.add.at(worth, events.lot_row[at[is_buyer]], amounts[is_buyer])
    return {
        **auctions.lots(),
        **_described(events.a[auctions.begins]),
        "selector": events.seat[auctions.begins],
        **{word: np.bincount(lot_row[outcome == index], minlength=count) for index, word in enumerate(OUTCOMES)},
        "worth": worth,
    }


def _described(card: np.ndarray) -> Table:
    """The columns that describe cards; the category is 0, 1 or 2 objects that equal another."""
    return {"card": card, "category": OBJECTS.max(axis=1)[card] - 1}


def _points(events: EventColumns, num_players: int, start: int, flows: dict[str, Flow]) -> Table:
    points = np.zeros((events.num_games, num_players, len(SOURCES)), np.int64)
    points[:, :, SOURCES.index("start")] = start
    for source, (at, seats, amounts) in flows.items():
        np.add.at(points[:, :, SOURCES.index(source)], (events.game[at], seats), amounts)
    return points_table(points)


_placed = partial(Statistic, "objects", table="objects", panel="objects")
STATISTICS = (
    _placed("taken", "objects of bought cards per game that it took", counted=lambda table: table["outcome"] == _TAKEN),
    _placed(
        *("sold", "objects of bought cards per game that it sold to others"),
        counted=lambda table: table["outcome"] == _SOLD,
    ),
    _placed(
        *("lost", "objects of bought cards per game that nobody could buy"),
        counted=lambda table: table["outcome"] == _LOST,
    ),
)

BEHAVIOUR = Behaviour(schemas, tables, STATISTICS, EVENT.SELECTED, "thousands", card=("card", "category"))
