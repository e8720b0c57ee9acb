"""The compiled loops over many games: everything Python calls at full speed.

`build` closes the loops over a game's kernels; each loop works on games [start, stop), so that threads share the work
without sharing a game. What the loops know of a game beside its state is its *lane*: who plays it, what its last step
brought, how it is seeded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from w51_env.core import rng
from w51_env.core.compile import entry, kernel
from w51_env.core.game import Kernels

# What may stand in `actions` beside an action id.
NO_ACTION = -1  #  for a game that is finished
RESET = -2  #      begin the next episode

# Controllers of a seat: a bot's index, or
EXTERNAL = -1
RANDOM_BOT = 0

# Settings of a batch, by place.
AUTORESET, ILLEGAL_LOSES, OBSERVE, KEEP_FINAL, SEATING, NUM_PLAYERS = range(6)
DISABLED, NEXT_STEP, SAME_STEP = range(3)
FIXED, ROTATE, SHUFFLE = range(3)


@cache
def lane_dtype(max_players: int) -> np.dtype:
    """The record a batch keeps beside each game."""
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
            ("controllers", "i1", (max_players,)),
            ("rewards", "f4", (max_players,)),
            ("scores", "i2", (max_players,)),  #        of the episode that ended last
            ("ranks", "i1", (max_players,)),
            ("length", "u2"),  #                        its decisions
        ],
        align=True,
    )


@dataclass(frozen=True)
class Loops:
    """The entries of one game; see the functions of the same names in `build`."""

    step: Callable[..., None]
    refresh: Callable[..., None]
    observe: Callable[..., None]
    resample_hidden: Callable[..., None]


@entry("core")
def find_illegal(actions, lanes, legal, settings):
    """Index of the first game whose action is not legal, or -1. A finished game takes NO_ACTION, or any if it restarts."""
    for index in range(actions.shape[0]):
        action = actions[index]
        if action == NO_ACTION and lanes[index].count == 0:
            continue
        if settings[AUTORESET] == NEXT_STEP and lanes[index].done:
            continue
        found = False
        for position in range(lanes[index].count):
            if legal[index].actions[position] == action:
                found = True
                break
        if not found:
            return index
    return -1


@entry("core")
def sample(games, lanes, legal, salt, actions):
    """Write a uniformly random legal action for each game; NO_ACTION where it is over."""
    for index in range(actions.shape[0]):
        if lanes[index].count == 0:
            actions[index] = NO_ACTION
        else:
            counter = rng.POLICY + np.uint64(games[index].decisions)
            actions[index] = legal[index].actions[rng.random_below(games[index].stream ^ salt, counter, lanes[index].count)]


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
    set_up, play, legal_actions = kernels.set_up, kernels.play, kernels.legal_actions
    write_observation, reward, choose, redraw = kernels.observe, kernels.reward, kernels.choose, kernels.resample_hidden

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
    def play_bots(rules, game, lane, legal, log, scratch):
        """Play the scripted seats until an external one is asked or the game ends."""
        while lane.count > 0 and lane.controllers[game.seat] != EXTERNAL:
            bot = lane.controllers[game.seat]
            counter = rng.POLICY + np.uint64(game.decisions)
            if bot == RANDOM_BOT:
                action = np.int64(legal.actions[rng.random_below(game.stream, counter, lane.count)])
            else:
                write_observation(rules, game, game.seat, scratch)
                action = np.int64(choose(bot, rules, scratch, legal, lane.count, rng.random_bits(game.stream, counter)))
            lane.count = play(rules, game, action, legal, log)

    @kernel
    def finish(rules, game, lane, finals, index, settings):
        """Keep what a finished episode brought: rewards, scores, and every seat's last observation."""
        lane.done = 1
        lane.learner = _external_seat(lane, settings[NUM_PLAYERS])
        lane.length = game.decisions
        lane.scores[:] = game.scores
        lane.ranks[:] = game.ranks
        reward(rules, game, lane.rewards)
        if settings[KEEP_FINAL]:
            for seat in range(settings[NUM_PLAYERS]):
                write_observation(rules, game, seat, finals[index * settings[NUM_PLAYERS] + seat])

    @kernel
    def forfeit(game, lane, settings):
        """End a game by an illegal action: -1 for who made it, shared out among the others."""
        offender = game.seat
        num_players = settings[NUM_PLAYERS]
        for seat in range(num_players):
            lane.rewards[seat] = -1.0 if seat == offender else 1.0 / (num_players - 1)
            game.ranks[seat] = num_players if seat == offender else 1
        lane.ranks[:] = game.ranks
        lane.illegal = 1
        lane.count = 0
        game.over = 1

    @kernel
    def begin(rules, games, index, lane, blank, legal, log, scratch, settings):
        """Set up the lane's next episode and play to the first external decision."""
        has_learner = _external_seat(lane, settings[NUM_PLAYERS]) >= 0
        while True:
            stream = rng.derive_seed(lane.seed, lane.episode) if lane.episode > 0 else lane.seed
            if lane.episode > 0:
                _seat_players(lane, settings[SEATING], settings[NUM_PLAYERS], stream)
            games[index] = blank[0]
            game = games[index]
            game.stream = stream
            lane.count = set_up(rules, game, legal, log)
            play_bots(rules, game, lane, legal, log, scratch)
            if lane.count > 0 or not has_learner:
                return
            lane.skipped += 1
            lane.episode += 1

    @entry(name)
    def step(rules, games, lanes, actions, blank, legal, log, observations, masks, finals, settings, start, stop):
        for index in range(start, stop):
            game = games[index]
            lane = lanes[index]
            action = np.int64(actions[index])
            events = log[index % log.shape[0]]
            events.count = 0
            restart = action == RESET or (settings[AUTORESET] == NEXT_STEP and lane.done)
            if not restart and lane.count == 0:
                continue
            lane.done = 0
            lane.illegal = 0
            lane.rewards[:] = 0
            if restart:
                begin(rules[0], games, index, lane, blank, legal[index], events, observations[index], settings)
                ended = lane.count == 0
            else:
                lawful = True
                if settings[ILLEGAL_LOSES]:
                    lawful = False
                    for position in range(lane.count):
                        if legal[index].actions[position] == action:
                            lawful = True
                if lawful:
                    lane.count = play(rules[0], game, action, legal[index], events)
                    play_bots(rules[0], game, lane, legal[index], events, observations[index])
                    ended = lane.count == 0
                else:
                    finish(rules[0], game, lane, finals, index, settings)
                    forfeit(game, lane, settings)
                    ended = False
            if ended:
                finish(rules[0], game, lane, finals, index, settings)
            if lane.count == 0:
                lane.episode += 1
                if settings[AUTORESET] == SAME_STEP and not restart:
                    begin(rules[0], games, index, lane, blank, legal[index], events, observations[index], settings)
            show(rules[0], game, lane, legal[index], observations[index], masks[index], settings[OBSERVE])

    @entry(name)
    def refresh(rules, games, lanes, legal, observations, masks, settings, start, stop):
        for index in range(start, stop):
            lane = lanes[index]
            lane.done = games[index].over
            lane.count = legal_actions(rules[0], games[index], legal[index])
            show(rules[0], games[index], lane, legal[index], observations[index], masks[index], settings[OBSERVE])

    @entry(name)
    def observe(rules, games, seats, out, start, stop):
        for index in range(start, stop):
            write_observation(rules[0], games[index], seats[index], out[index])

    @entry(name)
    def resample_hidden(rules, games, seats, streams, start, stop):
        for index in range(start, stop):
            games[index].stream = streams[index]
            redraw(rules[0], games[index], seats[index])

    return Loops(step, refresh, observe, resample_hidden)
