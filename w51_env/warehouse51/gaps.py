"""Gaps between neighbours (S4): the counterfeit cards dealt into them, and which seat has seen which gap.

Gap g is between seats g and g + 1: on the left of the seat of its number, on the right of the seat after it.
"""

import numpy as np

from w51_env.compiler.compile import kernel, scratch
from w51_env.engine import rng
from w51_env.engine.seats import right_of
from w51_env.warehouse51.state import MAX_RELICS, NO_GAP, NO_RELIC

_pile = scratch(2 * MAX_RELICS, np.int8)


@kernel
def deal_counterfeits(rules, game, counter):
    """S4: shuffle the pile, blank cards included, and deal `gap_cards` to each gap; returns the next unused counter."""
    pile = _pile()
    pile[:] = NO_RELIC
    cards = 0
    for relic in range(rules.num_relics):
        if rules.has_counterfeit[relic]:
            pile[cards] = relic
            cards += 1
    cards += rules.blank_counterfeits
    counter = rng.shuffle(pile, cards, game.stream, counter)
    game.counterfeit_gap[:] = NO_GAP
    for card in range(rules.num_players * rules.gap_cards):
        if pile[card] != NO_RELIC:
            game.counterfeit_gap[pile[card]] = card // rules.gap_cards
    return counter


@kernel
def redeal_counterfeits(rules, game, seat, counter):
    """S4: shuffle the cards that the seat has not seen and deal them to the gaps that it has not seen."""
    pile = _pile()
    pile[:] = NO_RELIC
    cards = 0
    blanks = rules.blank_counterfeits
    for gap in range(rules.num_players):
        if knows_gap(rules, game, seat, gap):
            blanks -= rules.gap_cards
    for relic in range(rules.num_relics):
        gap = game.counterfeit_gap[relic]
        if gap != NO_GAP and knows_gap(rules, game, seat, gap):
            blanks += 1  # a card of a known gap that is not blank
        elif rules.has_counterfeit[relic]:
            pile[cards] = relic
            cards += 1
            game.counterfeit_gap[relic] = NO_GAP
    cards += blanks
    counter = rng.shuffle(pile, cards, game.stream, counter)
    card = 0
    for gap in range(rules.num_players):
        if not knows_gap(rules, game, seat, gap):
            for _ in range(rules.gap_cards):
                if pile[card] != NO_RELIC:
                    game.counterfeit_gap[pile[card]] = gap
                card += 1
    return counter


@kernel
def beside(rules, seat, gap):
    """S4: whether the gap is on the seat's left or right."""
    return gap == seat or gap == right_of(rules, seat)


@kernel
def knows_gap(rules, game, seat, gap):
    """Whether a seat has seen the counterfeit cards of a gap: beside it, looked at by an effect, or shown to all."""
    return game.shown == 1 or beside(rules, seat, gap) or game.looked[seat, gap] == 1
