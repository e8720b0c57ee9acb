"""N games stepped in one call: the engine's Python interface, which every adapter uses.

Buffers: the arrays of a `Batch` are overwritten by its next call; copy what you keep.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from w51_env.compiler.compile import blocks, rows
from w51_env.engine import loops
from w51_env.engine.buffers import Buffers
from w51_env.engine.call_arguments import check_actions, check_out, parse_seats, parse_seeds, parse_which, unplayable
from w51_env.engine.chunks import NO_GAME
from w51_env.engine.controllers import controller_names, parse_controllers, why_endless
from w51_env.engine.determinization import Determinizer
from w51_env.engine.errors import NOT_BEGUN, BatchInUseError, IllegalActionError, OptionError, not_begun
from w51_env.engine.event_log import EventLog, History, check_rows
from w51_env.engine.events import LAST_CALL, OFF, WHOLE_GAME, Event, Events
from w51_env.engine.game import ALL, NO_ACTION, PUBLIC, Game, Viewer, check_viewer
from w51_env.engine.gate import ENDLESS, IN_USE, REFUSED, Gate
from w51_env.engine.options import as_array, check_choice, check_count, check_flag, check_range, check_seed
from w51_env.engine.saved_states import read_snapshot, restore_past, snapshot_of, state_from_bytes, state_to_bytes
from w51_env.engine.slots import CHECK, RESET, SAMPLE, SKIP, mode_name, mode_number
from w51_env.engine.state_calls import StateCalls
from w51_env.engine.worker_pool import WorkerPool

_FEW = 64  # games: numpy converts the observations of more as fast as compiled code, and without a copy


class Batch:
    """N games with the same options.

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
        history: Keep the past of the running games, for `history`; the number of rows that it gives, or 0: keep none.
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
        slots: (N,) structured, the env slots (`engine.slots`): what the batch records of each game beside its state.
        learner: (N,) int8, its first external seat.
        skipped: (N,) uint32, number of episodes that ended without a decision of an external seat.
        controllers: (N, num_players) int8, the controllers of the current episode: -1 external, else a bot's index.
            Numbers below -1 are external, too, where external controllers differ.
        first_controllers: (N, num_players) int8, the controllers of the first episode after seeding; may be written to.
        logs_events, event_bytes: Whether the log is on, and `EventLog.event_bytes`.
        buffers, gate: Of the engine: the memory of the batch, and what lets its calls in (`engine.gate`).
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
        history: int = 0,
        threads: int = 1,
    ):
        num_games, threads = check_count("num_games", num_games), check_count("threads", threads)
        flags = {"observe": observe, "keep_final": keep_final, "events": events}
        flags = {name: check_flag(name, flag) for name, flag in flags.items()}
        modes = {"seating": seating, "autoreset": autoreset, "illegal_action": illegal_action}
        modes = {name: mode_name(name, value) for name, value in modes.items()}
        history = check_rows("history", history, 0)
        self._arguments = {**modes, **flags, "history": history, "threads": threads}  # of a copy
        self.game, self.num_games, self.threads = game, num_games, threads
        self.autoreset, self.illegal_action = modes["autoreset"], modes["illegal_action"]
        logged = WHOLE_GAME if history else LAST_CALL if flags["events"] else OFF
        self.buffers = buffers = Buffers(game, num_games, flags["keep_final"] and flags["observe"], logged)
        settings = buffers.settings
        settings["autoreset"] = mode_number("autoreset", autoreset)
        settings["illegal_loses"] = mode_number("illegal_action", illegal_action)
        settings["seating"] = mode_number("seating", seating)
        settings["observe"] = flags["observe"]
        # Memory views take one number in less time than arrays.
        self._command, self._partial = settings["command"].data, settings["partial"].data
        self._sample_seed = settings["sample_seed"].data
        self._actions, self._shape = buffers.actions, (num_games,)
        self.gate = Gate()
        self._loops = loops.build(game.name, game.kernels)
        self._calls = StateCalls(game, self._loops, buffers)
        self._log = EventLog(game, buffers, flags["events"], history)
        self.logs_events, self.event_bytes = self._log.is_on, self._log.event_bytes
        self._workers = WorkerPool(self._loops.step_all, buffers, threads)
        self._run = self._workers.run_alone if self._workers.count == 0 else self._workers.run
        self._show(buffers)
        self.controllers[:] = parse_controllers(game, controllers, num_games)
        self.first_controllers[:] = self.controllers
        self._set_seeds(np.random.SeedSequence().generate_state(1, np.uint64)[0] if seed is None else seed)

    def _show(self, buffers: Buffers) -> None:
        """Set the arrays that callers see."""
        players = self.game.num_players
        self.games, self._whole_games = buffers.games, blocks(buffers.games)
        self.slots = slots = buffers.slots
        self.observation, self.action_mask = buffers.observation, buffers.action_mask
        self.seat = slots["seat"]
        self.rewards = slots["rewards"][:, :players]
        self.done, self.illegal = slots["done"].view(np.bool_), slots["illegal"].view(np.bool_)
        self.final_observation = buffers.final_observation
        self.final_scores, self.final_ranks = slots["scores"][:, :players], slots["ranks"][:, :players]
        self.final_length = slots["length"]
        self.learner, self.skipped = slots["learner"], slots["skipped"]
        self.controllers, self.first_controllers = slots["controllers"][:, :players], buffers.first_controllers

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
        chosen = np.ones(self.num_games, bool) if which is None else parse_which(which, self.num_games)
        if not chosen.all():
            self.gate.not_refused("reset of some games")
        with self.gate:
            if seed is not None:
                self._set_seeds(seed, chosen)
            else:
                self.slots["episode"][chosen & (self.slots["count"] != 0)] += 1  # unfinished episodes count, too
            self.gate.open()
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
        if type(actions) is not np.ndarray:
            actions = as_array("actions", actions, IllegalActionError)
        for_all = actions.shape == self._shape
        if not for_all or actions.dtype.kind not in "iu":
            check_actions(actions, self.seat)
        skipped = None if which is None else ~parse_which(which, self.num_games)
        if not self.gate.enter(False):
            raise self.gate.refusal("step")
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
            self.gate.release()
        if stopped_at != NO_GAME:
            if self.slots["count"][stopped_at] < 0:
                self._raise_endless(stopped_at)
            raise unplayable(self.game, self.buffers, stopped_at, int(actions[stopped_at]))

    def sample_actions(self, seed: int = 0) -> np.ndarray:
        """(N,) int32, a uniformly random legal action for each game, NO_ACTION where it is over.

        The same state and `seed` (0 to 2**64-1) give the same action.
        """
        if type(seed) is not int or seed:  # the default needs no check
            seed = check_seed("seed", seed)
        if not self.gate.enter(False):
            raise self.gate.refusal("sample_actions")
        try:
            self._sample_seed[0] = seed
            self._command[0] = SAMPLE
            self._run()
            return self._actions.astype(np.int32)
        finally:
            self.gate.release()

    def controller_names(self, index: int) -> tuple[str, ...]:
        """The controllers of one game's current episode, one per seat: `external`, or a bot's name."""
        check_range("index", index, 0, self.num_games - 1)
        return controller_names(self.game, self.controllers[index])

    def close(self) -> None:
        """End the worker threads."""
        self._workers.close()

    # ---- states

    def refresh(self) -> None:
        """Recompute observations, masks and seats to move after `games` was written to. Their past is then unknown.

        Where a game is over, `done` and `final_scores`, `final_ranks`, `final_length` are those of its state.

        Raises:
            GameOverError: Before the first `reset` not every game was written to.
            OptionError: What was written can be no state of the game. The batch then refuses every call but `reset` of
                all games, `load`, `restore`, and `refresh` of states that are right.
        """
        if self.gate.closed is NOT_BEGUN and not self.games.view(np.int8).reshape(self.num_games, -1).any(axis=1).all():
            raise not_begun("refresh")
        with self.gate:
            try:
                self._calls.check_games("games", self.num_games)
            except BaseException:
                self.gate.close(REFUSED)  # compiled code must not get these states
                raise
            self.gate.open()
            self._log.forget()
            self._calls.refresh(0)

    def observe(self, seats: np.ndarray | int, out: np.ndarray | None = None) -> np.ndarray:
        """(N, layout.size) int8: the observation of the given seat (one for all, or one for each game)."""
        seats = parse_seats(seats, self.num_games, self.game.num_players)
        shape = (self.num_games, self.game.layout.size)
        if out is None:
            out = np.empty(shape, np.int8)
        else:
            check_out(out, np.int8, shape, contiguous=True)
        with self.gate.playable("observe"):
            self._loops.observe(*self.buffers.game_arguments, seats, rows(out))
        return out

    def observation_float(self, out: np.ndarray | None = None) -> np.ndarray:
        """(N, layout.size) float32: `observation`, each number divided by the largest magnitude of its range."""
        if out is not None:
            check_out(out, np.float32, self.observation.shape)
        elif self.num_games <= _FEW:
            write, floats = self._calls.floats
            write(0)
            return floats.copy()
        return self.game.layout.to_float(self.observation, out)

    @property
    def seeds(self) -> np.ndarray:
        """(N,) uint64: the random stream of each game; `reset(seed=seeds)` plays the same games again. Privileged."""
        return self.games["stream"].copy()

    def clone(self, indices: np.ndarray | None = None) -> np.ndarray:
        """(K,) structured: copies of the games at `indices` (None: all). Privileged."""
        if not self.gate.enter(False):
            raise self.gate.refusal("clone")
        try:
            copies = self._whole_games.copy() if indices is None else self._whole_games[indices]
        finally:
            self.gate.release()
        return copies.view(self.game.record)

    def load(self, states: np.ndarray, past: np.ndarray | None = None) -> None:
        """Continue from these states: the first K games become copies of them, all games from K on are over.

        `step` then takes (K,) actions. With autoreset, games that are over begin new episodes: use `disabled`.

        Args:
            states: (K,) structured, K from 0 to N: states of this game, as `clone` and `Determinizer.draw` return them.
            past: (M, 6) integers: what happened before, in all of them, as `past` returns it. None: it is unknown.

        Raises:
            OptionError: States of another game, too many, or one that no game can be in. No game has changed.
        """
        if not self.gate.acquire(False):
            raise BatchInUseError(IN_USE)
        try:
            taken = self._calls.check_given.take(states)
            count = len(taken)
            if past is not None or self._log.keeps_games:
                self._log.replace(slice(count), past)
                self._log.forget(slice(count, None))
            self._whole_games[:count] = taken
            if self.gate.closed is not None:
                self.games[count:] = np.zeros(1, self.game.record)  # they may be no states of the game
                self.gate.open()
            if count < self.num_games:
                self.games["over"][count:] = 1
            self._calls.refresh(0)
        finally:
            self.gate.release()

    def state_bytes(self, index: int) -> bytes:
        """The state of one game as bytes with a checksum, for `load_bytes`. Privileged."""
        check_range("index", index, 0, self.num_games - 1)
        with self.gate.not_refused("state_bytes"):
            past = self._log.past(index, None).tobytes() if self._log.keeps_games else b""
            return state_to_bytes(self.game, self.games[index], past)

    def load_bytes(self, index: int, state: bytes) -> None:
        """Set one game to a state saved by `state_bytes`, and refresh.

        Raises:
            OptionError: The bytes are damaged, or of another game, version or rules. No game has changed.
        """
        check_range("index", index, 0, self.num_games - 1)
        loaded, past = state_from_bytes(self.game, state)
        with self.gate.not_refused("load_bytes"):
            self.games[index] = loaded[0]
            self._log.replace(slice(index, index + 1), past if self._log.keeps_games else None)
            self.gate.open()
            self._calls.refresh(0)

    def snapshot(self) -> bytes:
        """All games with seeds, episodes and controllers as bytes, for `restore` of an equal batch. Privileged."""
        with self.gate.playable("snapshot"):
            return snapshot_of(self.game, self.buffers)

    def restore(self, snapshot: bytes) -> None:
        """Continue from a `snapshot`. All attributes are as they were then, except `final_observation` and events.

        Raises:
            OptionError: The bytes are damaged, or of another game, version, rules or number of games. No game has
                changed.
        """
        loaded = read_snapshot(self.game, self.buffers, snapshot)
        with self.gate:
            for buffer, stored in zip(self.buffers.persistent(), loaded, strict=True):
                buffer[:] = stored
            restore_past(self.buffers, snapshot)
            done = self.done.copy()
            self.gate.open()
            self._calls.refresh(0)
            self.done[:] = done

    def resample_hidden(self, seats: np.ndarray | int, seed: int) -> None:
        """Redraw, in every game, everything the given seat cannot know, uniformly among all that its knowledge allows.

        The seat's observation and history stay the same byte for byte; others keep the public part of their history.
        Copy `games` first if the true states are still needed.
        """
        if type(seats) is not int or not 0 <= seats < self.game.num_players:  # one seat for all needs no array
            seats = parse_seats(seats, self.num_games, self.game.num_players)
        seed = check_seed("seed", seed)
        if not self.gate.enter(False):
            raise self.gate.refusal("resample_hidden")
        try:
            redraw, redrawn_seats, redraw_seed = self._calls.redraw
            redrawn_seats[:] = seats
            redraw_seed[0] = seed
            redraw(True)
            if self._log.keeps_games:
                self._log.keep_known(redrawn_seats)
            self._calls.refresh(0)
        finally:
            self.gate.release()

    def determinizer(self, index: int) -> Determinizer:
        """Determinizations of one running game for its seat to move; holds nothing that this seat may not know.

        Raises:
            OptionError: There is no such game, or it is over.
        """
        check_range("index", index, 0, self.num_games - 1)
        with self.gate.not_refused("determinizer"):
            return Determinizer(self.game, self.games[index], int(self.seat[index]))

    # ---- events, history and views

    def history(
        self, last: int | None = None, viewer: np.ndarray | int | None = None, *, final: bool = False
    ) -> History:
        """What happened in the running games, as the seat to move may know it: its last events, the oldest first.

        Args:
            last: The most rows, K; None: the number that the batch was made with.
            viewer: A seat, or (N,) of them, -1: nobody's history; None: the seat to move.
            final: Of the games that ended in the last call, whose successors may have begun; none of the others.

        Returns:
            (N, K, 6) int16, the rows (docs/observations.md#history), and (N,) int64, how many there are; the others are
            zero. Both are buffers, unless `last` is given or `final`.

        Raises:
            OptionError: The batch was made without history, or there is no such seat.
            RuntimeError: The game has more events than its `max_events` says.
        """
        with self.gate.playable("history"):
            return self._log.history(last, viewer, final)

    def past(self, index: int, viewer: Viewer = None) -> np.ndarray:
        """(M, 6) int16: all events of one running game that a viewer may know, for `load`. Privileged without a viewer.

        The columns: type, seat, a, b, c, forced (`engine.events`). For viewers and errors see `events`.
        """
        check_range("index", index, 0, self.num_games - 1)
        check_choice("viewer", viewer, (None, PUBLIC, *range(self.game.num_players)))
        with self.gate.not_refused("past"):
            return self._log.past(index, viewer)

    def events(self, index: int, viewer: Viewer = None) -> Events:
        """The events of one game in the last call. Privileged without a viewer.

        Args:
            index: The game.
            viewer: A seat: the events that this seat may know, and no others; `PUBLIC`: those that all may know; None:
                all events, private ones too.

        Raises:
            OptionError: The log is off, or there is no such game or viewer.
            RuntimeError: The log was too small for one call.
        """
        check_range("index", index, 0, self.num_games - 1)
        check_choice("viewer", viewer, (None, PUBLIC, *range(self.game.num_players)))
        with self.gate.not_refused("events"):
            return self._log.events(index, viewer)

    def view(self, index: int, viewer: int | str, *, news: Iterable[Event] | None = None, words: Any = None) -> Any:
        """What a viewer may know of one game, as plain data with words, for people and language models: a
        `views.view.View`.

        Args:
            index: The game.
            viewer: A seat; `PUBLIC`; or `ALL`, which is privileged.
            news: Events for the view, that this viewer may know; None: those of the last call if the log is on.
            words: Language and names of the seats (`views.language.Words`); None: English, `Player 0` and so on.

        Raises:
            OptionError: There is no such game or viewer.
        """
        check_range("index", index, 0, self.num_games - 1)
        viewer = check_viewer(self.game, viewer)
        with self.gate.playable("view"):
            if news is None:
                news = self._log.events(index, None if viewer == ALL else viewer) if self.logs_events else ()
            legal = self.buffers.legal[index, : self.slots["count"][index]].tolist()
            observe, make_view = partial(self._calls.observe_one, index), self.game.presentation.make_view
            return make_view(self.game, self.games[index], viewer, legal=legal, news=news, observe=observe, words=words)

    def event_rows(self) -> np.ndarray:
        """(M, 7) int32: all events of all games in the last call, by game and then in order. Privileged.

        The columns: the game's index, then type, seat, a, b, c, forced (`engine.events`). For many games this is much
        faster than `events`.

        Raises:
            OptionError: The log is off.
            RuntimeError: The log was too small for one call.
        """
        self.gate.not_refused("event_rows")
        return self._log.rows()

    def __reduce__(self) -> tuple:
        with self.gate.not_refused("a copy"):
            copies = [buffer.copy() for buffer in self.buffers.all()]
        return _copy, (self.game, self.num_games, self._arguments, self.gate.closed is None, copies)

    def _set_seeds(self, seed: Any, chosen: np.ndarray | slice = slice(None)) -> None:
        seeds = parse_seeds(seed, self.num_games)
        self.slots["seed"][chosen] = seeds[chosen]
        self.controllers[chosen] = self.first_controllers[chosen]
        self.slots["episode"][chosen] = 0

    def _raise_endless(self, index: int) -> None:
        self.gate.close(ENDLESS)
        reason = why_endless(self.game, self.controllers[index], self.slots["count"][index])
        raise OptionError(f"game {index}: {reason}; {self.game!r}")


def _copy(game: Game, num_games: int, arguments: dict, begun: bool, arrays: list[np.ndarray]) -> Batch:
    batch = Batch(game, num_games, seed=0, **arguments)
    if begun:
        batch.gate.open()
    for buffer, array in zip(batch.buffers.all(), arrays, strict=True):
        buffer[:] = array
    return batch
