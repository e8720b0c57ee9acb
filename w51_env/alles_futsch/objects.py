"""Placing and selling objects: A3, in the paying order of A4."""

from w51_env.alles_futsch.event_types import EVENT
from w51_env.alles_futsch.state import MAX_OWNED, NO_TYPE, NUM_TYPES, PLACE, SELL
from w51_env.compiler.compile import kernel
from w51_env.engine.events import emit

SET_OF = 3  # the third of a kind pays the bonus, and is the last that its owner takes from a card


@kernel
def is_placed(game):
    """Whether all objects of the bought card are placed."""
    for a_type in range(NUM_TYPES):
        if game.to_place[a_type] > 0:
            return False
    return True


@kernel
def may_buy(rules, game, seat, a_type):
    """A3: whether a seat has the type on its table and owns 0 to 4 of it."""
    return game.lacks[seat] != a_type and game.owned[seat, a_type] < MAX_OWNED


@kernel
def has_buyer(rules, game, seller, a_type):
    """A3: whether any fellow player may buy."""
    for seat in range(rules.num_players):
        if seat != seller and may_buy(rules, game, seat, a_type):
            return True
    return False


@kernel
def place_object(rules, game, a_type, log, forced):
    """A3: the next object of the bought card is taken or lost, or the seat chooses its buyer (`phase` SELL)."""
    seat = game.seat
    game.to_place[a_type] -= 1
    if game.lacks[seat] != a_type and game.owned[seat, a_type] < SET_OF:
        take_object(rules, game, seat, a_type, log, forced)
    elif has_buyer(rules, game, seat, a_type):
        game.selling = a_type
        game.phase = SELL
    elif rules.seller_takes and may_buy(rules, game, seat, a_type):
        take_object(rules, game, seat, a_type, log, forced)
    else:
        game.lost[a_type] += 1
        emit(log, EVENT.LOST, seat, a_type, 0, 0, forced)


@kernel
def sell_object(rules, game, distance, log, forced):
    """A3: the fellow player `distance` seats to the left must buy. A4: the seller is paid first.

    A6: an object that is not paid in full stays without an owner.
    """
    seller = game.seat
    buyer = (seller + distance) % rules.num_players
    a_type = game.selling
    game.selling = NO_TYPE
    game.phase = PLACE
    paid = min(rules.sale_price, game.money[buyer])
    game.money[buyer] -= paid
    game.money[seller] += paid
    emit(log, EVENT.SOLD, seller, a_type, buyer, paid, forced)
    if paid < rules.sale_price:
        go_broke(game, buyer, log)
    else:
        take_object(rules, game, buyer, a_type, log, 0)


@kernel
def take_object(rules, game, seat, a_type, log, forced):
    """A3: one more of its type. A4: a fourth or fifth is fined, a third pays the bonus. A6: fine unpaid, it counts."""
    game.owned[seat, a_type] += 1
    emit(log, EVENT.TOOK, seat, a_type, game.owned[seat, a_type], 0, forced)
    if game.owned[seat, a_type] > SET_OF:
        paid = min(rules.fine, game.money[seat])
        game.money[seat] -= paid
        emit(log, EVENT.FINED, seat, paid, 0, 0, 0)
        if paid < rules.fine:
            go_broke(game, seat, log)
    elif game.owned[seat, a_type] == SET_OF:
        game.money[seat] += rules.bonus
        emit(log, EVENT.BONUS, seat, rules.bonus, 0, 0, 0)


@kernel
def go_broke(game, seat, log):
    """A4: the seat can't pay in full; the game ends at once."""
    game.broke = seat
    emit(log, EVENT.BROKE, seat, 0, 0, 0, 0)


@kernel
def objects_of(game, seat):
    """Number of objects that a seat owns (A5)."""
    objects = 0
    for a_type in range(NUM_TYPES):
        objects += int(game.owned[seat, a_type])
    return objects
