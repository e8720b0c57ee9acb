"""Which states kernels may be given: those in which they stay within their arrays, and end.

States that callers write or load are checked by this. It is less than all that the rules imply.
"""

import numpy as np

from w51_env.alles_futsch.objects import SET_OF, has_buyer, is_placed
from w51_env.alles_futsch.state import (
    BID,
    FACE_UP,
    GAME,
    MAX_MONEY,
    MAX_OWNED,
    NO_CARD,
    NO_TYPE,
    NOBODY,
    NUM_CARDS,
    NUM_TYPES,
    OBJECTS,
    OBJECTS_PER_CARD,
    OVER,
    PHASES,
    PLACE,
    SELECT,
    SELL,
)
from w51_env.compiler.compile import kernel
from w51_env.engine.choices import first_wrong
from w51_env.engine.limits import VALID, Range, field_indices

_OVER, _SEAT, _STANDING_BID, _ADDED, _MONEY, _DECK, _FACE_UP, _CARD, _TO_PLACE, _SELLING, _GONE, _LOST = field_indices(
    GAME,
    *("over", "seat", "standing_bid", "added", "money", "deck", "face_up", "card", "to_place", "selling"),
    *("gone", "lost"),
)
_MAX_LOST = OBJECTS_PER_CARD * NUM_CARDS  #  of one type


def ranges(rules: np.ndarray) -> dict[str, Range]:
    """The range of each field of the record."""
    seat, card, kind = int(rules["num_players"]) - 1, NUM_CARDS - 1, NUM_TYPES - 1
    seats, seats_or_nobody, cards_or_none, is_true = (0, seat), (NOBODY, seat), (NO_CARD, card), (0, 1)
    return {
        "stream": None,
        "decisions": None,
        "scores": (0, MAX_MONEY),
        "standing_bid": (-1, MAX_MONEY),
        "added": (0, MAX_MONEY),
        "money": (0, MAX_MONEY),
        "ranks": (0, seat + 1),
        "over": is_true,
        "phase": (0, len(PHASES) - 1),
        "seat": seats_or_nobody,
        "selector": seats,
        "leader": seats_or_nobody,
        "broke": seats_or_nobody,
        "bidding": is_true,
        "lacks": (0, kind),
        "owned": (0, MAX_OWNED),
        "deck": (0, card),
        "next_card": (0, int(rules["num_cards"])),
        "face_up": cards_or_none,
        "card": cards_or_none,
        "to_place": (0, OBJECTS_PER_CARD),
        "selling": (NO_TYPE, kind),
        "gone": (0, NUM_CARDS),
        "lost": (0, _MAX_LOST),
    }


@kernel
def wrong_in_auction(rules, game):
    """As `inconsistent_field`, of the phase, the card, the standing bid (A2) and the money (A3) of a running game."""
    if game.phase == OVER:
        return _OVER
    if game.seat == NOBODY:
        return _SEAT
    if (game.card == NO_CARD) != (game.phase == SELECT):
        return _CARD
    if (game.selling == NO_TYPE) != (game.phase != SELL):
        return _SELLING
    if game.phase == BID and game.leader != NOBODY and not 0 <= game.standing_bid <= game.money[game.leader]:
        return _STANDING_BID
    money = 0  # that there can be: with the bonuses to come
    for seat in range(rules.num_players):
        money += game.money[seat] + rules.bonus * (NUM_TYPES - 1)
        for kind in range(NUM_TYPES):
            if game.owned[seat, kind] >= SET_OF:
                money -= rules.bonus
    return VALID if money <= MAX_MONEY else _MONEY


@kernel
def without_choice(rules, game):
    """As `inconsistent_field`, where the seat to move has no legal action, or is led to none: the game never ends."""
    if game.phase == SELECT and count_face_up(game) == 0:
        return _FACE_UP
    if game.phase == PLACE and is_placed(game):
        return _TO_PLACE
    if game.phase == SELL and not has_buyer(rules, game, game.seat, game.selling):
        return _SELLING
    if game.added > 0 and (game.phase != BID or int(game.standing_bid) + game.added >= game.money[game.seat]):
        return _ADDED
    return VALID


@kernel
def count_face_up(game):
    """Number of face-up cards."""
    face_up = 0
    for slot in range(FACE_UP):
        face_up += game.face_up[slot] != NO_CARD
    return face_up


@kernel
def wrong_in_cards(rules, game):
    """As `inconsistent_field`, of the cards (A1): the row has a free slot, the deck has each card once."""
    if count_face_up(game) == FACE_UP and game.phase != SELECT and not game.over:
        return _FACE_UP
    if not rules.random_cards and not all_differ(game.deck, game.next_card if game.over else NUM_CARDS):
        return _DECK
    return VALID if game.over else wrong_in_counts(rules, game)


@kernel
def wrong_in_counts(rules, game):
    """As `inconsistent_field`, of the cards and objects that left a running game: with those to come, not too many."""
    for card in range(NUM_CARDS):
        if game.gone[card] > 0 and game.gone[card] + num_to_come(rules, game, card) > NUM_CARDS:
            return _GONE
    for kind in range(NUM_TYPES):
        if game.lost[kind] > 0 and game.lost[kind] + num_objects_to_come(rules, game, kind) > _MAX_LOST:
            return _LOST
    return VALID


@kernel
def num_objects_to_come(rules, game, kind):
    """How many objects of a type are on cards to come, or still to place."""
    count = int(game.to_place[kind])
    if game.phase != PLACE and game.phase != SELL and game.card != NO_CARD:
        count += OBJECTS[game.card, kind]
    for slot in range(FACE_UP):
        if game.face_up[slot] != NO_CARD:
            count += OBJECTS[game.face_up[slot], kind]
    for index in range(game.next_card, rules.num_cards):
        count += OBJECTS[game.deck[index], kind]
    return count


@kernel
def num_to_come(rules, game, card):
    """How many copies of a card are in the deck, in the row, or for auction."""
    count = int(card == game.card)
    for slot in range(FACE_UP):
        count += game.face_up[slot] == card
    for index in range(game.next_card, rules.num_cards):
        count += game.deck[index] == card
    return count


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
