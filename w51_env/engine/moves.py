"""One decision, and all that follows up to the next decision of an external seat."""

from typing import Any, NamedTuple

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine.decisions import Decisions
from w51_env.engine.game import Kernels
from w51_env.engine.slots import MAX_IN_A_ROW, NO_END


class Env(NamedTuple):
    """One game of a batch: its records in the arrays of the loops, as one argument of kernels.

    Attributes:
        rules: The rules, common to all games.
        game: The state; `raw`: its bytes.
        slot: Its env slot.
        legal: Its list of legal actions.
        log: Its event log. One log that is off is common to all games, and must not be written to.
        observation, mask: Of the seat to move. Bots without knowledge of their own read observations there, too.
    """

    rules: Any
    game: Any
    raw: Any
    slot: Any
    legal: Any
    log: Any
    observation: Any
    mask: Any


class Moves(NamedTuple):
    """Kernels; `make_moves` says what each does."""

    play_forced: Any
    play: Any
    play_bots: Any


def make_moves(kernels: Kernels, decisions: Decisions) -> Moves:
    """The kernels that play the decisions of one game."""
    move, legal_actions = kernels.move, kernels.legal_actions
    decide, _, new_memory, new_seen = decisions

    @kernel
    def play_forced(env):
        """T9: a decision with a single legal action is played by the engine, unless `ask_forced`."""
        rules, game, slot, legal = env.rules, env.game, env.slot, env.legal
        slot.count = legal_actions(rules, game, legal)
        played = 0
        while slot.count == 1 and rules.ask_forced == 0:
            game.decisions += 1
            move(rules, game, np.int64(legal.actions[0]), env.log, 1)
            slot.count = legal_actions(rules, game, legal)
            played += 1
            if played == MAX_IN_A_ROW:
                slot.count = NO_END

    @kernel
    def play(env, action):
        """One decision, and the forced ones after it."""
        env.game.decisions += 1
        move(env.rules, env.game, action, env.log, 0)
        play_forced(env)

    @kernel
    def play_bots(env):
        """Play the bots' decisions up to the next decision of an external seat, or to the end of the game."""
        game, slot, played = env.game, env.slot, 0
        if slot.count <= 0 or slot.controllers[game.seat] < 0:  # makes no memory
            return
        memory = new_memory(), new_seen()
        while slot.count > 0 and slot.controllers[game.seat] >= 0:
            play(env, decide(env, memory, slot.controllers[game.seat]))
            played += 1
            if played == MAX_IN_A_ROW:
                slot.count = NO_END

    return Moves(play_forced, play, play_bots)
