"""How a bot decides: in a game of a batch, where its memory lasts until the call ends, or from an observation alone."""

from typing import Any, NamedTuple

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import Late, kernel, scratch
from w51_env.core.game import RANDOM_INDEX, Kernels


class Decisions(NamedTuple):
    """Kernels.

    Attributes:
        in_game: (env, memory, bot, bits) -> action of the seat to move; `env` is a `core.moves.Env`.
        from_observation: (bot, rules, observation, legal, count, bits) -> action.
        memory: () -> what `in_game` takes.
    """

    in_game: Any
    from_observation: Any
    memory: Any


def make_decisions(name: str, kernels: Kernels) -> Decisions:
    """The kernels of the game `name`. Its bots, a third of all code, are compiled when one plays."""
    observing, choose = kernels.knowledge is None, Late(kernels.choose, name)
    in_game, from_observation, memory = (
        by_observation(kernels, choose) if observing else by_knowledge(name, kernels, choose)
    )

    @kernel
    def decide_in_game(env, memory, bot, bits):
        if bot == RANDOM_INDEX:
            return random_action(env.legal, env.slot.count, bits)
        return in_game(env, memory, bot, bits)

    @kernel
    def decide_from_observation(bot, rules, observation, legal, count, bits):
        if bot == RANDOM_INDEX:
            return random_action(legal, count, bits)
        return from_observation(bot, rules, observation, legal, count, bits)

    return Decisions(decide_in_game, decide_from_observation, memory)


@kernel
def random_action(legal, count, bits):
    """A uniformly random legal action."""
    return np.int64(legal.actions[rng.scale(bits, count)])


def by_observation(kernels: Kernels, choose: Late) -> Decisions:
    """Decisions of bots that read observations."""
    observe = kernels.observe

    @kernel
    def in_game(env, memory, bot, bits):
        observe(env.rules, env.game, env.game.seat, env.observation)
        return choose(bot, env.rules, env.observation, env.legal, env.slot.count, bits)

    return Decisions(in_game, choose, scratch(1, np.int8))


def by_knowledge(name: str, kernels: Kernels, choose: Late) -> Decisions:
    """Decisions of bots that read records of the game's own."""
    assert kernels.knowledge is not None
    _, memory, of_state, recall = kernels.knowledge
    know = Late(of_state, name)

    @kernel
    def in_game(env, memory, bot, bits):
        seat = env.game.seat
        known = memory[seat]
        know(env.rules, env.game, seat, known)
        return choose(bot, env.rules, known, env.legal, env.slot.count, bits)

    @kernel
    def from_observation(bot, rules, observation, legal, count, bits):
        known = memory()[0]
        recall(rules, observation, known)
        return choose(bot, rules, known, legal, count, bits)

    return Decisions(in_game, from_observation, memory)
