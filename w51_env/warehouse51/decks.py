"""Decks: S3 shuffling, T1 the relic on top, T7 whether any is left.

`game.deck` holds all relics, each category as one run from the top of its deck. The first `drawn` of a run are turned
over.
"""

from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.warehouse51.state import IN_DECK, MAX_CATEGORIES


@kernel
def has_relics(rules, game, category):
    """T1: whether the deck of this category has a relic left."""
    return game.drawn[category] < rules.deck_size[category]


@kernel
def decks_are_empty(rules, game):
    """T7: whether all decks are empty."""
    for category in range(MAX_CATEGORIES):
        if has_relics(rules, game, category):
            return False
    return True


@kernel
def draw_top(rules, game, category):
    """T1: take the top relic off a deck that is not empty."""
    relic = game.deck[rules.deck_start[category] + game.drawn[category]]
    game.drawn[category] += 1
    return relic


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
