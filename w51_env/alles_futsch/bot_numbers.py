"""The numbers of the bots, for 2, 3, 4 and 5 players each: first those of `collector`, then those of `heuristic`.

Those of `collector` were found by tournaments of it against itself with other numbers, those of `heuristic` by an
evolution strategy: one network that buys every card, and one `collector`, should win little among heuristics, and one
heuristic among collectors its share.
"""

from w51_env.alles_futsch.state import FACE_UP, MIN_PLAYERS, NUM_CARDS
from w51_env.compiler.compile import kernel

WHOLE_DECK = float(NUM_CARDS - FACE_UP)


@kernel
def number_of(rules, bot, numbers):
    """The one that is for this bot, from 1 in BOTS, and number of players."""
    return numbers[bot - 1][rules.num_players - MIN_PLAYERS]


# Worth of a first object of a type, as a fraction of the bonus for the third.
FIRST_VALUE = ((0.2, 0.2, 0.2, 0.2), (0.337, 0.574, 0.285, 0.28))
# The same of a second object.
SECOND_VALUE = ((0.45, 0.45, 0.45, 0.45), (0.456, 0.651, 0.365, 0.245))
# The part of both that falls to nothing with the time that is left.
LATE_LOSS = ((0.0, 0.0, 0.0, 0.0), (0.03, 0.31, 0.103, 0.273))
# Thousands that an object is worth besides, while all the time is left.
LATER_SALES = ((0.0, 0.0, 0.0, 0.0), (5.656, -3.99, 1.024, 7.446))
# What the price that a buyer of an object pays counts.
PRICE_WEIGHT = ((1.0, 1.0, 1.0, 1.0), (1.6, 1.186, 1.68, 0.903))
# What a buyer's loss counts, divided by the number of rivals.
LOSS_WEIGHT = ((1.0, 1.0, 1.0, 1.0), (0.249, 0.867, 1.104, 1.541))
# The limit of a bid as a fraction of the fair price.
PRICE_FACTOR = ((0.85, 0.85, 0.85, 0.85), (0.991, 1.04, 0.769, 1.01))
# What is added to it, divided by the number of rivals.
RIVALS_FACTOR = ((0.35, 0.35, 0.35, 0.35), (0.0, 0.0, 0.0, 0.0))
# What the value to a rival counts in the fair price, divided by the players.
RIVAL_WEIGHT = ((1.0, 1.0, 1.0, 1.0), (0.858, 0.613, 1.165, 0.852))
# Thousands never bid.
CASH_RESERVE = ((5.0, 5.0, 5.0, 5.0), (2.956, 1.082, 0.295, 1.575))
# What the money of a buyer of an object counts, beside 1,000 times its loss.
MONEY_WEIGHT = ((1.0, 1.0, 1.0, 1.0), (39.3, 83.8, 116.8, -27.0))
# The same if the seller is the richest.
MONEY_WEIGHT_OF_RICHEST = ((1.0, 1.0, 1.0, 1.0), (172.2, 50.4, 94.6, 159.5))
