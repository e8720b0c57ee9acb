"""Tables of Alles Futsch!: lots, bids, objects, money, and where it came from."""

import numpy as np

from arena.behaviour.columns import AGENT, BUYER, KEYS, LOT, NONE, SEAT, Column, Layout, Table, Tables
from arena.behaviour.means import Means
from arena.behaviour.rows import Bids, Rows, balances, points_by_source
from w51_env.alles_futsch import event_kinds as kinds
from w51_env.alles_futsch.state import CARDS, OBJECTS, TYPES
from w51_env.core.game import Game

BEGINS_LOT = kinds.SELECTED
MONEY = "thousands"
POINT_PRICE = 1  #  money is points

CARD_WORDS = tuple(" ".join(TYPES[kind] for kind in card) for card in CARDS)
ALIKE = ("all different", "two alike", "three alike")
OUTCOMES = ("taken", "sold", "lost")
_TAKEN, _SOLD, _LOST = range(len(OUTCOMES))
SOURCES = ("start", "cards", "sales", "purchases", "fines", "bonuses")


def layouts(game: Game) -> dict[str, Layout]:
    """The tables and their columns. Money is in thousands."""
    card = Column("card", "i1", "the card: its three objects", CARD_WORDS)
    category = Column("category", "i1", "how many of its objects are alike", ALIKE)
    return {
        "lots": Layout(
            "each card that came under the hammer, sold or not",
            (
                *KEYS,
                LOT,
                card,
                category,
                Column("selector", "i1", "the seat that put it there"),
                Column("bids", "i2", "bids above 0, of all seats"),
                Column("bidders", "i1", "seats that bid more than 0"),
                *BUYER,
                Column("price", "i2", "paid to the bank; none if unsold", empty=True),
                Column("other_bid", "i2", "the highest bid of anyone but the buyer, 0 if none"),
                Column("taken", "i1", "objects that the buyer took"),
                Column("sold", "i1", "objects that it sold to fellow players"),
                Column("lost", "i1", "objects that nobody could buy"),
                Column("worth", "i2", "what the objects brought the buyer at once: sales and bonuses, less fines"),
            ),
        ),
        "bids": Layout(
            "each seat that bid more than 0 for a lot",
            (
                *KEYS,
                LOT,
                SEAT,
                AGENT,
                card,
                category,
                Column("bids", "i2", "its bids"),
                Column("highest", "i2", "its highest bid"),
                Column("bought", "b1", "whether it bought the card"),
            ),
        ),
        "objects": Layout(
            "each object of a bought card that was placed",
            (
                *KEYS,
                LOT,
                Column("seat", "i1", "who had bought the card"),
                AGENT,
                Column("type", "i1", "of which type it was", TYPES),
                Column("outcome", "i1", "what became of it", OUTCOMES),
                Column("owner", "i1", "who has it now; none if it was lost, or sold to one who went broke", empty=True),
                Column("owner_agent", "i2", "who sat there", empty=True, agent_of="owner"),
                Column("price", "i2", "what the seat was paid for it; none if it was not sold", empty=True),
            ),
        ),
        "money": Layout(
            "each seat after each lot",
            (
                *KEYS,
                Column("lot", "i1", "after which lot, with all its objects placed; 0: at the beginning"),
                SEAT,
                AGENT,
                Column("money", "i2", "its money"),
            ),
        ),
        "points": Layout(
            "each source of money of each seat",
            (
                *KEYS,
                SEAT,
                AGENT,
                Column(
                    "source",
                    "i1",
                    "start money, cards bought, objects sold, objects bought of others, fines, bonuses",
                    SOURCES,
                ),
                Column("points", "i2", "money from it, less than 0 if paid; that of all sources is the score"),
            ),
        ),
    }


def tables(game: Game, rows: Rows, states: np.ndarray) -> Tables:
    """What the events tell; see `layouts`."""
    selected, bought = rows.where(kinds.SELECTED), rows.where(kinds.BOUGHT)
    buyer = np.full(len(selected), NONE)
    buyer[rows.lot_row[bought]] = rows.seat[bought]
    bids = Bids(rows, rows.where(kinds.BID_MADE), game.num_players)
    objects = _objects(rows, buyer)
    flows = _flows(rows)
    return {
        "lots": _lots(rows, selected, bids, buyer, objects, flows),
        "bids": _bids(rows, selected, bids, buyer),
        "objects": {name: column for name, column in objects.items() if name != "lot_row"},
        "money": balances(rows, game.num_players, _start_money(game), list(flows.values())),
        "points": _points(game, rows, flows),
    }


def _start_money(game: Game) -> int:
    return int(game.rules["start_money"][0])


def _flows(rows: Rows) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(events, seats, amounts) of each source."""
    bought, sold, fined, bonus = (rows.where(kind) for kind in (kinds.BOUGHT, kinds.SOLD, kinds.FINED, kinds.BONUS))
    return {
        "cards": (bought, rows.seat[bought], -rows.b[bought]),
        "sales": (sold, rows.seat[sold], rows.c[sold]),
        "purchases": (sold, rows.b[sold], -rows.c[sold]),
        "fines": (fined, rows.seat[fined], -rows.a[fined]),
        "bonuses": (bonus, rows.seat[bonus], rows.a[bonus]),
    }


def _objects(rows: Rows, buyer: np.ndarray) -> Table:
    """The table of objects, and the row of the lot that each came with."""
    placed = rows.where(kinds.TOOK, kinds.SOLD, kinds.LOST)
    by_sale = np.zeros(
        len(rows.kind), bool
    )  # a sold object is taken by who bought it in the very next event, unless that seat is broke
    by_sale[1:] = (rows.kind[:-1] == kinds.SOLD) & (rows.kind[1:] == kinds.TOOK)
    is_taken = by_sale[np.minimum(placed + 1, len(by_sale) - 1)]
    placed, is_taken = placed[~by_sale[placed]], is_taken[~by_sale[placed]]
    outcome = np.select([rows.kind[placed] == kinds.SOLD, rows.kind[placed] == kinds.LOST], [_SOLD, _LOST], _TAKEN)
    owner = np.select([outcome == _TAKEN, is_taken], [rows.seat[placed], rows.b[placed]], NONE)
    return {
        "lot_row": rows.lot_row[placed],
        "game": rows.game[placed],
        "lot": rows.lot[placed],
        "seat": rows.seat[placed],
        "type": rows.a[placed],
        "outcome": outcome,
        "owner": owner,
        "price": np.where(outcome == _SOLD, rows.c[placed], NONE),
    }


def _lots(
    rows: Rows,
    selected: np.ndarray,
    bids: Bids,
    buyer: np.ndarray,
    objects: Table,
    flows: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]],
) -> Table:
    bought, count = rows.where(kinds.BOUGHT), len(selected)
    price = np.full(count, NONE)
    price[rows.lot_row[bought]] = rows.b[bought]
    worth = np.zeros(count, np.int64)
    for source in ("sales", "fines", "bonuses"):
        events, seats, amounts = flows[source]
        own = seats == buyer[rows.lot_row[events]]
        np.add.at(worth, rows.lot_row[events[own]], amounts[own])
    card = rows.a[selected]
    outcomes = [
        np.bincount(objects["lot_row"][objects["outcome"] == outcome], minlength=count)
        for outcome in range(len(OUTCOMES))
    ]
    return {
        "game": rows.game[selected],
        "lot": rows.lot[selected],
        "card": card,
        "category": _alike(card),
        "selector": rows.seat[selected],
        "bids": bids.counts.sum(axis=1),
        "bidders": (bids.counts > 0).sum(axis=1),
        "seat": buyer,
        "price": price,
        "other_bid": bids.highest_of_others(buyer),
        "taken": outcomes[_TAKEN],
        "sold": outcomes[_SOLD],
        "lost": outcomes[_LOST],
        "worth": worth,
    }


def _bids(rows: Rows, selected: np.ndarray, bids: Bids, buyer: np.ndarray) -> Table:
    lot, seat = np.nonzero(bids.counts)
    row = selected[lot]
    return {
        "game": rows.game[row],
        "lot": rows.lot[row],
        "seat": seat,
        "card": rows.a[row],
        "category": _alike(rows.a[row]),
        "bids": bids.counts[lot, seat],
        "highest": bids.highest[lot, seat],
        "bought": buyer[lot] == seat,
    }


def summarise(tables: Tables, own: Means) -> dict[str, np.ndarray | dict[str, np.ndarray]]:
    """What is told of agents beside prices, money and points; see `summary`."""
    objects = tables["objects"]
    return {
        "objects": {
            word: own.per_game(objects["agent"][objects["outcome"] == outcome]) for outcome, word in enumerate(OUTCOMES)
        }
    }


def _alike(card: np.ndarray) -> np.ndarray:
    """The category of cards: 0, 1 or 2 objects like another."""
    return OBJECTS.max(axis=1)[card] - 1


def _points(game: Game, rows: Rows, flows: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]) -> Table:
    points = np.zeros((rows.num_games, game.num_players, len(SOURCES)), np.int64)
    points[:, :, SOURCES.index("start")] = _start_money(game)
    for source, (events, seats, amounts) in flows.items():
        np.add.at(points[:, :, SOURCES.index(source)], (rows.game[events], seats), amounts)
    return points_by_source(points)
