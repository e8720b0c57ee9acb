"""What open auctions have in common in any game."""

from w51_env.core.compile import kernel
from w51_env.core.seats import NOBODY, left_of


@kernel
def next_bidder(rules, game):
    """The turn goes clockwise to the next seat still in; True if there is nobody to ask: all have passed, or all but the leader.

    `game` has `seat`, `leader` (who made the standing bid, or NOBODY) and `bidding`, 1 for each seat still in.
    """
    left = 0
    for seat in range(rules.num_players):
        left += game.bidding[seat]
    if left == 0 or (left == 1 and game.leader != NOBODY):
        return True
    seat = left_of(rules, game.seat)
    while game.bidding[seat] == 0:
        seat = left_of(rules, seat)
    game.seat = seat
    return False
