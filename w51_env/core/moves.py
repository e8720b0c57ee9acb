"""One decision, and all that follows up to the next decision of an external seat."""

from typing import Any, NamedTuple

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import kernel
from w51_env.core.game import RANDOM_INDEX, Kernels
from w51_env.core.slots import MAX_IN_A_ROW, NO_END


class Moves(NamedTuple):
    """Kernels; `make_moves` says what each does."""

    play_forced: Any
    play: Any
    play_bot: Any
    play_bots: Any


def make_moves(kernels: Kernels) -> Moves:
    """The kernels that play the decisions of one game."""
    move, legal_actions = kernels.move, kernels.legal_actions
    write_observation, choose_action = kernels.observe, kernels.choose

    @kernel
    def play_forced(rules, game, slot, legal, log):
        """T9: a decision with a single legal action is played by the engine, unless `ask_forced`."""
        slot.count = legal_actions(rules, game, legal)
        played = 0
        while slot.count == 1 and rules.ask_forced == 0:
            game.decisions += 1
            move(rules, game, np.int64(legal.actions[0]), log, 1)
            slot.count = legal_actions(rules, game, legal)
            played += 1
            if played == MAX_IN_A_ROW:
                slot.count = NO_END

    @kernel
    def play(rules, game, slot, action, legal, log):
        """One decision, and the forced ones after it."""
        game.decisions += 1
        move(rules, game, action, log, 0)
        play_forced(rules, game, slot, legal, log)

    @kernel
    def play_bot(bot, rules, observation, legal, count, bits):
        """The action of a bot."""
        if bot == RANDOM_INDEX:
            return np.int64(legal.actions[rng.scale(bits, count)])
        return np.int64(choose_action(bot, rules, observation, legal, count, bits))

    @kernel
    def play_bots(rules, game, slot, legal, log, scratch):
        """Play the bots' decisions up to the next decision of an external seat, or to the end of the game."""
        played = 0
        while slot.count > 0 and slot.controllers[game.seat] >= 0:
            bot = slot.controllers[game.seat]
            bits = rng.random_bits(game.stream, rng.POLICY + np.uint64(game.decisions))
            if bot != RANDOM_INDEX:
                write_observation(rules, game, game.seat, scratch)
            play(rules, game, slot, play_bot(bot, rules, scratch, legal, slot.count, bits), legal, log)
            played += 1
            if played == MAX_IN_A_ROW:
                slot.count = NO_END

    return Moves(play_forced, play, play_bot, play_bots)
