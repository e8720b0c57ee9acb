"""Many games just set up, and whether what is drawn in them is drawn evenly."""

from collections.abc import Callable
from functools import cache

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.game import Game

DEALS = 3000


def dealer(make: Callable[..., Game], seed: int) -> Callable[..., np.ndarray]:
    """A function of a game's options: (DEALS,) states of games just set up, read-only."""

    @cache
    def deal(num_players: int, **options) -> np.ndarray:
        batch = Batch(make(num_players, **options), DEALS, seed=seed, observe=False)
        batch.reset()
        batch.games.flags.writeable = False
        return batch.games

    return deal


def assert_even(counts: np.ndarray, probability: float) -> None:
    """Each count of DEALS draws lies within five standard deviations of what the probability says."""
    expected, spread = DEALS * probability, (DEALS * probability * (1 - probability)) ** 0.5
    np.testing.assert_array_less(
        np.abs(counts - expected),
        5 * spread,
        err_msg=f"{counts}, but each should be near {np.round(expected)} +- {np.round(spread)}",
    )
