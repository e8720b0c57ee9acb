"""The state of one game as a numpy record, and the words for its integers. Money is in thousands."""

from itertools import combinations_with_replacement

import numpy as np

MAX_PLAYERS = 5
NUM_TYPES = 5
TYPES = ("painting", "sculpture", "vase", "clock", "jewel")  # our words: the rulebook names none
OBJECTS_PER_CARD = 3
FACE_UP = 5
MAX_OWNED = 5  #           of one type (A3: fellow players who own 0 to 4 may buy)

# A1, ruling: one card for each multiset of 3 out of 5 types; there are exactly 35. (35, 3)
MULTISETS = np.array(list(combinations_with_replacement(range(NUM_TYPES), OBJECTS_PER_CARD)), np.int8)
NUM_CARDS = len(MULTISETS)

MOST_MONEY = 2000  #       start money and bonuses together stay below, by the limits of the options

NOBODY = -1
NO_CARD = -1
NO_TYPE = -1

SELECT, BID, PLACE, SELL, OVER = range(5)
PHASES = ("select", "bid", "place", "sell", "over")

GAME = np.dtype(
    [
        ("stream", "u8"),
        ("decisions", "u2"),
        ("scores", "i2", (MAX_PLAYERS,)),  #                      cash in thousands, when over
        ("ranks", "i1", (MAX_PLAYERS,)),
        ("over", "i1"),
        ("phase", "i1"),
        ("seat", "i1"),  #                                        to move
        ("selector", "i1"),  #                                    who selects, or selected, the card under the hammer
        ("leader", "i1"),
        ("broke", "i1"),  #                                       who could not pay (A4), or NOBODY
        ("bidding", "i1", (MAX_PLAYERS,)),
        ("selling", "i1"),  #                                     the type being sold (A3), or NO_TYPE
        ("standing_bid", "i2"),  #                                minimum bid less 1 before the first
        ("added", "i2"),  #                                       what the mover has already added to a raise
        ("money", "i2", (MAX_PLAYERS,)),
        ("lacks", "i1", (MAX_PLAYERS,)),  #                       the type that the seat's table has no row for
        ("owned", "i1", (MAX_PLAYERS, NUM_TYPES)),
        ("cards", "i1", (NUM_CARDS, OBJECTS_PER_CARD)),  #        all cards, in deck order
        ("next_card", "i1"),  #                                   cards turned up so far
        ("face_up", "i1", (FACE_UP,)),  #                         indices into `cards`, or NO_CARD
        ("card", "i1"),  #                                        the one under the hammer
        ("to_place", "i1", (NUM_TYPES,)),  #                      objects of the bought card still to place, by type
        ("seen", "i1", (NUM_TYPES,)),  #                          objects on cards gone from the face-up row, by type
        ("lost", "i1", (NUM_TYPES,)),  #                          objects lost for want of a buyer
    ],
    align=True,
)
