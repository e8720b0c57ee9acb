"""Determinization: what a seat cannot know are the values of the others (L1) and decisions not yet shown (L2)."""

import numpy as np

from w51_env.auctions.legal import list_legal
from w51_env.auctions.state import NOT_BID
from w51_env.auctions.values import COUNTERS, redraw_values
from w51_env.compiler.compile import kernel, scratch
from w51_env.engine import rng
from w51_env.engine.game import MAX_ACTIONS

_actions = scratch(MAX_ACTIONS, np.uint8)


@kernel
def resample_hidden(rules, game, seat):
    """Redraw the values, and the secret decisions among those that are legal, from the new stream of the record."""
    if game.over:
        return
    redraw_values(rules, game, seat)
    actions = _actions()
    for other in range(rules.num_players):
        if other != seat and game.bids[other] != NOT_BID:
            counter, second = rng.RESAMPLE + np.uint64(COUNTERS + other), game.second_bids[other]
            game.bids[other] = NOT_BID  # what is legal for a second lot depends on the bid for the first
            count = list_legal(rules, game, other, actions)
            game.bids[other] = actions[rng.random_below(game.stream, counter, count)]
            if second != NOT_BID:
                count = list_legal(rules, game, other, actions)
                drawn = rng.random_below(game.stream, counter + np.uint64(COUNTERS), count)
                game.second_bids[other] = actions[drawn]
