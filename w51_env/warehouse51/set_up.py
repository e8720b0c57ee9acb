"""Set-up: S2 ingots, S3 decks, S4 counterfeits, S5 first player."""

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import kernel
from w51_env.core.events import emit
from w51_env.warehouse51.event_kinds import SET_UP
from w51_env.warehouse51.state import (
    ABSENT,
    IN_DECK,
    MAX_CATEGORIES,
    MAX_RELICS,
    NO_GAP,
    NO_RELIC,
    NOBODY,
    NOT_BID,
)


@kernel
def set_up(rules, game, log):
    """S2 to S5: deal a new game into a record that is all zero but for its stream."""
    for seat in range(rules.num_players):
        game.ingots[seat] = rules.start_ingots
    game.reserve = rules.reserve
    game.secret_bid[:] = NOT_BID
    game.lot = NO_RELIC
    game.leader = NOBODY
    game.last_winner = NOBODY
    game.certificate_from[:] = NO_RELIC
    game.certificate_on[:] = NO_RELIC
    game.buyer[:] = NOBODY
    game.deck[:] = NO_RELIC
    game.place[:] = ABSENT
    game.place[: rules.num_relics] = IN_DECK
    counter = shuffle_decks(rules, game, rng.SET_UP)
    counter = deal_counterfeits(rules, game, counter)
    if rules.first_player < 0:
        game.first_player = rng.random_below(game.stream, counter, rules.num_players)
    else:
        game.first_player = rules.first_player
    emit(log, SET_UP, game.first_player, 0, 0, 0, 0)


@kernel
def shuffle_decks(rules, game, counter):
    """S3: shuffle what is left of each deck; returns the next unused counter."""
    for category in range(MAX_CATEGORIES):
        start = rules.deck_start[category]
        end = start + rules.deck_size[category]
        first = start + game.drawn[category]
        position = first
        for relic in range(start, end):
            if game.place[relic] == IN_DECK:
                game.deck[position] = relic
                position += 1
        counter = rng.shuffle(game.deck[first:end], end - first, game.stream, counter)
    return counter


@kernel
def deal_counterfeits(rules, game, counter):
    """S4: shuffle the pile, blank cards among it, and lay `gap_cards` in each gap; returns the next unused counter."""
    pile = np.empty(2 * MAX_RELICS, np.int8)
    cards = 0
    for relic in range(rules.num_relics):
        if rules.has_counterfeit[relic]:
            pile[cards] = relic
            cards += 1
    for _ in range(rules.blank_counterfeits):
        pile[cards] = NO_RELIC
        cards += 1
    counter = rng.shuffle(pile, cards, game.stream, counter)
    game.counterfeit_gap[:] = NO_GAP
    for card in range(rules.num_players * rules.gap_cards):
        if pile[card] != NO_RELIC:
            game.counterfeit_gap[pile[card]] = card // rules.gap_cards
    return counter


@kernel
def beside(rules, seat, gap):
    """S4: a seat sees gap `seat` on its left and gap `seat - 1` on its right."""
    return gap == seat or gap == (seat + rules.num_players - 1) % rules.num_players


@kernel
def knows_gap(rules, game, seat, gap):
    """Whether a seat has seen the counterfeit cards of a gap: beside it, looked at by an effect, or shown to all."""
    return game.shown == 1 or beside(rules, seat, gap) or game.looked[seat, gap] == 1
