"""Random policies of many kinds, for tests that must reach all corners of a game."""

from collections.abc import Callable

import numpy as np

from w51_env.alles_futsch import actions as alles_futsch
from w51_env.engine.game import Game
from w51_env.warehouse51 import actions as warehouse51
from w51_env.warehouse51.state import MAX_INGOTS


class RandomPolicies:
    """Draws actions at random, with other logits for each game of a batch.

    Args:
        logits: (num_games, num_actions) float32, before the mask.
        generator: Source of the random numbers.
    """

    def __init__(self, logits: np.ndarray, generator: np.random.Generator):
        self._logits = logits
        self._generator = generator

    def choose(self, mask: np.ndarray) -> np.ndarray:
        """(N,) a legal action for each game; -1 where the mask (N, num_actions) is empty."""
        legal = mask != 0
        chances = np.full(mask.shape, -np.inf, np.float32)
        chances[legal] = self._logits[legal] + self._generator.gumbel(size=np.count_nonzero(legal))
        return np.where(legal.any(1), chances.argmax(1), -1)


def _of_warehouse51(logits: np.ndarray, generator: np.random.Generator) -> None:
    """High or low bids, many or few passes, much or little pawning, redeeming and certifying."""
    pawn, redeem, certify, choose = (
        getattr(warehouse51, name) for name in ("PAWN", "REDEEM_RELIC", "CERTIFY_RELIC", "CHOOSE_RELIC")
    )
    slope = generator.choice([0.0, 0.2, 1.0, 3.0], (len(logits), 1))
    logits[:, warehouse51.BID + 1 : warehouse51.DECLINE] -= (slope * np.arange(MAX_INGOTS)).clip(0, 60)
    for verb in (slice(pawn, redeem), slice(redeem, certify), slice(certify, choose)):
        logits[:, verb] += generator.choice([-4.0, 0.0, 3.0], (len(logits), 1))
    logits[:, warehouse51.PASS] += generator.choice([-2.0, 0.0, 2.0], len(logits))


def _of_alles_futsch(logits: np.ndarray, generator: np.random.Generator) -> None:
    """High or low raises, and many or few passes: games reach full rows, the end of the deck and broke seats."""
    base, first, added = alles_futsch.BASE, alles_futsch.RAISE + 1, alles_futsch.ADD + 1
    slope = generator.choice([0.0, 0.2, 1.0, 3.0], (len(logits), 1))
    logits[:, first : first + base] -= (slope * np.arange(base)).clip(0, 60)
    logits[:, added : added + alles_futsch.MAX_TWENTIES] -= 20 * slope
    logits[:, alles_futsch.PASS] += generator.choice([-2.0, 0.0, 2.0, 4.0], len(logits))


_KINDS: dict[str, Callable[[np.ndarray, np.random.Generator], None]] = {
    "warehouse51": _of_warehouse51,
    "alles_futsch": _of_alles_futsch,
}


def random_policies(game: Game, num_games: int, seed: int) -> RandomPolicies:
    """Policies of many kinds: uniform play spends all money on a few lots, and never reaches some corners."""
    generator = np.random.default_rng(seed)
    logits = generator.normal(0.0, 0.3, (num_games, len(game.actions))).astype(np.float32)
    if game.name in _KINDS:
        _KINDS[game.name](logits, generator)
    return RandomPolicies(logits, generator)
