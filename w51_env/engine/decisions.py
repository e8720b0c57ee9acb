"""How a bot decides: in a game of a batch, where its memory lasts until the call ends, or from an observation alone."""

from typing import Any, NamedTuple

import numpy as np

from w51_env.compiler.compile import Late, kernel, scratch
from w51_env.engine import rng
from w51_env.engine.game import RANDOM_INDEX, Kernels

_nothing = scratch(1, np.int8)  # the memory of bots that read observations


class Decisions(NamedTuple):
    """Kernels.

    Attributes:
        in_game: (env, memory, bot) -> action of the seat to move; `env` is a `engine.episodes.Env`.
        from_observation: (bot, rules, observation, legal, count, bits) -> action.
        memory, seen: () -> the parts of the memory that `in_game` takes, which lasts until the call ends.
    """

    in_game: Any
    from_observation: Any
    memory: Any
    seen: Any


def make_decisions(name: str, kernels: Kernels) -> Decisions:
    """The kernels of the game `name`. Its bots, a third of all code, are compiled when one plays."""
    observing, choose = kernels.knowledge is None, Late(kernels.choose, name)
    in_game, from_observation, memory, seen = (
        by_observation(kernels, choose) if observing else by_knowledge(name, kernels, choose)
    )
    bots_draw = kernels.bots_draw

    @kernel
    def decide_in_game(env, memory, bot):
        if bot == RANDOM_INDEX:
            return random_action(env.legal, env.slot.count, draw(env.game))
        return in_game(env, memory, bot, draw(env.game) if bots_draw else np.uint64(0))

    @kernel
    def decide_from_observation(bot, rules, observation, legal, count, bits):
        if bot == RANDOM_INDEX:
            return random_action(legal, count, bits)
        return from_observation(bot, rules, observation, legal, count, bits)

    return Decisions(decide_in_game, decide_from_observation, memory, seen)


@kernel
def draw(game):
    """The random bits of the present decision."""
    return rng.random_bits(game.stream, rng.POLICY + np.uint64(game.decisions))


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

    return Decisions(in_game, choose, _nothing, _nothing)


def by_knowledge(name: str, kernels: Kernels, choose: Late) -> Decisions:
    """Decisions of bots that read records of the game's own."""
    assert kernels.knowledge is not None
    _, memory, seen, of_state, recall = kernels.knowledge
    know = Late(of_state, name)

    @kernel
    def in_game(env, memory, bot, bits):
        seat, (known_by, seen_by) = env.game.seat, memory
        known = known_by[seat]
        know(env.rules, env.game, seat, known, seen_by[seat])
        return choose(bot, env.rules, known, env.legal, env.slot.count, bits)

    @kernel
    def from_observation(bot, rules, observation, legal, count, bits):
        known = memory()[0]
        recall(rules, observation, known)
        return choose(bot, rules, known, legal, count, bits)

    return Decisions(in_game, from_observation, memory, seen)
