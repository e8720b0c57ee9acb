"""Auctions: A2."""

from w51_env.alles_futsch.actions import ADD, BASE, PASS, RAISE
from w51_env.alles_futsch.event_types import EVENT
from w51_env.alles_futsch.set_up import turn_up
from w51_env.alles_futsch.state import BID, FACE_UP, NO_CARD, NOBODY, NUM_TYPES, OBJECTS, PLACE, SELECT
from w51_env.compiler.compile import kernel
from w51_env.engine.events import emit
from w51_env.engine.seats import left_of, next_bidder
from w51_env.engine.table_statistics import BEGINS_AUCTION, OTHER
from w51_env.engine.table_statistics import PASSED as MEANS_PASSED


@kernel
def select(rules, game, slot, log, forced):
    """A2: a face-up card is put up for auction; bidding begins with the selector."""
    game.card = game.face_up[slot]
    game.face_up[slot] = NO_CARD
    game.phase = BID
    game.standing_bid = rules.minimum_bid - 1
    for seat in range(rules.num_players):
        game.bidding[seat] = 1
    emit(log, EVENT.SELECTED, game.seat, game.card, 0, 0, forced)


@kernel
def meaning_of_decision(rules, game, action, forced):
    """A2, for table statistics: a bid as thousands above the least that overbids, or what else it is."""
    if game.phase == SELECT:
        return BEGINS_AUCTION
    if game.phase != BID or action > ADD or is_no_choice(game, forced):  # after ADD, the rest of the raise comes next
        return OTHER
    return MEANS_PASSED if action == PASS else int(game.added) + action - RAISE - 1


@kernel
def is_no_choice(game, forced):
    """Whether a bid or pass is forced as a whole: the second part of a raise is not, as its first part was chosen."""
    return 1 if forced and game.added == 0 else 0


@kernel
def add(game, twenties):
    """A2: the first part of a large raise; the same seat adds the rest."""
    game.added = BASE * twenties


@kernel
def raise_bid(rules, game, raised, log, forced):
    """A2: a bid strictly higher than the standing one. Returns True when the auction is closed."""
    emit(log, EVENT.BID, game.seat, game.standing_bid + game.added + raised, 0, 0, is_no_choice(game, forced))
    game.standing_bid += game.added + raised
    game.added = 0
    game.leader = game.seat
    return next_bidder(rules, game)


@kernel
def pass_for_good(rules, game, log, forced):
    """A2: a pass is final. Returns True when the auction is closed."""
    game.bidding[game.seat] = 0
    emit(log, EVENT.PASSED, game.seat, 0, 0, 0, forced)
    return next_bidder(rules, game)


@kernel
def buy(game, log):
    """A2: the highest bidder pays the bank, gets the card and places its objects (A3)."""
    buyer = game.leader
    game.money[buyer] -= game.standing_bid
    emit(log, EVENT.BOUGHT, buyer, game.card, game.standing_bid, 0, 0)
    for a_type in range(NUM_TYPES):
        game.to_place[a_type] = OBJECTS[game.card, a_type]
    game.bidding[:] = 0
    game.seat = buyer
    game.phase = PLACE


@kernel
def leave_unsold(rules, game, log):
    """A2: nobody bid, the card leaves the game. Returns the next selector: the same seat, or its left neighbour."""
    emit(log, EVENT.UNSOLD, game.selector, game.card, 0, 0, 0)
    return game.selector if rules.same_selects else left_of(rules, game.selector)


@kernel
def next_selection(rules, game, selector, log):
    """A2, A6: the next card is turned up, and `selector` selects. Returns False if no card is left (A5)."""
    game.gone[game.card] += 1
    game.card = NO_CARD
    game.leader = NOBODY
    game.standing_bid = 0
    if not turn_up(rules, game, log) and rules.ends_with_deck:
        return False
    game.selector = selector
    game.seat = selector
    game.phase = SELECT
    for slot in range(FACE_UP):
        if game.face_up[slot] != NO_CARD:
            return True
    return False
