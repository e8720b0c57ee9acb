"""The flat action table: a pass, and a bid for each number of steps. At a clock, a bid is the price that it shows."""

from w51_env.auctions.state import MAX_STEPS, PASSED
from w51_env.engine.game import Action, ActionTable
from w51_env.views.language import Words

BID = PASSED + 1  #  + steps
NUM_ACTIONS = BID + MAX_STEPS + 1


def action_table() -> ActionTable:
    """All actions with names and readable texts."""
    words = Words()
    bids = [Action(f"bid_{steps}", words("auctions.any.bid", steps=steps)) for steps in range(MAX_STEPS + 1)]
    return ActionTable([Action("pass", words("auctions.action.pass")), *bids])
