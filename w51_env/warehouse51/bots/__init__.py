"""Bots as kernels: `random`, which the engine plays, and `heuristic`, which these modules implement.

The heuristic knows what its observation says and nothing else. `known` holds that, from a state or from an observation,
and `knowledge` asks it. `money`, `values` and `effects` value ingots, relics and effects in points. `bidding` and
`choices` decide; `thoughts` keeps what they would compute again. `heuristic_features` gives the values to learners.
`weights` holds all numbers.
"""

from w51_env.compiler.compile import kernel
from w51_env.engine.game import BotKnowledge
from w51_env.warehouse51.bots.choices import decide
from w51_env.warehouse51.bots.heuristic_features import HEURISTIC_FEATURES, heuristic_features
from w51_env.warehouse51.bots.known import KNOWN, know, memory, recall, seen_before

__all__ = ["BOTS", "HEURISTIC_FEATURES", "KNOWLEDGE", "choose", "heuristic_features"]

BOTS = ("random", "heuristic")
KNOWLEDGE = BotKnowledge(KNOWN, memory, seen_before, know, recall)


@kernel
def choose(bot, rules, known, legal, count, bits):
    """The action of the bot of index `bot` in BOTS, from 1. `heuristic` does not use the random `bits`."""
    return decide(rules, known, legal, count)
