"""Bots as kernels: `random`, which the core plays, and `heuristic`, which these modules implement.

A bot gets the observation and the legal actions, like any agent. `knowledge` reads the observation. `money`, `values`
and `effects` value ingots, relics and effects in points. `bidding` and `choices` decide. `heuristic_features` gives the
values to learners. `weights` holds all numbers.
"""

from w51_env.core.compile import kernel
from w51_env.warehouse51.bots.choices import decide
from w51_env.warehouse51.bots.heuristic_features import HEURISTIC_FEATURES, heuristic_features
from w51_env.warehouse51.bots.knowledge import memory, read

__all__ = ["BOTS", "HEURISTIC_FEATURES", "choose", "heuristic_features"]

BOTS = ("random", "heuristic")


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of the bot of index `bot` in BOTS, from 1. `heuristic` does not use the random `bits`."""
    obs = memory()
    read(rules, observation, obs)
    return decide(rules, obs, legal, count)
