"""The state of one game as a numpy record, and names for its integers. Money is in thousands."""

from itertools import combinations_with_replacement

import numpy as np

MIN_PLAYERS = 2
MAX_PLAYERS = 5
TYPES = ("painting", "sculpture", "vase", "clock", "jewel")  # our words: the rulebook names none
NUM_TYPES = len(TYPES)
OBJECTS_PER_CARD = 3
FACE_UP = 5
MAX_OWNED = 5  #           of one type (A3: fellow players who own 0 to 4 may buy)

# A1, ruling: one card for each multiset of 3 out of 5 types; there are exactly 35. A card is an index into this table.
# CARDS: (35, 3) types; OBJECTS: (35, 5) objects of each type.
CARDS = np.array(list(combinations_with_replacement(range(NUM_TYPES), OBJECTS_PER_CARD)), np.int8)
NUM_CARDS = len(CARDS)
OBJECTS = np.stack([np.bincount(card, minlength=NUM_TYPES) for card in CARDS]).astype(np.int8)

UNIT = 1000  # the record counts thousands

# All money there can ever be, by the limits of the options: a seat gets one bonus for each type on its table.
MAX_START_MONEY = 200
MAX_BONUS = 40
MAX_MONEY = MAX_PLAYERS * (MAX_START_MONEY + (NUM_TYPES - 1) * MAX_BONUS)

NOBODY = -1
NO_CARD = -1
NO_TYPE = -1

SELECT, BID, PLACE, SELL, OVER = range(5)
PHASES = ("select", "bid", "place", "sell", "over")

# Largest fields first, so that there is no padding: numpy does not copy it.
GAME = np.dtype(
    [
        ("stream", "u8"),
        ("decisions", "u2"),
        ("scores", "i2", (MAX_PLAYERS,)),  #  cash in thousands, when over
        ("standing_bid", "i2"),  #            minimum bid less 1 before the first
        ("added", "i2"),  #                   first part of the raise that the seat to move is making
        ("money", "i2", (MAX_PLAYERS,)),
        ("ranks", "i1", (MAX_PLAYERS,)),
        ("over", "i1"),
        ("phase", "i1"),
        ("seat", "i1"),  #                    to move
        ("selector", "i1"),  #                seat that selects, or selected, the card for auction
        ("leader", "i1"),  #                  seat that made the standing bid, or bought the card
        ("broke", "i1"),  #                   seat that could not pay (A4), or NOBODY
        ("bidding", "i1", (MAX_PLAYERS,)),
        ("lacks", "i1", (MAX_PLAYERS,)),  #   type that the seat's table has no row for
        ("owned", "i1", (MAX_PLAYERS, NUM_TYPES)),
        ("deck", "i1", (NUM_CARDS,)),  #      all cards in order, with those turned up and those set aside
        ("next_card", "i1"),  #               number of cards turned up
        ("face_up", "i1", (FACE_UP,)),  #     cards, or NO_CARD
        ("card", "i1"),  #                    for auction, or being placed
        ("to_place", "i1", (NUM_TYPES,)),  #  objects of the bought card still to place, by type
        ("selling", "i1"),  #                 type being sold (A3), or NO_TYPE
        ("gone", "i1", (NUM_CARDS,)),  #      number of each card that was bought or left the game unsold
        ("lost", "i1", (NUM_TYPES,)),  #      objects lost because nobody could buy them
    ],
    align=True,
)
