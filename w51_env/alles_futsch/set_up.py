"""Set-up: A1."""

import numpy as np

from w51_env.alles_futsch.event_kinds import GOT_TABLE, SET_UP, TURNED_UP
from w51_env.alles_futsch.state import (
    CARDS,
    FACE_UP,
    MAX_PLAYERS,
    NO_CARD,
    NO_TYPE,
    NOBODY,
    NUM_CARDS,
    NUM_TYPES,
    OBJECTS_PER_CARD,
    SELECT,
)
from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import emit

_CARD_OF = np.zeros((NUM_TYPES,) * OBJECTS_PER_CARD, np.int8)  # three types in ascending order -> card
_CARD_OF[tuple(CARDS.T)] = np.arange(NUM_CARDS)


@kernel
def set_up(rules, game, log):
    """A1: money, tables, the deck, five cards face up. The first player selects (A2)."""
    for seat in range(rules.num_players):
        game.money[seat] = rules.start_money
    counter = deal_tables(game, rng.SET_UP)
    counter = fill_deck(rules, game, 0, counter)
    if rules.first_player < 0:
        game.selector = rng.random_below(game.stream, counter, rules.num_players)
    else:
        game.selector = rules.first_player
    game.seat = game.selector
    game.phase = SELECT
    game.leader = NOBODY
    game.broke = NOBODY
    game.selling = NO_TYPE
    game.card = NO_CARD
    game.face_up[:] = NO_CARD
    emit(log, SET_UP, game.selector, 0, 0, 0, 0)
    for seat in range(rules.num_players):
        emit(log, GOT_TABLE, seat, game.lacks[seat], 0, 0, 0)
    for _ in range(FACE_UP):
        turn_up(rules, game, log)


@kernel
def deal_tables(game, counter):
    """A1: each player gets one of the five tables; each lacks another type. Returns the next unused counter."""
    for seat in range(MAX_PLAYERS):
        game.lacks[seat] = seat
    return rng.shuffle(game.lacks, MAX_PLAYERS, game.stream, counter)


@kernel
def fill_deck(rules, game, first, counter):
    """A1: fill deck[first:] at random with the cards that are not in deck[:first]. Returns the next unused counter."""
    if rules.random_cards:
        for index in range(first, NUM_CARDS):
            one = rng.random_below(game.stream, counter, NUM_TYPES)
            two = rng.random_below(game.stream, counter + np.uint64(1), NUM_TYPES)
            three = rng.random_below(game.stream, counter + np.uint64(2), NUM_TYPES)
            counter = counter + np.uint64(3)
            low, high = min(one, two, three), max(one, two, three)
            game.deck[index] = _CARD_OF[low, one + two + three - low - high, high]
        return counter
    index = first
    for card in range(NUM_CARDS):
        if not is_among(game.deck, first, card):
            game.deck[index] = card
            index += 1
    return rng.shuffle(game.deck[first:], NUM_CARDS - first, game.stream, counter)


@kernel
def is_among(values, count, value):
    """Whether `value` is one of values[:count]."""
    for index in range(count):
        if values[index] == value:
            return True
    return False


@kernel
def turn_up(rules, game, log):
    """A1, A6: the top card of the deck goes to the first free slot of the face-up row. Returns False without one."""
    if game.next_card >= rules.num_cards:
        return False
    slot = 0
    while game.face_up[slot] != NO_CARD:
        slot += 1
    game.face_up[slot] = game.deck[game.next_card]
    game.next_card += 1
    emit(log, TURNED_UP, NOBODY, game.face_up[slot], slot, 0, 0)
    return True
