"""Set-up: A1."""

import numpy as np

from w51_env.alles_futsch.event_kinds import SET_UP
from w51_env.alles_futsch.state import (
    FACE_UP,
    MAX_PLAYERS,
    MULTISETS,
    NO_CARD,
    NO_TYPE,
    NOBODY,
    NUM_CARDS,
    NUM_TYPES,
    OBJECTS_PER_CARD,
    SELECT,
)
from w51_env.core import rng
from w51_env.core.compile import kernel
from w51_env.core.events import emit


@kernel
def set_up(rules, game, log):
    """A1: money, tables, the deck, five cards face up. The first player selects (A2)."""
    for seat in range(rules.num_players):
        game.money[seat] = rules.start_money
    counter = deal_tables(game, rng.SET_UP)
    counter = shuffle_cards(rules, game, 0, counter)
    for place in range(FACE_UP):
        game.face_up[place] = place
    game.next_card = FACE_UP
    game.card = NO_CARD
    game.selling = NO_TYPE
    game.leader = NOBODY
    game.broke = NOBODY
    if rules.first_player < 0:
        game.selector = rng.random_below(game.stream, counter, rules.num_players)
    else:
        game.selector = rules.first_player
    game.seat = game.selector
    game.phase = SELECT
    emit(log, SET_UP, game.selector, 0, 0, 0, 0)


@kernel
def deal_tables(game, counter):
    """A1: each player gets one of the five tables, each of which lacks another type."""
    for seat in range(MAX_PLAYERS):
        game.lacks[seat] = seat
    return rng.shuffle(game.lacks, MAX_PLAYERS, game.stream, counter)


@kernel
def shuffle_cards(rules, game, first, counter):
    """A1: shuffle the cards from place `first` of the deck on; with `first` 0, a new deck. Returns the next counter.

    The order of the cards below the face-up ones is hidden; with random cards, so is what they show.
    """
    if first == 0 or rules.random_cards:
        for card in range(first, NUM_CARDS):
            for place in range(OBJECTS_PER_CARD):
                game.cards[card, place] = MULTISETS[card, place]
                if rules.random_cards:
                    game.cards[card, place] = rng.random_below(game.stream, counter, NUM_TYPES)
                    counter += np.uint64(1)
    if not rules.random_cards:
        order_cards(game, first)
        for last in range(NUM_CARDS - 1, first, -1):
            other = first + rng.random_below(game.stream, counter, last + 1 - first)
            counter += np.uint64(1)
            swap_cards(game, last, other)
    return counter


@kernel
def swap_cards(game, one, other):
    """Exchange two places of the deck."""
    for place in range(OBJECTS_PER_CARD):
        held = game.cards[one, place]
        game.cards[one, place] = game.cards[other, place]
        game.cards[other, place] = held


@kernel
def order_cards(game, first):
    """Put the cards from `first` on in one fixed order, so that a shuffle does not depend on the order before."""
    for card in range(first + 1, NUM_CARDS):
        place = card
        while place > first and card_number(game, place) < card_number(game, place - 1):
            swap_cards(game, place, place - 1)
            place -= 1


@kernel
def card_number(game, card):
    """The objects of a card as one number."""
    number = 0
    for place in range(OBJECTS_PER_CARD):
        number = number * NUM_TYPES + int(game.cards[card, place])
    return number
