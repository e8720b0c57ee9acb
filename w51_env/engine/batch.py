"""N games stepped in one call: the engine's Python interface, which every adapter uses.

Buffers: the arrays of a `Batch` are overwritten by its next call; copy what you keep.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_env.engine.alone import in_use
from w51_env.engine.buffers import Buffers
from w51_env.engine.chunks import NO_GAME
from w51_env.engine.controllers import controller_names, parse_controllers
from w51_env.engine.errors import NOT_BEGUN, GameOverError, IllegalActionError, OptionError
from w51_env.engine.event_batch import EventBatch
from w51_env.engine.game import NO_ACTION, Game
from w51_env.engine.options import as_array, check_count, check_flag, check_name, check_seed, check_seeds, is_list
from w51_env.engine.slots import CHECK, MAX_EPISODES, MAX_IN_A_ROW, NO_DECISION, RESET, SAMPLE, SKIP
from w51_env.engine.worker_pool import WorkerPool

AUTORESET_MODES = ("disabled", "next_step", "same_step")
ILLEGAL_ACTION_MODES = ("raise", "lose")
SEATING_MODES = ("fixed", "rotate", "shuffle")
_ENDLESS = "the games came to no decision; call reset, load or restore first"
_MIN_CHUNK = 32  # games; a thread with fewer costs more time than it saves


class Batch(EventBatch):
    """N games of one kind.

    "Privileged" marks what no seat may know; docs/batched.md#privileged-access lists all of it.

    Args:
        game: The game with its rules bound.
        num_games: Number of games, N.
        seed: Seed of all games, 0 to 2**64-1; the seed of each game is in `seeds`. None: a random seed.
        controllers: Who chooses the actions of each seat: `"external"` (the caller of `step`) or a bot's name; one
            sequence for all games, or an array of (N, num_players) ints, -1 for external, else a bot's index. None: all
            seats are external.
        seating: What happens to the controllers at each new episode: `fixed`, `rotate` (one seat on) or `shuffle`.
        autoreset: `same_step` (default): the step that ends an episode also begins the next one. `observation` is then
            of the new episode, `rewards` and `final_*` are of the old one. `next_step`: the following step begins the
            next episode and ignores the action. `disabled`: the game stays over until `reset`; its action is NO_ACTION
            (-1).
        illegal_action: `raise`, or `lose`: the episode ends, with the least reward (`Game.reward_range`) for the seat
            that chose the action and the opposite divided equally among the others.
        observe: False: no observations and masks, for speed.
        keep_final: Keep every seat's observation of finished games in `final_observation`.
        events: Log what happens, for `events` and `event_rows`.
        threads: Number of threads that step the games of one call.

    Attributes:
        games: (N,) structured, the states. Privileged. After writing to them, call `refresh`.
        observation: (N, layout.size) int8, of the seat to move.
        action_mask: (N, num_actions) int8, of the seat to move; all zero where the game is over.
        seat: (N,) int8, the seat to move, -1 where the game is over.
        rewards: (N, num_players) float32, of the last step.
        done: (N,) bool, the last step ended the episode.
        illegal: (N,) bool, the episode ended by an illegal action.
        final_observation: (N, num_players, layout.size) int8, of the episode that ended last.
        final_scores, final_ranks: (N, num_players) int16, int8, of the episode that ended last.
        final_length: (N,) uint16, its number of decisions.
        learner: (N,) int8, its first external seat.
        skipped: (N,) uint32, number of episodes that ended without a decision of an external seat.
        controllers: (N, num_players) int8, the controllers of the current episode: -1 external, else a bot's index.
            Numbers below -1 are external, too, where external controllers differ.
        first_controllers: (N, num_players) int8, the controllers of the first episode after seeding; may be written to.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        seed: int | None = None,
        controllers: Sequence[str] | np.ndarray | None = None,
        seating: str = "fixed",
        autoreset: str = "same_step",
        illegal_action: str = "raise",
        observe: bool = True,
        keep_final: bool = True,
        events: bool = False,
        threads: int = 1,
    ):
        num_games, threads = check_count("num_games", num_games), check_count("threads", threads)
        observe, events = check_flag("observe", observe), check_flag("events", events)
        keep_final = check_flag("keep_final", keep_final)
        buffers = Buffers(game, num_games, keep_final and observe, events)
        super().__init__(game, num_games, buffers)
        self.threads = threads
        self.autoreset = check_name("autoreset", autoreset, AUTORESET_MODES)
        self.illegal_action = check_name("illegal_action", illegal_action, ILLEGAL_ACTION_MODES)
        settings = buffers.settings
        settings["autoreset"] = AUTORESET_MODES.index(self.autoreset)
        settings["illegal_loses"] = ILLEGAL_ACTION_MODES.index(self.illegal_action)
        settings["seating"] = SEATING_MODES.index(check_name("seating", seating, SEATING_MODES))
        settings["observe"] = observe
        settings["keep_final"] = keep_final and observe
        settings["num_players"] = game.num_players
        settings["min_reward"] = game.reward_range[0]
        settings["chunk"] = num_games if threads == 1 else max(_MIN_CHUNK, num_games // (16 * threads))
        # Memory views take one number in less time than arrays.
        self._command, self._partial = settings["command"].data, settings["partial"].data
        self._sample_seed = settings["sample_seed"].data
        self._shape = (num_games,)
        self._actions = buffers.actions
        threads = min(threads, 1 + num_games // (2 * _MIN_CHUNK))
        self._workers = WorkerPool(self._loops.step_all, buffers.step_arguments, num_games, threads)
        self._run = self._workers.run if threads > 1 else self._workers.run_alone
        self.final_observation = buffers.final_observation
        self.first_controllers = buffers.first_controllers
        self.controllers = self._slots["controllers"][:, : game.num_players]
        self.rewards = self._slots["rewards"][:, : game.num_players]
        self.illegal = self._slots["illegal"].view(np.bool_)
        self.learner = self._slots["learner"]
        self.skipped = self._slots["skipped"]
        self.controllers[:] = parse_controllers(game, controllers, num_games)
        self.first_controllers[:] = self.controllers
        self._set_seeds(np.random.SeedSequence().generate_state(1, np.uint64)[0] if seed is None else seed)

    # ---- playing

    def reset(self, seed: int | np.ndarray | None = None, which: np.ndarray | None = None) -> None:
        """Begin new episodes, in all games or in those where `which` (N,) bool is True.

        Args:
            seed: An int, 0 to 2**64-1, seeds all games; an array (N,) seeds each game separately, so that one game can
                be played again alone. None: each game begins its next episode.
            which: The games to reset; None for all.

        Raises:
            OptionError: A seed or a shape that is not allowed; then no game has changed. Or a game comes to no decision
                of an external seat; then the batch refuses every call but `reset` of all games, `load`, `restore`.
        """
        chosen = np.ones(self.num_games, bool) if which is None else self._check_which(which)
        if not chosen.all():
            self._check_not_refused("reset of some games")
        with self._alone:
            if seed is not None:
                self._set_seeds(seed, chosen)
            else:
                self._slots["episode"][chosen & (self._slots["count"] != 0)] += 1  # unfinished episodes count, too
            self._closed = None
            self._actions[:] = chosen
            self._command[0] = RESET
            stopped_at = self._run()
        if stopped_at != NO_GAME:
            self._raise_endless(stopped_at)

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Play one action in each game, or in some of them.

        Args:
            actions: (N,) integers: an action id where `seat` >= 0, NO_ACTION (-1) where the game is over. Or (K,) with
                K below N, if all games from K on are over, as after `load` of K states.
            which: (N,) bool, the games to step; the others stay as they are, and their actions are not read. None: all.

        Raises:
            IllegalActionError: An action is not legal (unless `illegal_action="lose"`); the message names the game.
            GameOverError: An action for a game that is over. After either error no game has changed.
            OptionError: As of `reset`, for a game that comes to no decision.
        """
        if self._closed is not None:
            self._check_open("step")
        if type(actions) is not np.ndarray:
            actions = as_array("actions", actions, IllegalActionError)
        for_all = actions.shape == self._shape
        if actions.dtype.kind not in "iu" or not (for_all or self._rest_is_over(actions)):
            raise IllegalActionError(
                f"actions: {actions.dtype} of shape {actions.shape}, "
                f"but integers of shape ({self.num_games},) are needed"
            )
        skipped = None if which is None else ~self._check_which(which)
        if not self._enter(False):
            raise in_use()
        try:
            if for_all:
                self._actions[:] = actions
            else:
                self._actions[: len(actions)] = actions
                self._actions[len(actions) :] = NO_ACTION
            self._command[0] = CHECK
            if skipped is None:
                stopped_at = self._run()
            else:
                self._partial[0] = True
                self._actions[skipped] = SKIP
                stopped_at = self._run()
                self._partial[0] = False
        finally:
            self._leave()
        if stopped_at != NO_GAME:
            if self._slots["count"][stopped_at] < 0:
                self._raise_endless(stopped_at)
            self._raise_illegal(stopped_at, int(actions[stopped_at]))

    def sample_actions(self, seed: int = 0) -> np.ndarray:
        """(N,) int32, a uniformly random legal action for each game, NO_ACTION where it is over.

        The same state and `seed` (0 to 2**64-1) give the same action.
        """
        if self._closed is not None:
            self._check_open("sample_actions")
        if type(seed) is not int or seed:  # the default needs no check
            seed = check_seed("seed", seed)
        if not self._enter(False):
            raise in_use()
        try:
            self._sample_seed[0] = seed
            self._command[0] = SAMPLE
            self._run()
            return self._actions.astype(np.int32)
        finally:
            self._leave()

    def controller_names(self, index: int) -> tuple[str, ...]:
        """The controllers of one game's current episode, one per seat: `external`, or a bot's name."""
        self._check_index(index)
        return controller_names(self.game, self.controllers[index])

    def close(self) -> None:
        """End the worker threads."""
        self._workers.close()

    def __reduce__(self) -> tuple:
        self._check_not_refused("a copy")
        settings, buffers = self._buffers.settings[0], self._buffers
        arguments = {
            "seating": SEATING_MODES[settings["seating"]],
            "autoreset": self.autoreset,
            "illegal_action": self.illegal_action,
            "observe": bool(settings["observe"]),
            "keep_final": bool(settings["keep_final"]),
            "events": bool(buffers.log["on"][0]),
            "threads": self.threads,
        }
        with self._alone:
            copies = [buffer.copy() for buffer in buffers.all()]
        return _copy, (self.game, self.num_games, arguments, self._closed is None, copies)

    # ---- helpers

    def _check_which(self, which: np.ndarray) -> np.ndarray:
        chosen = as_array("which", which).astype(bool)
        if chosen.shape != (self.num_games,):
            raise OptionError(f"which: shape {chosen.shape}, but ({self.num_games},) is needed")
        return chosen

    def _set_seeds(self, seed: Any, chosen: np.ndarray | slice = slice(None)) -> None:
        if is_list(seed):
            seeds = check_seeds("seed", seed, self.num_games)
        elif self.num_games == 1:
            seeds = np.array([check_seed("seed", seed)], np.uint64)
        else:
            seeds = np.random.SeedSequence(check_seed("seed", seed)).generate_state(self.num_games, np.uint64)
        self._slots["seed"][chosen] = seeds[chosen]
        self.controllers[chosen] = self.first_controllers[chosen]
        self._slots["episode"][chosen] = 0

    def _rest_is_over(self, actions: np.ndarray) -> bool:
        """Whether there is an action for each of the first games and all games after them are over."""
        return actions.ndim == 1 and len(actions) < self.num_games and bool((self.seat[len(actions) :] < 0).all())

    def _raise_endless(self, index: int) -> None:
        self._closed = _ENDLESS
        if self._slots["count"][index] == NO_DECISION:
            reason = (
                f"{MAX_EPISODES} episodes in a row ended without a decision of an external seat with controllers "
                f"{', '.join(self.controller_names(index))}"
            )
        else:
            reason = f"{MAX_IN_A_ROW} decisions in a row were forced or made by bots, and no external seat was to move"
        raise OptionError(f"game {index}: {reason}; {self.game!r}")

    def _raise_illegal(self, index: int, action: int) -> None:
        where = f"game {index}: " if self.num_games > 1 else ""
        count = self._slots["count"][index]
        if count == 0:
            raise GameOverError(f"{where}action {action}, but the game is over; reset it")
        error = self.game.actions.illegal(action, self._buffers.legal[index, :count], f" for seat {self.seat[index]}")
        raise IllegalActionError(f"{where}{error}")


def _copy(game: Game, num_games: int, arguments: dict, begun: bool, arrays: list[np.ndarray]) -> Batch:
    batch = Batch(game, num_games, seed=0, **arguments)
    batch._closed = None if begun else NOT_BEGUN
    for buffer, array in zip(batch._buffers.all(), arrays, strict=True):
        buffer[:] = array
    return batch
