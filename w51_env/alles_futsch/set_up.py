"""Set-up: A1."""

import numpy as np

from w51_env.alles_futsch import state
from w51_env.alles_futsch.event_types import EVENT
from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.events import emit

_CARD_OF = np.zeros((state.NUM_TYPES,) * state.OBJECTS_PER_CARD, np.int8)  # three types in ascending order -> card
_CARD_OF[tuple(state.CARDS.T)] = np.arange(state.NUM_CARDS)


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
    game.phase = state.SELECT
    game.leader = state.NOBODY
    game.broke = state.NOBODY
    game.selling = state.NO_TYPE
    game.card = state.NO_CARD
    game.face_up[:] = state.NO_CARD
    emit(log, EVENT.SET_UP, game.selector, 0, 0, 0, 0)
    for seat in range(rules.num_players):
        emit(log, EVENT.GOT_TABLE, seat, game.lacks[seat], 0, 0, 0)
    for _ in range(state.FACE_UP):
        turn_up(rules, game, log)


@kernel
def deal_tables(game, counter):
    """A1: each player gets one of the five tables; each lacks another type. Returns the next unused counter."""
    for seat in range(state.MAX_PLAYERS):
        game.lacks[seat] = seat
    return rng.shuffle(game.lacks, state.MAX_PLAYERS, game.stream, counter)


@kernel
def fill_deck(rules, game, first, counter):
    """A1: fill deck[first:] at random with the cards that are not in deck[:first]. Returns the next unused counter."""
    if rules.random_cards:
        for index in range(first, state.NUM_CARDS):
            one = rng.random_below(game.stream, counter, state.NUM_TYPES)
            two = rng.random_below(game.stream, counter + np.uint64(1), state.NUM_TYPES)
            three = rng.random_below(game.stream, counter + np.uint64(2), state.NUM_TYPES)
            counter = counter + np.uint64(3)
            low, high = min(one, two, three), max(one, two, three)
            game.deck[index] = _CARD_OF[low, one + two + three - low - high, high]
        return counter
    index = first
    for card in range(state.NUM_CARDS):
        if not is_among(game.deck, first, card):
            game.deck[index] = card
            index += 1
    return rng.shuffle(game.deck[first:], state.NUM_CARDS - first, game.stream, counter)


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
    while game.face_up[slot] != state.NO_CARD:
        slot += 1
    game.face_up[slot] = game.deck[game.next_card]
    game.next_card += 1
    emit(log, EVENT.TURNED_UP, state.NOBODY, game.face_up[slot], slot, 0, 0)
    return True
