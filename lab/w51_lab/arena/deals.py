"""Deals of a tournament: drawn from a seed, or a published set that makes results of different authors comparable."""

import hashlib
import json
import re
from dataclasses import dataclass

import numpy as np

from w51_agents.agent.interface import AgentError
from w51_env.engine.batch import Batch
from w51_env.engine.errors import nearest
from w51_env.engine.game import Game
from w51_lab.statistics.records import Record

PREFIX = "deals:"
_SETS = {"v1": 0x5735_3100_0001}  #  seeds of the published sets; never change them
_COMMIT = re.compile("[0-9a-f]{40}")
_CHUNK = 4096


class DealFacts(Record):
    """Which deals they are: a name, their number, and their digest."""

    name: str
    count: int
    digest: str


@dataclass(frozen=True)
class Deals:
    """Shuffles in a fixed order. The first n of a set are the same for any number of deals.

    Attributes:
        name: `deals:v1` or `seed 7`.
        seeds: (D,) uint64, seed of the game for each deal.
    """

    name: str
    seeds: np.ndarray

    def digest(self, game: Game) -> str:
        """SHA-256 of the dealt games, before any action, and of the options: equal for equal deals in equal games.

        A state holds the numbers of cards, and only the options say what is on them. Options with their defaults are
        left out, so that a new option leaves published digests as they were.
        """
        sha256 = hashlib.sha256()
        for start in range(0, len(self.seeds), _CHUNK):
            seeds = self.seeds[start : start + _CHUNK]
            batch = Batch(game, len(seeds), observe=False, keep_final=False)
            batch.reset(seed=seeds)
            sha256.update(batch.games.tobytes())
        usual = game.make(num_players=game.num_players).options
        others = {name: value for name, value in game.options.items() if value != usual.get(name)}
        if others:
            sha256.update(json.dumps(others, sort_keys=True).encode())
        return sha256.hexdigest()


def hidden_deals(seed: int, count: int) -> Deals:
    """Return the first `count` deals of a seed that agents must not know."""
    return Deals("seed kept secret", np.random.SeedSequence(seed).generate_state(count, np.uint64))


def make_deals(name: str | None, seed: int, count: int) -> Deals:
    """Return the first `count` deals of a published set, or of a seed.

    Args:
        name: Published set, `v1` or `deals:v1`, or the hash of a commit in place of `v1`, of 40 digits: deals that
            nobody knew before it; None for deals drawn from the seed.
        seed: Seed of the drawn deals.
        count: Number of deals.

    Raises:
        AgentError: Unknown set.
    """
    if name is None:
        return Deals(f"seed {seed}", np.random.SeedSequence(seed).generate_state(count, np.uint64))
    key = name.removeprefix(PREFIX)
    set_seed = int(key, 16) if _COMMIT.fullmatch(key) else _SETS.get(key)
    if set_seed is None:
        known = ", ".join([*(PREFIX + known for known in _SETS), f"{PREFIX}HASH of a commit"])
        raise AgentError(f"deals: {name!r} is unknown; allowed are {known}{nearest(key, tuple(_SETS))}")
    return Deals(PREFIX + key, np.random.SeedSequence(set_seed).generate_state(count, np.uint64))
