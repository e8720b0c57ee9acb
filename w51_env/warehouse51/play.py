"""One move and all that follows from it: the order of the game, from the choice of a deck to the last point.

Order after an auction is won (T4): payment, surcharge, relic placed, immediate effect with its choice, income, next
reveal.
"""

from w51_env.compiler.compile import kernel
from w51_env.warehouse51 import actions
from w51_env.warehouse51.auction import begin_auction, bid_openly, bid_secretly, clear_lot, leave_unsold, reveal, sell
from w51_env.warehouse51.decks import decks_are_empty
from w51_env.warehouse51.effects import apply_immediate, can_give_any, give, look, pay_income, take
from w51_env.warehouse51.ending import begin_ending, cancel, certify, decline, next_turn
from w51_env.warehouse51.pawnbroker import pawn, redeem
from w51_env.warehouse51.set_up import deal
from w51_env.warehouse51.state import BLIND_AUCTION, CERTIFY, GIVE, NOBODY, OPEN_AUCTION, TAKE


@kernel
def set_up(rules, game, log):
    """S1 to S5, then the first reveal."""
    deal(rules, game, log)
    next_auction(rules, game, log)


@kernel
def move(rules, game, action, log, forced):
    """Carry out one action of the seat to move, and all that follows up to the next decision."""
    if actions.PAWN <= action < actions.REDEEM_RELIC:
        pawn(rules, game, action - actions.PAWN, log, forced)
        if game.phase == GIVE and not can_give_any(rules, game, game.seat):  # nothing is left to give
            finish_auction(rules, game, log)
    elif actions.CERTIFY_RELIC <= action < actions.CHOOSE_RELIC:
        certify(rules, game, action - actions.CERTIFY_RELIC, log, forced)
        if game.phase == CERTIFY:
            next_turn(rules, game, log)
    elif actions.REDEEM_RELIC <= action < actions.CERTIFY_RELIC:
        redeem(rules, game, action - actions.REDEEM_RELIC, log, forced)
        next_turn(rules, game, log)
    elif action == actions.DECLINE:
        decline(rules, game, log, forced)
    elif game.phase == OPEN_AUCTION:
        if bid_openly(rules, game, action - actions.BID, log, forced):
            end_auction(rules, game, log)
    elif game.phase == BLIND_AUCTION:
        if bid_secretly(rules, game, action - actions.BID, log, forced):
            end_auction(rules, game, log)
    elif action >= actions.CHOOSE_GAP:
        look(rules, game, action - actions.CHOOSE_GAP, log, forced)
        finish_auction(rules, game, log)
    elif action >= actions.CHOOSE_RELIC:
        choose_relic(rules, game, action - actions.CHOOSE_RELIC, log, forced)
    else:
        reveal(rules, game, action - actions.CHOOSE_DECK, log, forced)


@kernel
def choose_relic(rules, game, relic, log, forced):
    """A relic is taken, given, or its counterfeit cancelled, as the phase says."""
    if game.phase == TAKE:
        take(game, relic, log, forced)
        finish_auction(rules, game, log)
    elif game.phase == GIVE:
        give(rules, game, relic, log, forced)
        finish_auction(rules, game, log)
    else:
        cancel(rules, game, relic, log, forced)


@kernel
def end_auction(rules, game, log):
    """End an auction: T6 no sale, or T4 sale and the immediate effect, for which the buyer may have to choose first."""
    if game.leader == NOBODY:
        leave_unsold(rules, game, log)
    else:
        sell(rules, game, log)
        if apply_immediate(rules, game, log):
            return
    finish_auction(rules, game, log)


@kernel
def finish_auction(rules, game, log):
    """T4: income, then the next auction."""
    pay_income(rules, game, log)
    clear_lot(game)
    next_auction(rules, game, log)


@kernel
def next_auction(rules, game, log):
    """T1, or T7 when the decks are empty."""
    if decks_are_empty(rules, game):
        begin_ending(rules, game, log)
    else:
        begin_auction(rules, game)
