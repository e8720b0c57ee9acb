"""Determinization: a full state that is consistent with all that one seat knows (S3, S4, T5)."""

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import kernel
from w51_env.warehouse51.decks import shuffle_decks
from w51_env.warehouse51.gaps import redeal_counterfeits
from w51_env.warehouse51.ownership import most_biddable
from w51_env.warehouse51.state import BLIND_AUCTION, NOT_BID


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
