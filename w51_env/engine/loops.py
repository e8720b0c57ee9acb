"""The compiled loops over many games, which Python calls. `build` compiles them with a game's kernels."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from w51_env.compiler.compile import Entry, entry, kernel
from w51_env.compiler.vectors import list_nonzero
from w51_env.engine import chunks, rng
from w51_env.engine.decisions import make_decisions
from w51_env.engine.episodes import Env, make_moves, make_step_game, make_write_decision, may_play, record_results
from w51_env.engine.game import NO_ACTION, Kernels
from w51_env.engine.limits import VALID
from w51_env.engine.numpy_streams import write_streams
from w51_env.engine.slots import CHECK, RESET, SAMPLE, STEP

SPIN_LIMIT = 20_000  # attempts to take a chunk before an idle worker sleeps, some hundred microseconds


@dataclass(frozen=True)
class Loops:
    """The compiled entries of one game; `build` says what each does."""

    step_all: Entry
    refresh: Entry
    observe: Entry
    resample_hidden: Entry
    choose: Entry
    heuristic_features: Entry
    find_inconsistent: Entry | None


@kernel
def first_illegal(slots, legal, actions, setting, start, stop):
    """The first game from `start` to `stop` whose action may not be played, or NO_GAME."""
    for index in range(start, stop):
        if not may_play(slots[index], legal[index], actions[index], setting):
            return index
    return chunks.NO_GAME


@kernel
def draw_actions(games, slots, legal, actions, setting, start, stop):
    """Write uniformly random legal actions of the games from `start` to `stop`."""
    for index in range(start, stop):  # a loop of its own for the bits: the compiler vectorises it
        game = games[index]
        stream = game.stream ^ setting.sample_seed
        actions[index] = np.int64(rng.random_bits(stream, rng.POLICY + np.uint64(game.decisions)))
    for index in range(start, stop):
        count = slots[index].count
        position = rng.scale(np.uint64(actions[index]), count)
        actions[index] = legal[index].actions[position] if count > 0 else NO_ACTION


@cache
def build(name: str, kernels: Kernels) -> Loops:
    """Compile the loops of the game `name` (lazily: each at its first call)."""
    game_entry = entry(name)
    decisions = make_decisions(name, kernels)
    write_decision = make_write_decision(kernels)
    moves = make_moves(kernels, decisions)
    step_game, legal_actions = make_step_game(kernels, moves, write_decision), kernels.legal_actions
    write_observation, redraw, inconsistent_field = (
        kernels.observe, kernels.resample_hidden, kernels.inconsistent_field
    )  # fmt: skip

    @game_entry
    def refresh(rules, games, slots, legal, observations, masks, settings):
        """Recompute everything that follows from the states; a game that is over also gives its results."""
        for index in range(games.shape[0]):
            game, slot = games[index], slots[index]
            slot.done, slot.count = game.over, 0 if game.over else legal_actions(rules[0], game, legal[index])
            if game.over:
                record_results(game, slot)
            write_decision(rules[0], game, slot, legal[index], observations[index], masks[index], settings[0].observe)

    @game_entry
    def observe(rules, games, seats, out):
        """Write the observation of the given seat of each game."""
        for index in range(games.shape[0]):
            write_observation(rules[0], games[index], seats[index], out[index])

    @game_entry
    def resample_hidden(rules, games, seats, seed, streams, seeded):
        """Redraw, from new random streams, everything that the given seat of each game cannot know.

        The streams are those of the seed, if the call is `seeded`, which overwrite the given ones.
        """
        if seeded:
            write_streams(seed[0], streams)
        for index in range(games.shape[0]):
            games[index].stream = streams[index]
            redraw(rules[0], games[index], seats[index])

    @game_entry
    def find_inconsistent(rules, games, field, count):
        """The first of `count` games with a field that contradicts others, in `field` its index; VALID if none has."""
        for index in range(count):
            field[0] = inconsistent_field(rules[0], games[index])
            if field[0] != VALID:
                return index
        return VALID

    checks = find_inconsistent if inconsistent_field else None
    of_bots = _of_bots(game_entry, decisions.from_observation, kernels.heuristic_features)
    return Loops(_of_steps(game_entry, step_game), refresh, observe, resample_hidden, *of_bots, checks)


def _of_steps(game_entry: Any, step_game: Any) -> Entry:
    """The entry `step_all`."""

    @kernel
    def carry_out(command, rules, played, setting, start, stop):
        """Carry out a command on the games from `start` to `stop`; returns the one to be reported, or NO_GAME."""
        slots, legal, actions = played.slots, played.legal, played.actions
        if command == CHECK:
            return first_illegal(slots, legal, actions, setting, start, stop)
        if command == SAMPLE:
            draw_actions(played.games, slots, legal, actions, setting, start, stop)
            return chunks.NO_GAME
        for index in range(start, stop):
            env = Env(
                rules[0], played.games[index], played.raw[index], slots[index], legal[index],
                played.log[index % played.log.shape[0]], played.observations[index], played.masks[index],
            )  # fmt: skip
            step_game(env, actions[index], played.finals, index, setting, command == RESET)
            if slots[index].count < 0:
                return index
        return chunks.NO_GAME

    @game_entry
    def step_all(rules, played, settings, progress, worker):
        """Carry out `settings.command` on all games, in chunks (`engine.chunks`), as one of several workers.

        Returns to worker 0, the caller, the first game whose action is illegal (then no game moves) or that comes to no
        decision (then games after it may not have moved); NO_GAME if there is none.
        """
        setting, count, idle = settings[0], played.games.shape[0], 0
        if worker == chunks.CALLER:
            chunks.open_round(progress, count, setting.command)
        while idle <= SPIN_LIMIT:
            start, stop = chunks.take_chunk(progress, count, worker, setting.chunk)
            if start < stop:
                command = chunks.command_of_round(progress)
                chunks.report(progress, worker, carry_out(command, rules, played, setting, start, stop))
                chunks.finish_chunk(progress, start, stop)
                idle = 0
            elif worker != chunks.CALLER:
                idle += 1
            elif chunks.round_is_over(progress, count):
                reported = chunks.first_reported(progress)
                if reported != chunks.NO_GAME or chunks.command_of_round(progress) != CHECK:
                    return reported
                chunks.open_round(progress, count, STEP)
        return chunks.NO_GAME

    return step_all


def _of_bots(game_entry: Any, decide: Any, write_features: Any) -> tuple[Entry, Entry]:
    """The entries `choose` and `heuristic_features`, which take observations and no states."""

    @game_entry
    def choose(rules, observations, masks, legal, bits, actions, bot):
        """Write a bot's action for each observation; NO_ACTION where the mask is empty."""
        for index in range(actions.shape[0]):
            count = list_nonzero(masks[index].values, legal[0].actions, 0)
            actions[index] = NO_ACTION
            if count > 0:
                actions[index] = decide(bot, rules[0], observations[index], legal[0], count, bits[index])

    @game_entry
    def heuristic_features(rules, observations, out, count):
        """Write the heuristic features of the first observations, as many as `count`."""
        for index in range(count):
            write_features(rules[0], observations[index], out[index])

    return choose, heuristic_features
