"""Which deals are played: drawn from a seed, or one of the published sets, by which results of different authors compare."""

import hashlib
from dataclasses import dataclass

import numpy as np

from agents.agent import AgentError
from w51_env.core.batch import Batch
from w51_env.core.errors import nearest
from w51_env.core.game import Game

PREFIX = "deals:"
_SETS = {"v1": 0x5735_3100_0001}  #  seeds of the published sets, which never change
_DIGESTED_AT_ONCE = 4096


@dataclass(frozen=True)
class Deals:
    """Shuffles to play, in a fixed order; the first of a set are always the same, however many there are.

    Attributes:
        name: `deals:v1` or `seed 7`.
        seeds: (D,) uint64, the game's own seed for each.
    """

    name: str
    seeds: np.ndarray

    def digest(self, game: Game) -> str:
        """SHA-256 of the games as they are dealt: equal where two arenas deal the same under the same options."""
        found = hashlib.sha256()
        for start in range(0, len(self.seeds), _DIGESTED_AT_ONCE):
            seeds = self.seeds[start : start + _DIGESTED_AT_ONCE]
            batch = Batch(game, len(seeds), observe=False, keep_final=False)
            batch.reset(seed=seeds)
            found.update(batch.games.tobytes())
        return found.hexdigest()


def make_deals(name: str | None, seed: int, count: int) -> Deals:
    """The first `count` deals of a published set, or of those that `seed` draws if none is named.

    Args:
        name: `v1` or `deals:v1`; None for those of the seed.
        seed: Of the deals that have no name.
        count: How many.

    Raises:
        AgentError: No such set.
    """
    if name is None:
        return Deals(f"seed {seed}", np.random.SeedSequence(seed).generate_state(count, np.uint64))
    key = name.removeprefix(PREFIX)
    if key not in _SETS:
        raise AgentError(
            f"deals: {name!r} is unknown; known are {', '.join(PREFIX + known for known in _SETS)}{nearest(key, tuple(_SETS))}"
        )
    return Deals(PREFIX + key, np.random.SeedSequence(_SETS[key]).generate_state(count, np.uint64))
