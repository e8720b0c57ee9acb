"""N states of one game: observed, copied, loaded, saved and redrawn. `engine.batch.Batch` adds playing."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from w51_env.compiler.compile import aligned_zeros, blocks, rows
from w51_env.engine import loops
from w51_env.engine.alone import Alone, in_use
from w51_env.engine.buffers import Buffers
from w51_env.engine.checksums import in_short
from w51_env.engine.determinization import Determinizer
from w51_env.engine.errors import NOT_BEGUN, GameOverError, OptionError, not_begun
from w51_env.engine.game import Game
from w51_env.engine.options import as_array, check_range, check_seed
from w51_env.engine.saved_states import read_snapshot, snapshot_of, state_from_bytes, state_to_bytes
from w51_env.engine.state_check import StateCheck

_REFUSED = "the states in games were refused; call reset, load or restore first, or refresh once they are right"
_FEW = 64  # games: numpy converts the observations of more as fast as compiled code, and without a copy


class StateBatch:
    """N states of one game with the observations, masks and seats to move that follow from them.

    "Privileged" marks what no seat may know; docs/batched.md#privileged-access lists all of it.

    Args:
        game: The game with its rules bound.
        num_games: Number of games, N.
        buffers: The memory of the games.

    Attributes:
        slots: (N,) structured, the env slots (`engine.slots`): what the batch records of each game beside its state.
        games, observation, action_mask, seat, done, final_scores, final_ranks, final_length: As of
            `engine.batch.Batch`.
    """

    def __init__(self, game: Game, num_games: int, buffers: Buffers):
        self.game = game
        self.num_games = num_games
        self._loops = loops.build(game.name, game.kernels)
        self._buffers = buffers
        self.slots = self._slots = buffers.slots
        self._closed: str | None = NOT_BEGUN  # why the games cannot be played or shown; None: they can
        self._alone = Alone()
        self._enter, self._leave = self._alone.acquire, self._alone.release
        self.games = buffers.games
        self._whole_games = blocks(self.games)
        self.observation = buffers.observation
        self.action_mask = buffers.action_mask
        self.seat = self._slots["seat"]
        self.done = self._slots["done"].view(np.bool_)
        self.final_scores = self._slots["scores"][:, : game.num_players]
        self.final_ranks = self._slots["ranks"][:, : game.num_players]
        self.final_length = self._slots["length"]

    def refresh(self) -> None:
        """Recompute observations, masks and seats to move after `games` was written to.

        Where a game is over, `done` and `final_scores`, `final_ranks`, `final_length` are those of its state.

        Raises:
            GameOverError: Before the first `reset` not every game was written to.
            OptionError: What was written can be no state of the game. The batch then refuses every call but `reset` of
                all games, `load`, `restore`, and `refresh` of states that are right.
        """
        if self._closed is NOT_BEGUN and not self.games.view(np.int8).reshape(self.num_games, -1).any(axis=1).all():
            raise not_begun("refresh")
        with self._alone:
            self._closed = _REFUSED  # compiled code must not get these states unless the check ends without an error
            self._check_games("games", self.num_games)
            self._refresh()

    def observe(self, seats: np.ndarray | int, out: np.ndarray | None = None) -> np.ndarray:
        """(N, layout.size) int8: the observation of the given seat (one for all, or one for each game)."""
        self._check_open("observe")
        seats = self._parse_seats(seats)
        shape = (self.num_games, self.game.layout.size)
        if out is None:
            out = np.empty(shape, np.int8)
        elif not _fits(out, np.int8, shape) or not out.flags.c_contiguous:
            raise OptionError(f"out: {in_short(out)}, but contiguous int8 of shape {shape} is needed")
        with self._alone:
            self._loops.observe(*self._buffers.game_arguments, seats, rows(out))
        return out

    def observation_float(self, out: np.ndarray | None = None) -> np.ndarray:
        """(N, layout.size) float32: `observation`, each number divided by the largest magnitude of its range."""
        if out is not None and not _fits(out, np.float32, self.observation.shape):
            raise OptionError(f"out: {in_short(out)}, but float32 of shape {self.observation.shape} is needed")
        if out is not None or self.num_games > _FEW:
            return self.game.layout.to_float(self.observation, out)
        self._write_floats(0)
        return self._floats.copy()

    @property
    def seeds(self) -> np.ndarray:
        """(N,) uint64: the random stream of each game; `reset(seed=seeds)` plays the same games again. Privileged."""
        return self.games["stream"].copy()

    def clone(self, indices: np.ndarray | None = None) -> np.ndarray:
        """(K,) structured: copies of the games at `indices` (None: all). Privileged."""
        self._check_open("clone")
        if not self._enter(False):
            raise in_use()
        try:
            copies = self._whole_games.copy() if indices is None else self._whole_games[indices]
        finally:
            self._leave()
        return copies.view(self.game.record)

    def load(self, states: np.ndarray) -> None:
        """Continue from these states: the first K games become copies of them, all games from K on are over.

        `step` then takes (K,) actions. With autoreset, games that are over begin new episodes: use `disabled`.

        Args:
            states: (K,) structured, K from 0 to N: states of this game, as `clone` and `Determinizer.draw` return them.

        Raises:
            OptionError: States of another game, too many, or one that no game can be in. No game has changed.
        """
        if type(states) is not np.ndarray:
            states = as_array("states", states)
        count, record = len(states) if states.ndim else 0, self.game.record
        if (states.dtype is not record and states.dtype != record) or states.ndim != 1 or count > self.num_games:
            raise OptionError(
                f"states: {states.dtype.type.__name__} of shape {states.shape}, but at most {self.num_games} states "
                f"of {self.game.id} are needed"
            )
        if not self._enter(False):
            raise in_use()
        try:
            self._whole_given[:count] = blocks(states)
            self._check_given("states", count)
            self._whole_games[:count] = self._whole_given[:count]
            if count < self.num_games:
                if self._closed is not None:  # the others may be no states of the game
                    self.games[count:] = np.zeros(1, record)
                self.games["over"][count:] = 1
            self._refresh()
        finally:
            self._leave()

    def state_bytes(self, index: int) -> bytes:
        """The state of one game as bytes with a checksum, for `load_bytes`. Privileged."""
        self._check_not_refused("state_bytes")
        self._check_index(index)
        with self._alone:
            return state_to_bytes(self.game, self.games[index])

    def load_bytes(self, index: int, state: bytes) -> None:
        """Set one game to a state saved by `state_bytes`, and refresh.

        Raises:
            OptionError: The bytes are damaged, or of another game, version or rules. No game has changed.
        """
        self._check_not_refused("load_bytes")
        self._check_index(index)
        loaded = state_from_bytes(self.game, state)
        with self._alone:
            self.games[index] = loaded[0]
            self._refresh()

    def snapshot(self) -> bytes:
        """All games with seeds, episodes and controllers as bytes, for `restore` of an equal batch. Privileged."""
        self._check_open("snapshot")
        with self._alone:
            return snapshot_of(self.game, self._buffers)

    def restore(self, snapshot: bytes) -> None:
        """Continue from a `snapshot`. All attributes are as they were then, except `final_observation` and events.

        Raises:
            OptionError: The bytes are damaged, or of another game, version, rules or number of games. No game has
                changed.
        """
        loaded = read_snapshot(self.game, self._buffers, snapshot)
        with self._alone:
            for buffer, stored in zip(self._buffers.persistent(), loaded, strict=True):
                buffer[:] = stored
            done = self.done.copy()
            self._refresh()
            self.done[:] = done

    def resample_hidden(self, seats: np.ndarray | int, seed: int) -> None:
        """Redraw, in every game, everything the given seat cannot know, uniformly among all that its knowledge allows.

        The seat's observation stays the same byte for byte. Copy `games` first if the true states are still needed.
        """
        if self._closed is not None:
            self._check_open("resample_hidden")
        if type(seats) is not int or not 0 <= seats < self.game.num_players:  # one seat for all needs no array
            seats = self._parse_seats(seats)
        seed = check_seed("seed", seed)
        if not self._enter(False):
            raise in_use()
        try:
            redraw = self._redraw
            self._redraw_seats[:] = seats
            self._redraw_seed[0] = seed
            redraw(True)
            self._run_refresh(0)
        finally:
            self._leave()

    def determinizer(self, index: int) -> Determinizer:
        """Determinizations of one running game for its seat to move; holds nothing that this seat may not know.

        Raises:
            OptionError: There is no such game, or it is over.
        """
        self._check_not_refused("determinizer")
        self._check_index(index)
        with self._alone:
            return Determinizer(self.game, self.games[index], int(self.seat[index]))

    # ---- helpers

    def _check_open(self, call: str) -> None:
        """GameOverError for a call that needs games which can be played."""
        if self._closed is not None:
            raise GameOverError(f"{call}: {self._closed}")

    def _check_not_refused(self, call: str) -> None:
        """As `_check_open`, for a call that is possible before the first reset."""
        if self._closed is not NOT_BEGUN:
            self._check_open(call)

    def _refresh(self) -> None:
        """Recompute what follows from the states, in a call that holds the lock."""
        self._closed = None
        self._run_refresh(0)

    # Memory and compiled calls that only some batches need, made at their first use.

    @cached_property
    def _run_refresh(self) -> Callable[[int], int]:
        return self._loops.refresh.bind(*self._buffers.refresh_arguments)

    @cached_property
    def _write_floats(self) -> Callable[[int], int]:
        self._floats = np.empty(self.observation.shape, np.float32)
        return self.game.layout.bind_to_float(self.observation, self._floats)

    @cached_property
    def _redraw(self) -> Callable[[int], int]:
        self._redraw_seats, self._redraw_seed = np.empty(self.num_games, np.int8), np.empty(1, np.uint64)
        streams = np.empty(self.num_games, np.uint64)
        arrays = (*self._buffers.game_arguments, self._redraw_seats, self._redraw_seed, streams)
        return self._loops.resample_hidden.bind(*arrays)

    @cached_property
    def _check_games(self) -> StateCheck:
        return StateCheck(self.game, self.games)

    @cached_property
    def _check_given(self) -> StateCheck:
        return StateCheck(self.game, self._given)

    @cached_property
    def _given(self) -> np.ndarray:
        """(N,) structured: states to be checked before they become those of the games."""
        return aligned_zeros((self.num_games,), self.game.record)

    @cached_property
    def _whole_given(self) -> np.ndarray:
        return blocks(self._given)

    def _check_index(self, index: int) -> None:
        check_range("index", index, 0, self.num_games - 1)

    def _parse_seats(self, seats: np.ndarray | int) -> np.ndarray:
        """(N,) int8: one seat for all, or one for each game. Compiled code does not check indices."""
        parsed, shape = as_array("seats", seats), (self.num_games,)
        if parsed.dtype.kind not in "iu" or parsed.shape not in ((), shape):
            raise OptionError(
                f"seats: {parsed.dtype} of shape {parsed.shape}, but an integer or integers of shape {shape} are needed"
            )
        if ((parsed < 0) | (parsed >= self.game.num_players)).any():
            raise OptionError(
                f"seats: {parsed.min()} to {parsed.max()}, but 0 to {self.game.num_players - 1} is allowed"
            )
        return np.ascontiguousarray(np.broadcast_to(parsed.astype(np.int8), shape))


def _fits(array: np.ndarray, dtype: type, shape: tuple[int, ...]) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape
