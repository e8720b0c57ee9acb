"""The compiled loops over many games, which Python calls. `build` compiles them with a game's kernels."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from w51_env.core import rng
from w51_env.core.chunks import (
    CALLER,
    NO_GAME,
    finish_chunk,
    least_reported,
    open_round,
    report,
    round_is_over,
    take_chunk,
)
from w51_env.core.compile import entry, kernel
from w51_env.core.game import NO_ACTION, RANDOM_INDEX, Kernels
from w51_env.core.limits import VALID
from w51_env.core.slots import (
    CHECK,
    MOST_EPISODES,
    MOST_IN_A_ROW,
    NEXT_STEP,
    NO_DECISION,
    NO_END,
    RESET,
    SAME_STEP,
    SAMPLE,
    SHUFFLE,
    SKIP,
    STEP,
    external_seat,
    is_legal,
    may_play,
    move_controllers,
)
from w51_env.core.victory import pay_rewards

PATIENCE = 20_000  # attempts to take a chunk before an idle worker sleeps, some hundred microseconds


@dataclass(frozen=True)
class Loops:
    """The compiled entries of one game; `build` says what each does."""

    step_all: Callable[..., int]
    refresh: Callable[..., None]
    observe: Callable[..., None]
    resample_hidden: Callable[..., None]
    choose: Callable[..., None]
    heuristic_features: Callable[..., None]
    find_contradiction: Callable[..., tuple[int, int]] | None


@cache
def build(name: str, kernels: Kernels) -> Loops:
    """Compile the loops of the game `name` (lazily: each at its first call)."""
    game_entry = entry(name)
    set_up, move, legal_actions = kernels.set_up, kernels.move, kernels.legal_actions
    write_observation, choose_action, redraw = kernels.observe, kernels.choose, kernels.resample_hidden
    write_features, contradiction = kernels.heuristic_features, kernels.contradiction

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
            if played == MOST_IN_A_ROW:
                slot.count = NO_END

    @kernel
    def play(rules, game, slot, action, legal, log):
        """One decision, and the forced ones after it."""
        game.decisions += 1
        move(rules, game, action, log, 0)
        play_forced(rules, game, slot, legal, log)

    @kernel
    def show(rules, game, slot, legal, observation, mask, observing):
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
            if played == MOST_IN_A_ROW:
                slot.count = NO_END

    @kernel
    def finish(rules, game, slot, finals, index, settings):
        """Record the results of a finished episode: rewards, scores, ranks, and every seat's last observation."""
        if slot.illegal:
            forfeit(game, slot, settings)
        else:
            pay_rewards(rules, game, slot)
        slot.done = 1
        slot.episode += 1
        slot.learner = external_seat(slot, settings.num_players)
        slot.length = game.decisions
        slot.scores[:] = game.scores
        slot.ranks[:] = game.ranks
        if settings.keep_final:
            for seat in range(settings.num_players):
                write_observation(rules, game, seat, finals[index * settings.num_players + seat])

    @kernel
    def forfeit(game, slot, settings):
        """End a game by an illegal action: the least reward for the seat that chose it, its opposite for the others."""
        num_players, least = settings.num_players, settings.least_reward
        for seat in range(num_players):
            slot.rewards[seat] = least if seat == game.seat else -least / (num_players - 1)
            game.ranks[seat] = num_players if seat == game.seat else 1
        game.over = 1

    @kernel
    def begin(rules, game, raw, slot, legal, log, scratch, settings):
        """Set up the next episode of a slot and play to the first decision of an external seat.

        Episodes without one are skipped, but not for ever: `slot.count` is then NO_DECISION.
        """
        has_learner = external_seat(slot, settings.num_players) >= 0
        logged = log.count
        for _ in range(MOST_EPISODES):
            stream = rng.derive_seed(slot.seed, slot.episode) if slot.episode > 0 else slot.seed
            if slot.episode > 0 or settings.seating == SHUFFLE:
                move_controllers(slot, settings.seating, settings.num_players, stream)
            raw.values[:] = 0
            game.stream = stream
            set_up(rules, game, log)
            play_forced(rules, game, slot, legal, log)
            play_bots(rules, game, slot, legal, log, scratch)
            if slot.count != 0 or not has_learner:
                return
            slot.skipped += 1
            slot.episode += 1
            if log.on:  # an episode without an external decision is not in the log either
                log.count = logged
        slot.count = NO_DECISION

    @kernel
    def advance(rules, game, slot, action, legal, log, scratch, settings):
        """Play one action, and all that follows up to the next decision of an external seat."""
        if settings.illegal_loses and not is_legal(slot, legal, action):
            slot.illegal = 1
            slot.count = 0
        else:
            play(rules, game, slot, action, legal, log)
            play_bots(rules, game, slot, legal, log, scratch)

    @kernel
    def step_game(rules, game, raw, slot, action, legal, log, observation, mask, finals, index, settings, resetting):
        """Step or reset one game. `raw`: the bytes of `game`; `finals`: the last observations of all games."""
        if log.on:  # all threads share one log that is off, so it must not be written to
            log.count = 0
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
            begin(rules, game, raw, slot, legal, log, observation, settings)
        else:
            advance(rules, game, slot, action, legal, log, observation, settings)
        if slot.count == 0:
            finish(rules, game, slot, finals, index, settings)
            if settings.autoreset == SAME_STEP and not restart:
                begin(rules, game, raw, slot, legal, log, observation, settings)
        show(rules, game, slot, legal, observation, mask, settings.observe)

    @game_entry
    def step_all(
        rules, games, raw, slots, actions, legal, log, observations, masks, finals, settings, progress, worker
    ):
        """Carry out `settings.command` on all games, in chunks (`core.chunks`), as one of several workers.

        Returns to the caller (worker 0) the first game whose action is illegal (then no game moves), or that comes to
        no decision (then games after it may not have moved); NO_GAME if there is none.
        """
        setting = settings[0]
        count = games.shape[0]
        if worker == CALLER:
            open_round(progress, count)
        idle = 0
        while True:
            start, stop = take_chunk(progress, count, worker, setting.chunk)
            if start < stop:
                command = setting.command
                if command == CHECK:
                    for index in range(start, stop):
                        if not may_play(slots[index], legal[index], actions[index], setting):
                            report(progress, worker, index)
                elif command == SAMPLE:
                    # Uniformly random legal actions. A loop of its own for the bits: the compiler vectorises it.
                    for index in range(start, stop):
                        game = games[index]
                        actions[index] = np.int64(
                            rng.random_bits(game.stream ^ setting.salt, rng.POLICY + np.uint64(game.decisions))
                        )
                    for index in range(start, stop):
                        count_legal = slots[index].count
                        position = rng.scale(np.uint64(actions[index]), count_legal)
                        actions[index] = legal[index].actions[position] if count_legal > 0 else NO_ACTION
                else:
                    for index in range(start, stop):
                        game, slot, ids = games[index], slots[index], legal[index]
                        observation, mask = observations[index], masks[index]
                        action, events, resetting = actions[index], log[index % log.shape[0]], command == RESET
                        step_game(
                            rules[0], game, raw[index], slot, action, ids, events,
                            observation, mask, finals, index, setting, resetting,
                        )  # fmt: skip
                        if slot.count < 0:
                            report(progress, worker, index)
                            break
                finish_chunk(progress, start, stop)
                idle = 0
            elif worker == CALLER:
                if round_is_over(progress, count):
                    found = least_reported(progress)
                    if found != NO_GAME or setting.command != CHECK:
                        return found
                    setting.command = STEP
                    open_round(progress, count)
            else:
                idle += 1
                if idle > PATIENCE:
                    return NO_GAME

    @game_entry
    def refresh(rules, games, slots, legal, observations, masks, settings):
        """Recompute everything that follows from the states; a game that is over also gives its results."""
        for index in range(games.shape[0]):
            game, slot = games[index], slots[index]
            slot.done = game.over
            slot.count = 0 if game.over else legal_actions(rules[0], game, legal[index])
            if game.over:
                slot.length = game.decisions
                slot.scores[:] = game.scores
                slot.ranks[:] = game.ranks
            show(rules[0], game, slot, legal[index], observations[index], masks[index], settings[0].observe)

    @game_entry
    def observe(rules, games, seats, out):
        """Write the observation of the given seat of each game."""
        for index in range(games.shape[0]):
            write_observation(rules[0], games[index], seats[index], out[index])

    @game_entry
    def resample_hidden(rules, games, seats, streams):
        """Redraw, from new random streams, everything that the given seat of each game cannot know."""
        for index in range(games.shape[0]):
            games[index].stream = streams[index]
            redraw(rules[0], games[index], seats[index])

    @game_entry
    def choose(bot, rules, observations, masks, legal, bits, actions):
        """Write a bot's action for each observation; NO_ACTION where the mask is empty."""
        for index in range(actions.shape[0]):
            mask = masks[index].values
            count = 0
            for action in range(mask.shape[0]):
                if mask[action]:
                    legal[0].actions[count] = action
                    count += 1
            actions[index] = NO_ACTION
            if count > 0:
                actions[index] = play_bot(bot, rules[0], observations[index], legal[0], count, bits[index])

    @game_entry
    def heuristic_features(rules, observations, out):
        """Write the heuristic features of each observation."""
        for index in range(out.shape[0]):
            write_features(rules[0], observations[index], out[index])

    @game_entry
    def find_contradiction(rules, games):
        """Index of the first game with a field that contradicts others, and index of the field; VALID if none has."""
        for index in range(games.shape[0]):
            field = contradiction(rules[0], games[index])
            if field != VALID:
                return index, field
        return -1, VALID

    find = find_contradiction if contradiction else None
    return Loops(step_all, refresh, observe, resample_hidden, choose, heuristic_features, find)
