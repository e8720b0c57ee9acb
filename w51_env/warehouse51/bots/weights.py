"""The heuristic's parameters: all its numbers in one file.

Points are points of the final score. Those of effects are for a whole game ahead, unless `effects` says otherwise.
Where the number of players matters there are three numbers, for 3, 4 and 5 players. They were found by an evolution
strategy, variants against variants, then rounded.
"""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51.rules import NUM_PLAYERS


@kernel
def for_players(rules, weights):
    """The one of three numbers that is for this number of players."""
    return weights[rules.num_players - NUM_PLAYERS[0]]


# Collections (values).
SPREAD_LEAST = (0.6, 0.5, 0.5)  # spread in value of a majority when no relic is to come
SPREAD_PER_RELIC = (0.69, 0.45, 0.45)  # and for each relic to come
PAWNED_SHARE = (0.44, 0.6, 0.6)  # of a pawned relic's value, expected to count at the end
SET_CHANCE = (0.32, 0.43, 0.43)  # of the relics to come times 1 / players, expected to be won by a seat

# Ingots (money).
INGOT_POINTS = (0.32, 0.165, 0.165)  # points to be bought, per relic to come and per player
HALF_SPENT_MONEY = (2.5, 3.0, 3.0)  # multiple of the others' mean money with which a seat buys half of them
OTHERS_GAIN_SHARE = (0.35, 0.24, 0.24)  # of another seat's gain from a payment, counted as a loss
MISSED_GAIN_SHARE = (0.12, 0.15, 0.15)  # of a rival's payment to the bot, counted as missed when outbidding it

# Bids (bidding).
OWN_SHARE = (1.1, 0.7, 0.72)  # of what a relic adds to the own collection
RIVAL_SHARE = (0.31, 0.36, 0.36)  # of what it would add to a rival's
SURE_BID_SHARE = (0.63, 0.4, 0.5)  # of what it adds for a rival: what the rival surely bids
BLIND_BID_SHARE = (0.65, 0.6, 0.6)  # of what it adds for a rival: what the rival bids blind
BLIND_NOISE = 1.0  #          spread in ingots of this estimate
BLIND_NOISE_SHARE = (0.36, 0.1, 0.1)  # and as a part of the estimate
RIVAL_EFFECT = (0.75, 0.3, 0.3)  # of an effect's worth to a rival: what it adds to the rival's bid
COUNTERFEIT_LOAN = (0.9, 0.6, 0.6)  # of a loan's worth: what a counterfeit is worth because it can be pawned

# Choices (choices).
TYPICAL_VALUE = (1.7, 2.0, 2.0)  # of a relic that is still in its deck
COUNTERFEIT_CHANCE = 0.1  #                chance that a relic is a counterfeit that the observer has not seen
PAWN_GAIN = (0.53, 0.45, 0.45)  # of a loan's worth: what a relic that is pawned for it may cost at most

# Effects (effects).
CERTIFICATE_VALUE = 0.9
CANCEL_VALUE = (1.8, 1.2, 1.2)
PROTECTS_COUNTERFEIT = (1.9, 3.0, 3.0)  # added to each of the two if there is a counterfeit to protect
WINS_TIES_VALUE = (3.1, 2.5, 2.5)
LOSES_TIES_VALUE = 0.9
MATCH_VALUE = (3.2, 2.5, 2.5)
BLIND_TIES_VALUE = 1.0
REVEALS_VALUE = 0.1
LIFTS_VALUE = 0.9
CAP_VALUE = 16.0  #           divided by the cap
SURCHARGE_SHARE = 0.24  #     of its cost if every seat won as many auctions
INCOME_SHARE = 0.4  #         of the ingots it pays
TAKE_SHARE = (1.8, 1.3, 1.3)  # of what the best relic to take adds, effect included
