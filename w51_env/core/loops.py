"""The compiled loops over many games: everything Python calls at full speed.

`build` closes the loops over a game's kernels. What the loops know of a game beside its state is its *lane*: who plays it, what its last step
brought, how it is seeded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import entry, kernel, lined_zeros, packages_of
from w51_env.core.game import MAX_ACTIONS, Kernels
from w51_env.core.rewards import pay_rewards
from w51_env.core.shares import (
    CALLER,
    NO_GAME,
    finish_share,
    least_reported,
    open_round,
    report,
    round_is_over,
    take_share,
)

PATIENCE = 20_000  # times a helper finds no share before it sleeps, some hundred microseconds

_BLOCK = 64  #          legal actions that are compared at once

# What may stand in `actions` beside an action id.
NO_ACTION = -1  #  for a game that is finished

# Controllers of a seat: a bot's index, or
EXTERNAL = -1
RANDOM_BOT = 0

DISABLED, NEXT_STEP, SAME_STEP = range(3)  #  settings.autoreset
FIXED, ROTATE, SHUFFLE = range(3)  #          settings.seating

# settings.job: what a round is for. Where the check finds no fault, steps follow.
CHECK, STEP, RESET, SAMPLE = range(4)

SETTINGS = np.dtype(
    [
        ("salt", "u8"),  #            of SAMPLE
        ("num_players", "i4"),
        ("autoreset", "i4"),
        ("seating", "i4"),
        ("share", "i4"),  #           games a thread takes at a time
        ("job", "i1"),  #             RESET: `actions` are 1 (begin the next episode) or 0 (leave the game alone)
        ("illegal_loses", "i1"),
        ("observe", "i1"),
        ("keep_final", "i1"),
    ]
)


@cache
def lane_dtype(max_players: int) -> np.dtype:
    """The record a batch keeps beside each game: for five players just a cache line."""
    return np.dtype(
        [
            ("seed", "u8"),  #                          the seed its episodes derive from
            ("episode", "u4"),  #                       episodes begun before this one
            ("skipped", "u4"),  #                       episodes that ended before an external seat was asked
            ("count", "i2"),  #                         legal actions of the seat to move
            ("seat", "i1"),  #                          the seat to move, -1 when the game is over
            ("done", "i1"),  #                          the last step ended the episode
            ("illegal", "i1"),  #                       it ended by an illegal action
            ("learner", "i1"),  #                       first external seat of the episode that ended last, -1 if none
            ("length", "u2"),  #                        its decisions
            ("rewards", "f4", (max_players,)),
            ("scores", "i2", (max_players,)),  #        of the episode that ended last
            ("ranks", "i1", (max_players,)),
            ("controllers", "i1", (max_players,)),
        ],
        align=True,
    )


@dataclass(frozen=True)
class Loops:
    """The entries of one game; see the functions of the same names in `build`."""

    work: Callable[..., int]
    refresh: Callable[..., None]
    observe: Callable[..., None]
    resample_hidden: Callable[..., None]
    choose: Callable[..., None]
    heuristic_features: Callable[..., None]


def make_legal(num_games: int, num_actions: int) -> np.ndarray:
    """(num_games, num_actions or some more) uint8, for lists of legal actions: whole blocks, so that `is_legal` may read on."""
    return lined_zeros((num_games, -(-num_actions // _BLOCK) * _BLOCK), np.uint8)


@kernel
def is_legal(lane, legal, action):
    """Whether the list has the action. A block of it is compared as a whole: faster than to stop where the action is found."""
    if action < 0 or action >= MAX_ACTIONS:
        return False
    wanted = np.uint8(action)
    for start in range(0, lane.count, _BLOCK):
        found = 0
        for position in range(_BLOCK):
            found |= (legal.actions[start + position] == wanted) & (start + position < lane.count)
        if found:
            return True
    return False


@kernel
def may_play(lane, legal, action, settings):
    """A finished game takes NO_ACTION, or anything if it restarts; a running one takes anything if an illegal action loses."""
    if lane.count == 0:
        return action == NO_ACTION or settings.autoreset == NEXT_STEP
    return settings.illegal_loses != 0 or is_legal(lane, legal, action)


@kernel
def _seat_players(lane, seating, num_players, stream):
    """Move the controllers round (ROTATE: all one seat on) or shuffle them for the next episode."""
    if seating == ROTATE:
        last = lane.controllers[num_players - 1]
        for seat in range(num_players - 1, 0, -1):
            lane.controllers[seat] = lane.controllers[seat - 1]
        lane.controllers[0] = last
    elif seating == SHUFFLE:
        rng.shuffle(lane.controllers, num_players, stream, rng.EPISODE)


@kernel
def _external_seat(lane, num_players):
    for seat in range(num_players):
        if lane.controllers[seat] == EXTERNAL:
            return seat
    return -1


@cache
def build(name: str, kernels: Kernels) -> Loops:
    """Compile the loops of the game `name` (lazily: each at its first call)."""
    game_entry = entry(name, packages_of(function for function in vars(kernels).values() if function))
    set_up, move, legal_actions = kernels.set_up, kernels.move, kernels.legal_actions
    write_observation, choose_action, redraw = kernels.observe, kernels.choose, kernels.resample_hidden
    write_features = kernels.heuristic_features

    @kernel
    def play_forced(rules, game, lane, legal, log):
        """T9: a decision with a single legal action is played by the engine, unless `ask_forced`."""
        lane.count = legal_actions(rules, game, legal)
        while lane.count == 1 and rules.ask_forced == 0:
            game.decisions += 1
            move(rules, game, np.int64(legal.actions[0]), log, 1)
            lane.count = legal_actions(rules, game, legal)

    @kernel
    def play(rules, game, lane, action, legal, log):
        """One decision, and the forced ones after it."""
        game.decisions += 1
        move(rules, game, action, log, 0)
        play_forced(rules, game, lane, legal, log)

    @kernel
    def show(rules, game, lane, legal, observation, mask, observing):
        """Write what the seat to move sees and may do."""
        lane.seat = game.seat if lane.count > 0 else -1
        if observing:
            mask.values[:] = 0
            if lane.count > 0:
                for position in range(lane.count):
                    mask.values[legal.actions[position]] = 1
                write_observation(rules, game, game.seat, observation)
            else:
                observation.values[:] = 0

    @kernel
    def play_bot(bot, rules, observation, legal, count, bits):
        """A scripted player's action."""
        if bot == RANDOM_BOT:
            return np.int64(legal.actions[rng.scale(bits, count)])
        return np.int64(choose_action(bot, rules, observation, legal, count, bits))

    @kernel
    def play_bots(rules, game, lane, legal, log, scratch):
        """Play the scripted seats until an external one is asked or the game ends."""
        while lane.count > 0 and lane.controllers[game.seat] != EXTERNAL:
            bot = lane.controllers[game.seat]
            bits = rng.random_bits(game.stream, rng.POLICY + np.uint64(game.decisions))
            if bot != RANDOM_BOT:
                write_observation(rules, game, game.seat, scratch)
            play(rules, game, lane, play_bot(bot, rules, scratch, legal, lane.count, bits), legal, log)

    @kernel
    def finish(rules, game, lane, finals, index, settings):
        """Keep what a finished episode brought: rewards, scores, and every seat's last observation."""
        if lane.illegal:
            forfeit(game, lane, settings)
        else:
            pay_rewards(rules, game, lane)
        lane.done = 1
        lane.episode += 1
        lane.learner = _external_seat(lane, settings.num_players)
        lane.length = game.decisions
        lane.scores[:] = game.scores
        lane.ranks[:] = game.ranks
        if settings.keep_final:
            for seat in range(settings.num_players):
                write_observation(rules, game, seat, finals[index * settings.num_players + seat])

    @kernel
    def forfeit(game, lane, settings):
        """End a game by an illegal action: -1 for who made it, shared out among the others."""
        num_players = settings.num_players
        for seat in range(num_players):
            lane.rewards[seat] = -1.0 if seat == game.seat else 1.0 / (num_players - 1)
            game.ranks[seat] = num_players if seat == game.seat else 1
        game.over = 1

    @kernel
    def begin(rules, game, raw, lane, legal, log, scratch, settings):
        """Set up the lane's next episode and play to the first external decision."""
        has_learner = _external_seat(lane, settings.num_players) >= 0
        told = log.count
        while True:
            stream = rng.derive_seed(lane.seed, lane.episode) if lane.episode > 0 else lane.seed
            if lane.episode > 0 or settings.seating == SHUFFLE:
                _seat_players(lane, settings.seating, settings.num_players, stream)
            raw.values[:] = 0
            game.stream = stream
            set_up(rules, game, log)
            play_forced(rules, game, lane, legal, log)
            play_bots(rules, game, lane, legal, log, scratch)
            if lane.count > 0 or not has_learner:
                return
            lane.skipped += 1
            lane.episode += 1
            if log.on:  # what nobody was asked in is not told either
                log.count = told

    @kernel
    def advance(rules, game, lane, action, legal, log, scratch, settings):
        """Play one action, and all that follows up to an external decision."""
        if settings.illegal_loses and not is_legal(lane, legal, action):
            lane.illegal = 1
            lane.count = 0
        else:
            play(rules, game, lane, action, legal, log)
            play_bots(rules, game, lane, legal, log, scratch)

    @kernel
    def step_game(rules, game, raw, lane, action, legal, log, observation, mask, finals, index, settings, resetting):
        """A game's part of a step or of a reset. `raw`: the bytes of `game`; `finals`: of all games."""
        if log.on:  # a log that is off is shared by all threads: not written to
            log.count = 0
        lane.done = 0
        lane.illegal = 0
        lane.rewards[:] = 0
        over = lane.count == 0
        restart = action != 0 if resetting else over and settings.autoreset == NEXT_STEP
        if not restart and (over or resetting):
            return
        if restart:
            begin(rules, game, raw, lane, legal, log, observation, settings)
        else:
            advance(rules, game, lane, action, legal, log, observation, settings)
        if lane.count == 0:
            finish(rules, game, lane, finals, index, settings)
            if settings.autoreset == SAME_STEP and not restart:
                begin(rules, game, raw, lane, legal, log, observation, settings)
        show(rules, game, lane, legal, observation, mask, settings.observe)

    @game_entry
    def work(rules, games, raw, lanes, actions, legal, log, observations, masks, finals, settings, progress, worker):
        """Do the caller's job, or help with it, in shares (see `core.shares`).

        Returns to the caller the first game whose action must not be played (then none is), or NO_GAME.
        """
        setting = settings[0]
        count = games.shape[0]
        if worker == CALLER:
            open_round(progress, count)
        idle = 0
        while True:
            start, stop = take_share(progress, count, worker, setting.share)
            if start < stop:
                job = setting.job
                if job == CHECK:
                    for index in range(start, stop):
                        if not may_play(lanes[index], legal[index], actions[index], setting):
                            report(progress, worker, index)
                elif job == SAMPLE:
                    # Uniformly random legal actions; first the random bits, which the compiler draws for several games at once.
                    for index in range(start, stop):
                        game = games[index]
                        actions[index] = np.int64(
                            rng.random_bits(game.stream ^ setting.salt, rng.POLICY + np.uint64(game.decisions))
                        )
                    for index in range(start, stop):
                        count_legal = lanes[index].count
                        position = rng.scale(np.uint64(actions[index]), count_legal)
                        actions[index] = legal[index].actions[position] if count_legal > 0 else NO_ACTION
                else:
                    for index in range(start, stop):
                        game, lane, ids, view, mask = (
                            games[index],
                            lanes[index],
                            legal[index],
                            observations[index],
                            masks[index],
                        )
                        events = log[index % log.shape[0]]
                        step_game(
                            rules[0],
                            game,
                            raw[index],
                            lane,
                            actions[index],
                            ids,
                            events,
                            view,
                            mask,
                            finals,
                            index,
                            setting,
                            job == RESET,
                        )
                finish_share(progress, start, stop)
                idle = 0
            elif worker == CALLER:
                if round_is_over(progress, count):
                    if setting.job != CHECK:
                        return NO_GAME
                    found = least_reported(progress)
                    if found != NO_GAME:
                        return found
                    setting.job = STEP
                    open_round(progress, count)
            else:
                idle += 1
                if idle > PATIENCE:
                    return NO_GAME

    @game_entry
    def refresh(rules, games, lanes, legal, observations, masks, settings):
        for index in range(games.shape[0]):
            lane = lanes[index]
            lane.done = games[index].over
            lane.count = 0 if games[index].over else legal_actions(rules[0], games[index], legal[index])
            show(rules[0], games[index], lane, legal[index], observations[index], masks[index], settings[0].observe)

    @game_entry
    def observe(rules, games, seats, out):
        for index in range(games.shape[0]):
            write_observation(rules[0], games[index], seats[index], out[index])

    @game_entry
    def resample_hidden(rules, games, seats, streams):
        for index in range(games.shape[0]):
            games[index].stream = streams[index]
            redraw(rules[0], games[index], seats[index])

    @game_entry
    def choose(bot, rules, observations, masks, legal, bits, actions):
        """Write a scripted player's action for each observation; NO_ACTION where the mask is empty."""
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
        for index in range(out.shape[0]):
            write_features(rules[0], observations[index], out[index])

    return Loops(work, refresh, observe, resample_hidden, choose, heuristic_features)
