"""Determinization: a full state that is consistent with all that one seat knows (S3, S4, T5)."""

import numpy as np

from w51_env.compiler.compile import kernel, scratch
from w51_env.engine import rng
from w51_env.warehouse51.actions import BID
from w51_env.warehouse51.decks import shuffle_decks
from w51_env.warehouse51.gaps import redeal_counterfeits
from w51_env.warehouse51.legal import BLOCK, secret_bids
from w51_env.warehouse51.state import BLIND_AUCTION, MAX_INGOTS, NOT_BID

_bids = scratch(MAX_INGOTS + BLOCK, np.uint8)


@kernel
def resample_hidden(rules, game, seat):
    """Redraw, uniformly and from the record's new stream, the decks, unseen counterfeits and others' secret bids."""
    counter = shuffle_decks(rules, game, rng.RESAMPLE)
    counter = redeal_counterfeits(rules, game, seat, counter)
    if game.phase == BLIND_AUCTION:
        redraw_bids(rules, game, seat, counter)


@kernel
def redraw_bids(rules, game, seat, counter):
    """T5: redraw the bids that others have made. What they may bid is the same as when they did."""
    bids = _bids()
    for other in range(rules.num_players):
        if other != seat and game.secret_bid[other] != NOT_BID:
            drawn = rng.random_below(game.stream, counter, secret_bids(rules, game, other, bids))
            game.secret_bid[other] = int(bids[drawn]) - BID
            counter += np.uint64(1)
