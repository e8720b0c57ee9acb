"""Scripted players as kernels. They see what an agent sees: an observation and the legal actions."""

from w51_env.core.compile import kernel

BOTS = ("random", "heuristic")


@kernel
def choose(bot, rules, observation, legal, count, bits):
    """The action of scripted player `bot` (an index into BOTS, from 1); `bits` are its random bits."""
    return legal.actions[0]
