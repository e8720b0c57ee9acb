"""The state of one game as a numpy record, and the names of its integers.

Every relic is in exactly one place: `place` holds one number for it. What can be derived is not stored.
"""

import numpy as np

MAX_PLAYERS = 5
MAX_RELICS = 26
MAX_INGOTS = 70  #           in the box (S2)
PAWN_TOKENS = 6  #           P2
CERTIFICATES = 2
MAX_CATEGORIES = 4
CATEGORIES = ("blue", "green", "golden", "red")

NOBODY = -1
NO_RELIC = -1
NO_GAP = -1
NOT_BID = -1

# Places of a relic: a seat 0..4, or
IN_DECK = -1
ON_THE_BLOCK = -2  #         the lot
UNSOLD = -3  #               T6: left the game unowned
EXPOSED = -4  #              E3: left a collection as a counterfeit
ABSENT = -5  #               a relic id that the relic set does not use

# Phases: what the seat to move decides. New ones are appended, after `over`, so that numbers never change.
REVEAL, OPEN_AUCTION, BLIND_AUCTION, TAKE, GIVE, LOOK, REDEEM, CERTIFY, CANCEL, OVER = range(10)
PHASES = ("reveal", "open_auction", "blind_auction", "take", "give", "look", "redeem", "certify", "cancel", "over")
AUCTIONS = (OPEN_AUCTION, BLIND_AUCTION)  # T2, T5
ENDING = (REDEEM, CERTIFY, CANCEL)  #        E1, E2, E3: the auctions are over, and the seat to move may decline

# Columns of `points`.
INGOT_POINTS, SET_POINTS, MAJORITY_POINTS = 0, 1, 2  # the last: blue, and green, golden, red after it
POINT_SOURCES = ("ingots", "sets", *CATEGORIES)

_SEATS, _RELICS = (MAX_PLAYERS,), (MAX_RELICS,)

GAME = np.dtype(
    [
        ("stream", "u8"),  #                     names the game's random numbers (engine.rng)
        ("decisions", "u2"),  #                  decisions made so far, forced ones included
        ("scores", "i2", _SEATS),  #             total points, when over
        ("ranks", "i1", _SEATS),  #              1 is best, equal ranks stay equal, when over
        ("points", "i1", (MAX_PLAYERS, len(POINT_SOURCES))),  # by source, when over
        ("over", "i1"),
        ("phase", "i1"),
        ("seat", "i1"),  #                       to move
        ("first_player", "i1"),
        ("last_winner", "i1"),  #                of an auction, NOBODY before the first
        ("revealer", "i1"),
        ("lot", "i1"),  #                        up for auction, or just bought while its effect is chosen
        ("standing_bid", "i1"),  #               highest open bid, kept until the effect of the lot is settled
        ("leader", "i1"),  #                     who made the standing bid
        ("bidding", "i1", _SEATS),  #            1 while still in the open auction
        ("secret_bid", "i1", _SEATS),  #         blind auction, NOT_BID before
        ("ingots", "i1", _SEATS),
        ("reserve", "i1"),
        ("drawn", "i1", (MAX_CATEGORIES,)),  #   relics turned over so far, by deck
        ("deck", "i1", _RELICS),  #              all relics in deck order; each category is one run of it
        ("place", "i1", _RELICS),
        # 1 with a token. An exposed relic keeps its 1, though its token is free again.
        ("pawned", "i1", _RELICS),
        ("counterfeit_gap", "i1", _RELICS),  #   gap that holds the relic's counterfeit card, or NO_GAP
        ("looked", "i1", (MAX_PLAYERS, MAX_PLAYERS)),  # [seat, gap]: has looked at that gap by an effect
        ("shown", "i1"),  #                      E3: the counterfeit cards are turned over
        ("cancelled", "i1", _RELICS),  #         E3: its counterfeit was cancelled
        ("certificate_from", "i1", (CERTIFICATES,)),  # the relic that gave this token, NO_RELIC while not taken
        ("certificate_on", "i1", (CERTIFICATES,)),  #   the relic it was put on
        ("buyer", "i1", _RELICS),  #             who won it at auction
        ("price", "i1", _RELICS),
        ("highest_bid", "i1", (MAX_PLAYERS, MAX_RELICS)),  # public memory: each seat's highest bid for each relic
        # E1, E2: seats that had their turn; E3, R4: cancelling relics that had it
        ("turn", "i1"),
        ("unused", "i1", (5,)),  #               to a full word: numpy does not copy padding
    ],
    align=True,
)
