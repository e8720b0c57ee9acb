"""Tables of Warehouse 51: lots, bids, pawned relics, certificates, ingots, points."""

import numpy as np

from arena.behaviour.columns import AGENT, BUYER, KEYS, LOT, NONE, SEAT, Column, Layout, Table, Tables
from arena.behaviour.means import Means
from arena.behaviour.rows import Bids, Rows, balances, points_by_source
from arena.behaviour.worth import gaps_beside, worth_to_owner
from w51_env.core.game import Game
from w51_env.warehouse51 import event_kinds as kinds
from w51_env.warehouse51.effect_kinds import EFFECT_NAMES
from w51_env.warehouse51.relics import ALIGNMENTS, RelicSet, load_relic_set
from w51_env.warehouse51.scoring import INGOTS_FOR_A_POINT
from w51_env.warehouse51.state import CATEGORIES, EXPOSED, NO_GAP, POINT_SOURCES, UNSOLD

BEGINS_LOT = kinds.REVEALED
MONEY = "ingots"
POINT_PRICE = INGOTS_FOR_A_POINT  #  what a price is counted as, when it is compared with points

AUCTIONS = ("open", "blind")
FATES = ("unsold", "kept", "pawned", "exposed")
_UNSOLD, _KEPT, _PAWNED, _EXPOSED = range(len(FATES))
PROTECTIONS = ("certificate", "cancelling")

_NEVER = 1000  # a lot that no game has


def layouts(game: Game) -> dict[str, Layout]:
    """The tables and their columns."""
    relics = load_relic_set(game.options["relics"])
    relic = Column("relic", "i1", "the relic, by its id", relics.ids)
    category = Column("category", "i1", "its category", CATEGORIES)
    value = Column("value", "i1", "its value")
    return {
        "lots": Layout(
            "each relic that came under the hammer, sold or not",
            (
                *KEYS,
                LOT,
                relic,
                Column("name", "i1", "its English name", relics.names),
                category,
                value,
                Column("alignment", "i1", "whether it is a blessing, a curse or neither", ALIGNMENTS),
                Column("effect", "i1", "what its blessing or curse does", EFFECT_NAMES, empty=True),
                Column("auction", "i1", "the kind of auction", AUCTIONS),
                Column("revealer", "i1", "the seat that turned it over"),
                Column("bids", "i2", "bids above 0, of all seats"),
                Column("bidders", "i1", "seats that bid more than 0"),
                *BUYER,
                Column("price", "i1", "ingots paid; none if unsold", empty=True),
                Column("other_bid", "i1", "the highest bid of anyone but the buyer, 0 if none"),
                Column("payee", "i1", "the seat that got the price; none if unsold", empty=True),
                Column("payee_agent", "i2", "who sat there", empty=True, agent_of="payee"),
                Column("surcharge", "i1", "ingots that the buyer paid to the reserve on top, by a curse"),
                Column("counterfeit", "b1", "whether its counterfeit card lay in a gap"),
                Column("buyer_knew", "b1", "whether it was a counterfeit whose card the buyer had seen before"),
                Column(
                    "bid_up",
                    "i2",
                    "bids of seats that had seen its counterfeit card and did not buy it: bidding up of a known fake",
                ),
                Column("fate", "i1", "what became of it at the end of the game", FATES, empty=True),
                Column("owner", "i1", "the seat that had it at the end; none if nobody", empty=True),
                Column("owner_agent", "i2", "who sat there", empty=True, agent_of="owner"),
                Column(
                    "owner_worth",
                    "i2",
                    "points that this seat would have had less without it, by the scoring; less than 0 if it did harm",
                ),
                Column("worth", "i2", "the same for the buyer: 0 if it did not have it at the end"),
            ),
        ),
        "bids": Layout(
            "each seat that bid more than 0 for a lot",
            (
                *KEYS,
                LOT,
                SEAT,
                AGENT,
                relic,
                category,
                value,
                Column("bids", "i2", "its bids"),
                Column("highest", "i1", "its highest bid"),
                Column("bought", "b1", "whether it bought the relic"),
                Column("knew", "b1", "whether the relic was a counterfeit whose card it had seen before"),
            ),
        ),
        "pawns": Layout(
            "each relic that was pawned",
            (
                *KEYS,
                Column("lot", "i1", "number of the lot that was under the hammer then"),
                SEAT,
                AGENT,
                relic,
                category,
                value,
                Column("ingots", "i1", "the loan"),
                Column("redeemed", "b1", "whether it was redeemed at the end of the game"),
                Column("redeem_price", "i1", "ingots paid for that; none if it was not", empty=True),
                Column("counterfeit", "b1", "whether its counterfeit card lay in a gap"),
            ),
        ),
        "protections": Layout(
            "each relic protected from exposure",
            (
                *KEYS,
                SEAT,
                AGENT,
                relic,
                category,
                value,
                Column("how", "i1", "by a certificate, or by the effect that cancels a counterfeit", PROTECTIONS),
                Column("counterfeit", "b1", "whether its counterfeit card lay in a gap, so that this saved it"),
            ),
        ),
        "money": Layout(
            "each seat after each lot",
            (
                *KEYS,
                Column(
                    "lot",
                    "i1",
                    "after which lot, with effects and income; 0: at the beginning; one more than the last: at the end",
                ),
                SEAT,
                AGENT,
                Column("money", "i1", "its ingots"),
            ),
        ),
        "points": Layout(
            "each source of points of each seat",
            (
                *KEYS,
                SEAT,
                AGENT,
                Column("source", "i1", "ingots, sets, or the majority of a category", POINT_SOURCES),
                Column("points", "i2", "points from it; those of all sources are the score"),
            ),
        ),
    }


def tables(game: Game, rows: Rows, states: np.ndarray) -> Tables:
    """What the events and the final states tell; see `layouts`."""
    relics = load_relic_set(game.options["relics"])
    is_fake = states["counterfeit_gap"] != NO_GAP  # (N, relics)
    revealed, sold = rows.where(kinds.REVEALED), rows.where(kinds.SOLD)
    buyer = np.full(len(revealed), NONE)
    buyer[rows.lot_row[sold]] = rows.seat[sold]
    bids = Bids(rows, rows.where(kinds.BID, kinds.BID_SHOWN), game.num_players)
    knew = _knew(game, rows, states, revealed)
    return {
        "lots": _lots(game, rows, states, bids, knew, buyer),
        "bids": _bids(rows, revealed, bids, knew, buyer, relics),
        "pawns": _pawns(rows, relics, is_fake),
        "protections": _protections(rows, relics, is_fake),
        "money": _money(game, rows),
        "points": _points(game, states),
    }


def _knew(game: Game, rows: Rows, states: np.ndarray, revealed: np.ndarray) -> np.ndarray:
    """(lots, players) bool: the relic is a counterfeit, and the seat had seen its card before it was turned over."""
    looked = rows.where(kinds.LOOKED)
    first_look = np.full((rows.num_games, game.num_players, game.num_players), _NEVER)
    np.minimum.at(first_look, (rows.game[looked], rows.seat[looked], rows.a[looked]), rows.lot[looked])
    gap = states["counterfeit_gap"][rows.game[revealed], rows.a[revealed]]
    sees = gaps_beside(game)[:, gap].T | (first_look[rows.game[revealed], :, gap] < rows.lot[revealed][:, None])
    return sees & (gap != NO_GAP)[:, None]


def _lots(game: Game, rows: Rows, states: np.ndarray, bids: Bids, knew: np.ndarray, buyer: np.ndarray) -> Table:
    relics = load_relic_set(game.options["relics"])
    revealed, sold, surcharged = (rows.where(kind) for kind in (kinds.REVEALED, kinds.SOLD, kinds.SURCHARGED))
    lots, where, relic = np.arange(len(revealed)), rows.game[revealed], rows.a[revealed]
    price, payee, surcharge = np.full(len(lots), NONE), np.full(len(lots), NONE), np.zeros(len(lots), np.int64)
    price[rows.lot_row[sold]] = rows.b[sold]
    payee[rows.lot_row[sold]] = rows.c[sold]
    np.add.at(surcharge, rows.lot_row[surcharged], rows.a[surcharged])  # one event for each relic with a surcharge
    place = states["place"][where, relic]
    owner = np.where(place >= 0, place, NONE)
    kept = np.where(states["pawned"][where, relic] != 0, _PAWNED, _KEPT)
    fate = np.select([place >= 0, place == EXPOSED, place == UNSOLD], [kept, _EXPOSED, _UNSOLD], NONE)
    worth = worth_to_owner(game, states)[where, relic]
    outbid = knew & (buyer[:, None] != np.arange(game.num_players))
    effects = [NONE if entry.effect is None else EFFECT_NAMES.index(entry.effect) for entry in relics.relics]
    return {
        **_described(relics, rows.game[revealed], relic),
        "lot": rows.lot[revealed],
        "name": relic,
        "alignment": np.array([ALIGNMENTS.index(entry.alignment) for entry in relics.relics])[relic],
        "effect": np.array(effects)[relic],
        "auction": np.array([int(entry.weapon) for entry in relics.relics])[relic],
        "revealer": rows.seat[revealed],
        "bids": bids.counts.sum(axis=1),
        "bidders": (bids.counts > 0).sum(axis=1),
        "seat": buyer,
        "price": price,
        "other_bid": bids.highest_of_others(buyer),
        "payee": payee,
        "surcharge": surcharge,
        "counterfeit": states["counterfeit_gap"][where, relic] != NO_GAP,
        "buyer_knew": (buyer != NONE) & knew[lots, buyer],
        "bid_up": (bids.counts * outbid).sum(axis=1),
        "fate": fate,
        "owner": owner,
        "owner_worth": worth,
        "worth": np.where(owner == buyer, worth, 0),
    }


def _bids(rows: Rows, revealed: np.ndarray, bids: Bids, knew: np.ndarray, buyer: np.ndarray, relics: RelicSet) -> Table:
    lot, seat = np.nonzero(bids.counts)
    row = revealed[lot]
    return {
        **_described(relics, rows.game[row], rows.a[row]),
        "lot": rows.lot[row],
        "seat": seat,
        "bids": bids.counts[lot, seat],
        "highest": bids.highest[lot, seat],
        "bought": buyer[lot] == seat,
        "knew": knew[lot, seat],
    }


def _pawns(rows: Rows, relics: RelicSet, is_fake: np.ndarray) -> Table:
    pawned, redeemed = rows.where(kinds.PAWNED), rows.where(kinds.REDEEMED)
    paid = np.full(is_fake.shape, NONE)  # a relic is pawned once at most
    paid[rows.game[redeemed], rows.a[redeemed]] = rows.b[redeemed]
    game, relic = rows.game[pawned], rows.a[pawned]
    return {
        **_described(relics, game, relic),
        "lot": rows.lot[pawned],
        "seat": rows.seat[pawned],
        "ingots": rows.b[pawned],
        "redeemed": paid[game, relic] != NONE,
        "redeem_price": paid[game, relic],
        "counterfeit": is_fake[game, relic],
    }


def _protections(rows: Rows, relics: RelicSet, is_fake: np.ndarray) -> Table:
    placed = rows.where(kinds.CERTIFIED, kinds.CANCELLED)
    game, relic = rows.game[placed], rows.a[placed]
    return {
        **_described(relics, game, relic),
        "seat": rows.seat[placed],
        "how": (rows.kind[placed] == kinds.CANCELLED).astype(np.int8),
        "counterfeit": is_fake[game, relic],
    }


def _described(relics: RelicSet, game: np.ndarray, relic: np.ndarray) -> Table:
    """The columns that tell of a relic."""
    category = np.array([CATEGORIES.index(entry.category) for entry in relics.relics])
    value = np.array([entry.value for entry in relics.relics])
    return {"game": game, "relic": relic, "category": category[relic], "value": value[relic]}


def _money(game: Game, rows: Rows) -> Table:
    sold, paid, redeemed = rows.where(kinds.SOLD), rows.where(kinds.PAID), rows.where(kinds.REDEEMED)
    got = rows.where(kinds.INCOME, kinds.GAINED)
    pawned, surcharged = rows.where(kinds.PAWNED), rows.where(kinds.SURCHARGED)
    flows = [
        (sold, rows.seat[sold], -rows.b[sold]),
        (sold, rows.c[sold], rows.b[sold]),
        (surcharged, rows.seat[surcharged], -rows.a[surcharged]),
        (paid, rows.seat[paid], -rows.b[paid]),
        (paid, rows.a[paid], rows.b[paid]),
        (got, rows.seat[got], rows.a[got]),
        (pawned, rows.seat[pawned], rows.b[pawned]),
        (redeemed, rows.seat[redeemed], -rows.b[redeemed]),
    ]
    start = int(game.rules["start_ingots"][0])
    return balances(rows, game.num_players, start, flows, at_the_end=rows.kind == kinds.REDEEMED)


def _points(game: Game, states: np.ndarray) -> Table:
    points = states["points"][:, : game.num_players]
    return points_by_source(points)


def summarise(tables: Tables, own: Means) -> dict[str, np.ndarray | dict[str, np.ndarray]]:
    """What is told of agents beside prices, money and points; see `summary`."""
    lots, bids, pawns, protections = (tables[name] for name in ("lots", "bids", "pawns", "protections"))
    fake = lots["counterfeit"] & (lots["agent"] != NONE)
    known = bids["knew"]
    return {
        "counterfeits": {
            "bought_knowing": own.per_game(lots["agent"][fake & lots["buyer_knew"]]),
            "bought_unknowing": own.per_game(lots["agent"][fake & ~lots["buyer_knew"]]),
            "known_bid_up": own.per_game(bids["agent"][known & ~bids["bought"]]),
            "known_had_to_buy": own.mean(bids["agent"][known], bids["bought"][known]),
        },
        "pawns": {
            "pawned": own.per_game(pawns["agent"]),
            "redeemed": own.per_game(pawns["agent"][pawns["redeemed"]]),
            "lost": own.per_game(pawns["agent"][~pawns["redeemed"]]),
        },
        "protections": {
            "placed": own.per_game(protections["agent"]),
            "saved": own.per_game(protections["agent"][protections["counterfeit"]]),
        },
    }
