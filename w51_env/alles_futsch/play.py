"""One move and all that follows from it."""

from w51_env.alles_futsch.actions import ADD, PASS, PLACE_TYPE, RAISE, SELL_TO
from w51_env.alles_futsch.auction import add, buy, leave_unsold, next_selection, pass_for_good, raise_bid, select
from w51_env.alles_futsch.ending import end_game
from w51_env.alles_futsch.objects import is_placed, place_object, sell_object
from w51_env.alles_futsch.state import BID, NOBODY, PLACE, SELECT, SELL
from w51_env.compiler.compile import kernel


@kernel
def move(rules, game, action, log, forced):
    """Carry out one action of the seat to move, and all that follows up to the next decision."""
    if game.phase == SELECT:
        select(rules, game, action, log, forced)
    elif game.phase == BID:
        if action == PASS:
            closed = pass_for_good(rules, game, log, forced)
        elif action > ADD:
            add(game, action - ADD)
            closed = False
        else:
            closed = raise_bid(rules, game, action - RAISE, log, forced)
        if closed:
            end_auction(rules, game, log)
    elif game.phase == PLACE:
        place_object(rules, game, action - PLACE_TYPE, log, forced)
        after_object(rules, game, log)
    elif game.phase == SELL:
        sell_object(rules, game, action - SELL_TO, log, forced)
        after_object(rules, game, log)


@kernel
def end_auction(rules, game, log):
    """End an auction, A2: the card is bought, or it leaves the game."""
    if game.leader != NOBODY:
        buy(game, log)
    else:
        go_on(rules, game, leave_unsold(rules, game, log), log)


@kernel
def after_object(rules, game, log):
    """A4: the end, if a seat is broke. When all objects are placed, their buyer selects the next card (A2)."""
    if game.broke != NOBODY:
        end_game(rules, game, log)
    elif game.phase == PLACE and is_placed(game):
        go_on(rules, game, game.seat, log)


@kernel
def go_on(rules, game, selector, log):
    """A2: the next selection, or A5: the end."""
    if not next_selection(rules, game, selector, log):
        end_game(rules, game, log)
