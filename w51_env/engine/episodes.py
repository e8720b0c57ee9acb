"""Episodes: a decision and all that follows from it, the end of an episode, and the beginning of the next."""

from typing import Any, NamedTuple

import numpy as np

from w51_env.compiler.compile import kernel
from w51_env.engine import rng, slots
from w51_env.engine.decisions import Decisions
from w51_env.engine.events import begin_call, begin_game
from w51_env.engine.game import EXTERNAL_INDEX, MAX_ACTIONS, NO_ACTION, Kernels
from w51_env.engine.victory import pay_rewards


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
            if played == slots.MAX_IN_A_ROW:
                slot.count = slots.NO_END

    @kernel
    def play(env, action):
        """One decision, and the forced ones after it."""
        env.game.decisions += 1
        move(env.rules, env.game, action, env.log, int(env.slot.count == 1))  # forced, though asked
        play_forced(env)

    @kernel
    def play_bots(env):
        """Play the bots' decisions up to the next decision of an external seat, or to the end of the game."""
        game, slot = env.game, env.slot
        played = 0
        if slot.count <= 0 or slot.controllers[game.seat] < 0:  # makes no memory
            return
        memory = new_memory(), new_seen()
        while slot.count > 0 and slot.controllers[game.seat] >= 0:
            play(env, decide(env, memory, slot.controllers[game.seat]))
            played += 1
            if played == slots.MAX_IN_A_ROW:
                slot.count = slots.NO_END

    return Moves(play_forced, play, play_bots)


@kernel
def is_legal(slot, legal, action):
    """Whether the list contains the action. Comparing whole blocks is faster than stopping at the action."""
    if action < 0 or action >= MAX_ACTIONS:
        return False
    wanted = np.uint8(action)
    for start in range(0, slot.count, slots.BLOCK):
        is_found = 0
        for position in range(slots.BLOCK):
            is_found |= (legal.actions[start + position] == wanted) & (start + position < slot.count)
        if is_found:
            return True
    return False


@kernel
def may_play(slot, legal, action, settings):
    """Whether a step may use this action. A finished game takes NO_ACTION, or any action if the step restarts it.

    A running game takes legal actions, or any action if an illegal one loses.
    """
    if settings.partial and action == slots.SKIP:
        return True
    if slot.count == 0:
        return action == NO_ACTION or settings.autoreset == slots.NEXT_STEP
    return settings.illegal_loses != 0 or is_legal(slot, legal, action)


@kernel
def move_controllers(slot, seating, num_players, stream):
    """Seat the controllers for the next episode: all move one seat on (ROTATE), or they are shuffled (SHUFFLE)."""
    if seating == slots.ROTATE:
        last = slot.controllers[num_players - 1]
        for seat in range(num_players - 1, 0, -1):
            slot.controllers[seat] = slot.controllers[seat - 1]
        slot.controllers[0] = last
    elif seating == slots.SHUFFLE:
        rng.shuffle(slot.controllers, num_players, stream, rng.EPISODE)


@kernel
def external_seat(slot, num_players):
    """The first external seat, or -1."""
    for seat in range(num_players):
        if slot.controllers[seat] == EXTERNAL_INDEX:
            return seat
    return -1


@kernel
def forfeit(game, slot, settings):
    """End a game by an illegal action: the least reward for the seat that chose it, its opposite for the others."""
    num_players, min_reward = settings.num_players, settings.min_reward
    for seat in range(num_players):
        slot.rewards[seat] = min_reward if seat == game.seat else -min_reward / (num_players - 1)
        game.ranks[seat] = num_players if seat == game.seat else 1
    game.over = 1


@kernel
def record_results(game, slot):
    """Record the length, scores and ranks of a finished episode."""
    slot.length = game.decisions
    for seat in range(game.scores.shape[0]):
        slot.scores[seat] = game.scores[seat]
        slot.ranks[seat] = game.ranks[seat]


def make_write_decision(kernels: Kernels) -> Any:
    """The kernel that writes what the seat to move observes."""
    write_observation = kernels.observe

    @kernel
    def write_decision(rules, game, slot, legal, observation, mask, observing):
        """Write the observation and the action mask of the seat to move."""
        slot.seat = game.seat if slot.count > 0 else -1
        if observing:
            mask.values[:] = 0
            if slot.count > 0:
                for position in range(slot.count):
                    mask.values[legal.actions[position]] = 1
                write_observation(rules, game, game.seat, observation)
            else:
                observation.values[:] = 0

    return write_decision


def make_begin_episode(kernels: Kernels, moves: Moves) -> Any:
    """The kernel that begins an episode."""
    set_up, play_forced, play_bots = kernels.set_up, moves.play_forced, moves.play_bots

    @kernel
    def begin_episode(env, settings):
        """Set up the next episode of a slot and play to the first decision of an external seat.

        Episodes without one are skipped, but not for ever: `slot.count` is then NO_DECISION.
        """
        game, slot, log = env.game, env.slot, env.log
        has_learner = external_seat(slot, settings.num_players) >= 0
        begin_game(log)
        logged = log.count
        for _ in range(slots.MAX_EPISODES):
            stream = rng.derive_seed(slot.seed, slot.episode) if slot.episode > 0 else slot.seed
            if slot.episode > 0 or settings.seating == slots.SHUFFLE:
                move_controllers(slot, settings.seating, settings.num_players, stream)
            env.raw.values[:] = 0
            game.stream = stream
            set_up(env.rules, game, log)
            play_forced(env)
            play_bots(env)
            if slot.count != 0 or not has_learner:
                return
            slot.skipped += 1
            slot.episode += 1
            if log.on:  # an episode without an external decision is not in the log either
                log.count = logged
        slot.count = slots.NO_DECISION

    return begin_episode


def make_step_game(kernels: Kernels, moves: Moves, write_decision: Any) -> Any:
    """The kernel that steps or resets one game."""
    write_observation, play, play_bots = kernels.observe, moves.play, moves.play_bots
    begin_episode, pay = make_begin_episode(kernels, moves), kernels.pay_rewards or pay_rewards

    @kernel
    def finish_episode(env, finals, index, settings):
        """Record the results of a finished episode: rewards, scores, ranks, and every seat's last observation."""
        rules, game, slot = env.rules, env.game, env.slot
        if slot.illegal:
            forfeit(game, slot, settings)
        else:
            pay(rules, game, slot)
        slot.done = 1
        slot.episode += 1
        slot.learner = external_seat(slot, settings.num_players)
        record_results(game, slot)
        if settings.keep_final:
            for seat in range(settings.num_players):
                write_observation(rules, game, seat, finals[index * settings.num_players + seat])

    @kernel
    def play_action(env, action, settings):
        """Play one action, and all that follows up to the next decision of an external seat."""
        if settings.illegal_loses and not is_legal(env.slot, env.legal, action):
            env.slot.illegal = 1
            env.slot.count = 0
        else:
            play(env, action)
            play_bots(env)

    @kernel
    def step_game(env, action, finals, index, settings, resetting):
        """Step or reset one game, that of this index; `finals`: the last observations of all games."""
        slot = env.slot
        if env.log.on:  # all threads share one log that is off
            begin_call(env.log)
        slot.done = 0
        slot.illegal = 0
        slot.rewards[:] = 0
        if settings.partial and not resetting and action == slots.SKIP:
            return
        over = slot.count == 0
        restart = action != 0 if resetting else over and settings.autoreset == slots.NEXT_STEP
        if not restart and (over or resetting):
            return
        if restart:
            begin_episode(env, settings)
        else:
            play_action(env, action, settings)
        if slot.count == 0:
            finish_episode(env, finals, index, settings)
            if settings.autoreset == slots.SAME_STEP and not restart:
                begin_episode(env, settings)
        write_decision(env.rules, env.game, slot, env.legal, env.observation, env.mask, settings.observe)

    return step_game
