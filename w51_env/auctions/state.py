"""The state of one game as a numpy record, and names for its integers. Values, bids and money in units.

A decision is stored as 0, a pass, or 1 + the number of steps of the bid: the same number as the action.
"""

import numpy as np

MIN_PLAYERS = 2
MAX_PLAYERS = 6
MAX_VALUE = 100
MAX_STEPS = 126  #      of the highest bid: 1 + this fits int8
MAX_BID = 200
MAX_FEE = 50
MAX_BUDGET = 1000
MAX_ROUNDS = 50
TIE_LOTS = (1, 1, 2, 6, 12, 60, 60)  # of each number of bidders: what 1, 2, ... of them divide
LOTS = 2  #             sold at once, at most
CENTS = 100  #          scores and payoffs are hundredths of a unit

NOBODY = -1
NOT_BID = -1
PASSED = 0

BID, OVER = range(2)
PHASES = ("bid", "over")

UNIT_FORMATS = ("discriminatory", "uniform_price", "vickrey")  # of two equal units
FORMATS = ("first_price", "second_price", "third_price", "all_pay", "english", "dutch", *UNIT_FORMATS)
FIRST_PRICE, SECOND_PRICE, THIRD_PRICE, ALL_PAY, ENGLISH, DUTCH, DISCRIMINATORY, UNIFORM_PRICE, VICKREY = range(
    len(FORMATS)
)
OWN_VALUES = ("private", "affiliated")  # to each bidder its own
VALUES = (*OWN_VALUES, "average", "mineral")
PRIVATE, AFFILIATED, AVERAGE, MINERAL = range(len(VALUES))

# Largest fields first, so that there is no padding: numpy does not copy it.
GAME = np.dtype(
    [
        ("stream", "u8"),
        ("totals", "i4", (MAX_PLAYERS,)),  #   payoffs of all rounds that all seats know, in hundredths
        ("decisions", "u2"),
        ("scores", "i2", (MAX_PLAYERS,)),  #   mean payoff of a round in hundredths, when over
        ("money", "i2", (MAX_PLAYERS,)),  #    left of the budget; 0 without one
        ("ranks", "i1", (MAX_PLAYERS,)),
        ("over", "i1"),
        ("phase", "i1"),
        ("seat", "i1"),  #                     to move
        ("signals", "i1", (MAX_PLAYERS,)),  #  what each seat knows: its value, or its estimate of a common one
        ("second_signals", "i1", (MAX_PLAYERS,)),  # what a second lot is worth to it
        ("common", "i1"),  #                   the part of all signals, or the common value
        ("bids", "i1", (MAX_PLAYERS,)),  #     decisions that are still secret
        ("second_bids", "i1", (MAX_PLAYERS,)),  # those for a second lot
        ("shown", "i1", (MAX_PLAYERS,)),  #    the highest bid of each seat in this round that all know
        ("second_shown", "i1", (MAX_PLAYERS,)),  # that for a second lot
        ("bidding", "i1", (MAX_PLAYERS,)),  #  1 while the seat is in the auction
        ("clock", "i1"),  #                    steps of the price that a clock shows
        ("round", "i1"),  #                    rounds that are over
        ("wins", "i1", (MAX_PLAYERS,)),  #     rounds won
        ("last", "i1", (MAX_PLAYERS,)),  #     `shown` of the round before
        ("last_winner", "i1"),  #              of the round before
        ("lot", "i1"),  #                      decides among equal bids, drawn with the values; 0 after the sale
        ("second_lot", "i1"),  #               that for a second item
        ("unused", "i1", (1,)),
    ],
    align=True,
)
