"""Determinization: a full state consistent with all that one seat knows (S3, S4, T5)."""

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import kernel
from w51_env.warehouse51.ownership import most_biddable
from w51_env.warehouse51.set_up import knows_gap, shuffle_decks
from w51_env.warehouse51.state import BLIND_AUCTION, MAX_RELICS, NO_GAP, NO_RELIC, NOT_BID


@kernel
def resample_hidden(rules, game, seat):
    """Redraw, uniformly and from the record's new stream, the decks, unseen counterfeits and others' secret bids."""
    counter = shuffle_decks(rules, game, rng.RESAMPLE)
    counter = redeal_counterfeits(rules, game, seat, counter)
    if game.phase == BLIND_AUCTION:
        for other in range(rules.num_players):
            if other != seat and game.secret_bid[other] != NOT_BID:
                game.secret_bid[other] = rng.random_below(game.stream, counter, most_biddable(rules, game, other) + 1)
                counter += np.uint64(1)


@kernel
def redeal_counterfeits(rules, game, seat, counter):
    """S4: shuffle the cards the seat has not seen and lay them in the gaps it has not seen."""
    pile = np.empty(2 * MAX_RELICS, np.int8)
    cards = 0
    blanks = rules.blank_counterfeits
    for gap in range(rules.num_players):
        if knows_gap(rules, game, seat, gap):
            blanks -= rules.gap_cards
    for relic in range(rules.num_relics):
        gap = game.counterfeit_gap[relic]
        if gap != NO_GAP and knows_gap(rules, game, seat, gap):
            blanks += 1  # a place in a known gap that is not a blank
        elif rules.has_counterfeit[relic]:
            pile[cards] = relic
            cards += 1
            game.counterfeit_gap[relic] = NO_GAP
    for _ in range(blanks):
        pile[cards] = NO_RELIC
        cards += 1
    counter = rng.shuffle(pile, cards, game.stream, counter)
    card = 0
    for gap in range(rules.num_players):
        if not knows_gap(rules, game, seat, gap):
            for _ in range(rules.gap_cards):
                if pile[card] != NO_RELIC:
                    game.counterfeit_gap[pile[card]] = gap
                card += 1
    return counter
