"""Episodes: one step or reset of one game, with the end of its episode and the beginning of the next."""

from typing import Any

from w51_env.compiler.compile import kernel
from w51_env.engine import rng
from w51_env.engine.game import Kernels
from w51_env.engine.moves import Moves
from w51_env.engine.slots import (
    MAX_EPISODES,
    NEXT_STEP,
    NO_DECISION,
    SAME_STEP,
    SHUFFLE,
    SKIP,
    external_seat,
    is_legal,
    move_controllers,
)
from w51_env.engine.victory import pay_rewards


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
        logged = log.count
        for _ in range(MAX_EPISODES):
            stream = rng.derive_seed(slot.seed, slot.episode) if slot.episode > 0 else slot.seed
            if slot.episode > 0 or settings.seating == SHUFFLE:
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
        slot.count = NO_DECISION

    return begin_episode


def make_step_game(kernels: Kernels, moves: Moves, write_decision: Any) -> Any:
    """The kernel that steps or resets one game."""
    write_observation, play, play_bots = kernels.observe, moves.play, moves.play_bots
    begin_episode = make_begin_episode(kernels, moves)

    @kernel
    def finish_episode(env, finals, index, settings):
        """Record the results of a finished episode: rewards, scores, ranks, and every seat's last observation."""
        rules, game, slot = env.rules, env.game, env.slot
        if slot.illegal:
            forfeit(game, slot, settings)
        else:
            pay_rewards(rules, game, slot)
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
            env.log.count = 0
        slot.done = 0
        slot.illegal = 0
        slot.rewards[:] = 0
        if settings.partial and not resetting and action == SKIP:
            return
        over = slot.count == 0
        restart = action != 0 if resetting else over and settings.autoreset == NEXT_STEP
        if not restart and (over or resetting):
            return
        if restart:
            begin_episode(env, settings)
        else:
            play_action(env, action, settings)
        if slot.count == 0:
            finish_episode(env, finals, index, settings)
            if settings.autoreset == SAME_STEP and not restart:
                begin_episode(env, settings)
        write_decision(env.rules, env.game, slot, env.legal, env.observation, env.mask, settings.observe)

    return step_game
