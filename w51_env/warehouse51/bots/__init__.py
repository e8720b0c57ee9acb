"""Scripted players as kernels: `random`, which the core plays, and `heuristic`, whose rooms are in this folder.

They see what an agent sees: the observation and the legal actions. `knowledge` reads the observation; `purse`, `appraise` and
`effects` say what ingots, relics and effects are worth, in points; `bidding` and `choices` decide; `reckoning` tells learners what is made of it; `weights` holds all numbers.
"""

from w51_env.core.compile import kernel
from w51_env.warehouse51.bots.choices import decide
from w51_env.warehouse51.bots.reckoning import RECKONING, reckon

__all__ = ["BOTS", "RECKONING", "choose", "reckon"]

BOTS = ("random", "heuristic")


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of scripted player `bot` (an index into BOTS, from 1); `bits` are its random bits, which `heuristic` does not need."""
    return decide(rules, observation.values, legal, count)
