"""The legal actions of the seat to move: L2, L3."""

from w51_env.auctions.actions import BID
from w51_env.auctions.auction import has_clock
from w51_env.auctions.state import NOT_BID, PASSED
from w51_env.compiler.compile import kernel


@kernel
def most_steps(rules, game, seat):
    """L5: steps of the highest bid that a seat can pay."""
    if rules.budget == 0:
        return int(rules.highest)
    return min(int(rules.highest), (int(game.money[seat]) - int(rules.entry_fee)) // int(rules.bid_step))


@kernel
def list_legal(rules, game, seat, actions):
    """L2, L3, L8: write the legal actions of a seat that is to decide, and return their number."""
    count = 0
    lowest, highest = int(rules.lowest), most_steps(rules, game, seat)
    if rules.units and game.bids[seat] != NOT_BID:
        highest = int(game.bids[seat]) - BID
    if has_clock(rules):
        lowest, highest = int(game.clock), min(highest, int(game.clock))
    if has_clock(rules) or rules.reserve > 0 or rules.entry_fee > 0 or highest < lowest:
        actions[count] = PASSED
        count += 1
    for steps in range(lowest, highest + 1):
        actions[count] = BID + steps
        count += 1
    return count


@kernel
def legal_actions(rules, game, legal):
    """Write the legal action ids of the seat to move to `legal.actions`. Returns their number: 0 at the end."""
    return 0 if game.over else list_legal(rules, game, game.seat, legal.actions)
