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
            count = list_legal(rules, game, other, actions)
            counter = rng.RESAMPLE + np.uint64(COUNTERS + other)
            game.bids[other] = actions[rng.random_below(game.stream, counter, count)]
