"""Which states kernels may be given: those in which they stay within their arrays, and end.

States that callers write or load are checked by this. It is less than all that the rules imply.
"""

import numpy as np

from w51_env.alles_futsch import state
from w51_env.alles_futsch.objects import SET_OF, has_buyer, is_placed
from w51_env.compiler.compile import kernel, scratch
from w51_env.engine.choices import first_wrong
from w51_env.engine.layout import ids_of
from w51_env.engine.limits import VALID, Range

FIELD = ids_of(state.GAME.names or ())
_MAX_LOST = state.OBJECTS_PER_CARD * state.NUM_CARDS  #  of one type

_to_come = scratch(state.NUM_CARDS, np.int64)


def ranges(rules: np.ndarray) -> dict[str, Range]:
    """The range of each field of the record."""
    seat = int(rules["num_players"]) - 1
    card, a_type = state.NUM_CARDS - 1, state.NUM_TYPES - 1
    fields: list[tuple[Range, tuple[str, ...]]] = [
        (None, ("stream", "decisions")),
        ((0, state.MAX_MONEY), ("scores", "added", "money")),
        ((-1, state.MAX_MONEY), ("standing_bid",)),
        ((0, seat + 1), ("ranks",)),
        ((0, 1), ("over", "bidding")),
        ((0, len(state.PHASES) - 1), ("phase",)),
        ((0, seat), ("selector",)),
        ((state.NOBODY, seat), ("seat", "leader", "broke")),
        ((0, a_type), ("lacks",)),
        ((0, state.MAX_OWNED), ("owned",)),
        ((0, card), ("deck",)),
        ((0, int(rules["num_cards"])), ("next_card",)),
        ((state.NO_CARD, card), ("face_up", "card")),
        ((0, state.OBJECTS_PER_CARD), ("to_place",)),
        ((state.NO_TYPE, a_type), ("selling",)),
        ((0, state.NUM_CARDS), ("gone",)),
        ((0, _MAX_LOST), ("lost",)),
    ]
    return {name: ends for ends, names in fields for name in names}


@kernel
def wrong_in_auction(rules, game):
    """As `inconsistent_field`, of the phase, the card, the standing bid (A2) and the money (A3) of a running game."""
    if game.phase == state.OVER:
        return FIELD.OVER
    if game.seat == state.NOBODY:
        return FIELD.SEAT
    if (game.card == state.NO_CARD) != (game.phase == state.SELECT):
        return FIELD.CARD
    if (game.selling == state.NO_TYPE) != (game.phase != state.SELL):
        return FIELD.SELLING
    if (
        game.phase == state.BID
        and game.leader != state.NOBODY
        and not 0 <= game.standing_bid <= game.money[game.leader]
    ):
        return FIELD.STANDING_BID
    money = 0  # that there can be: with the bonuses to come
    for seat in range(rules.num_players):
        money += game.money[seat] + rules.bonus * (state.NUM_TYPES - 1)
        for a_type in range(state.NUM_TYPES):
            if game.owned[seat, a_type] >= SET_OF:
                money -= rules.bonus
    return VALID if money <= state.MAX_MONEY else FIELD.MONEY


@kernel
def without_choice(rules, game):
    """As `inconsistent_field`, where the seat to move has no legal action, or is led to none: the game never ends."""
    if game.phase == state.SELECT and count_face_up(game) == 0:
        return FIELD.FACE_UP
    if game.phase == state.PLACE and is_placed(game):
        return FIELD.TO_PLACE
    if game.phase == state.SELL and not has_buyer(rules, game, game.seat, game.selling):
        return FIELD.SELLING
    if game.added > 0 and (game.phase != state.BID or int(game.standing_bid) + game.added >= game.money[game.seat]):
        return FIELD.ADDED
    return VALID


@kernel
def count_face_up(game):
    """Number of face-up cards."""
    face_up = 0
    for slot in range(state.FACE_UP):
        face_up += game.face_up[slot] != state.NO_CARD
    return face_up


@kernel
def wrong_in_cards(rules, game):
    """As `inconsistent_field`, of the cards (A1): the row has a free slot, the deck has each card once."""
    if count_face_up(game) == state.FACE_UP and game.phase != state.SELECT and not game.over:
        return FIELD.FACE_UP
    if not rules.random_cards and not all_differ(game.deck, game.next_card if game.over else state.NUM_CARDS):
        return FIELD.DECK
    return VALID if game.over else wrong_in_counts(rules, game)


@kernel
def wrong_in_counts(rules, game):
    """As `inconsistent_field`, of the cards and objects that left a running game: with those to come, not too many."""
    to_come = _to_come()  # of each card: in the deck, in the row, for auction
    to_come[:] = 0
    for index in range(game.next_card, rules.num_cards):
        to_come[game.deck[index]] += 1
    for slot in range(state.FACE_UP):
        if game.face_up[slot] != state.NO_CARD:
            to_come[game.face_up[slot]] += 1
    if game.card != state.NO_CARD:
        to_come[game.card] += 1
    for card in range(state.NUM_CARDS):
        if game.gone[card] > 0 and game.gone[card] + to_come[card] > state.NUM_CARDS:
            return FIELD.GONE
    if game.phase == state.PLACE or game.phase == state.SELL:
        to_come[game.card] -= 1  # its objects are in `to_place`
    for a_type in range(state.NUM_TYPES):
        objects = int(game.lost[a_type]) + int(game.to_place[a_type])
        for card in range(state.NUM_CARDS):
            objects += state.OBJECTS[card, a_type] * to_come[card]
        if game.lost[a_type] > 0 and objects > _MAX_LOST:
            return FIELD.LOST
    return VALID


@kernel
def all_differ(values, count):
    """Whether values[:count], each from 0 to 62, are all different."""
    seen = 0  # a bit for each value
    for index in range(count):
        bit = 1 << int(values[index])
        if seen & bit:
            return False
        seen |= bit
    return True


inconsistent_field = first_wrong(wrong_in_auction, without_choice, wrong_in_cards)
