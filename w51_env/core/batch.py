"""N games stepped in one call: the engine's Python door, on which every adapter stands.

Buffers: every array a `Batch` shows is its own and is overwritten by the next call; copy what you keep.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from w51_env.core import loops
from w51_env.core.compile import lined_zeros, records, rows
from w51_env.core.errors import GameOverError, IllegalActionError, OptionError, nearest, not_begun
from w51_env.core.events import Events, log_dtype, logged, logged_rows
from w51_env.core.game import PUBLIC, Game, Viewer
from w51_env.core.options import check_choice, check_count, check_flag, check_range, check_seed, check_seeds, is_list
from w51_env.core.shares import NO_GAME
from w51_env.core.team import Team

AUTORESET_MODES = ("disabled", "next_step", "same_step")
ILLEGAL_ACTION_MODES = ("raise", "lose")
SEATING_MODES = ("fixed", "rotate", "shuffle")
EXTERNAL = "external"
_SEAL_BYTES = 16
_SMALLEST_SHARE = 32  # games for which a thread is worth its while


class Batch:
    """N games of one kind.

    Args:
        game: The game with its rules bound.
        num_games: How many.
        seed: Seed of all games, 0 to 2**64-1; game i's own seed is in `seeds`. None draws one.
        controllers: Who plays each seat: `"external"` (you) or a bot's name; one sequence for all games, or an array of
            (num_games, num_players) ints with -1 for external and a bot's index otherwise. None: all external.
        seating: What becomes of the controllers at each new episode: `fixed`, `rotate` (one seat on) or `shuffle`.
        autoreset: `same_step` (default): the step that ends a game also begins the next, whose first observation it
            shows; what the last one brought stays in `rewards`, `final_*`. `next_step`: the following step begins it and
            ignores the action. `disabled`: the game stays over until `reset`; its action is NO_ACTION (-1).
        illegal_action: `raise`, or `lose`: the game ends, -1 for the offender, shared out among the others.
        observe: False leaves out observations and masks, for speed.
        keep_final: Keep every seat's observation of finished games in `final_observation`.
        events: Log what happens, for `events` and `event_rows`.
        threads: Threads that share the games of a call.

    Attributes:
        games: (N,) structured, the states. After writing to them, call `refresh`.
        observation: (N, layout.size) int8, of the seat to move.
        action_mask: (N, num_actions) int8, of the seat to move; all zero where the game is over.
        seat: (N,) int8, the seat to move, -1 where the game is over.
        rewards: (N, num_players) float32, of the last step.
        done: (N,) bool, the last step ended the episode.
        illegal: (N,) bool, it ended by an illegal action.
        final_observation: (N, num_players, layout.size) int8, of the episode that ended last.
        final_scores, final_ranks: (N, num_players) int16, int8, of the episode that ended last.
        final_length: (N,) uint16, its decisions.
        learner: (N,) int8, its first external seat.
        skipped: (N,) uint32, episodes that ended before any external seat was asked.
        controllers: (N, num_players) int8, who plays each seat now: -1 external, else a bot's index.
        first_controllers: (N, num_players) int8, who does in the first episode after seeding; yours to write to.
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
        check_count("num_games", num_games)
        check_count("threads", threads)
        for name, flag in (("observe", observe), ("keep_final", keep_final), ("events", events)):
            check_flag(name, flag)
        players, size = game.num_players, game.layout.size
        kept = players * size if keep_final and observe else 0
        _check_memory(num_games, game.record.itemsize + len(game.actions) + size + kept)
        self.game = game
        self.num_games = num_games
        self.threads = threads
        self.autoreset = autoreset
        self.illegal_action = illegal_action
        self._loops = loops.build(game.name, game.kernels)
        self._settings = np.zeros(1, loops.SETTINGS)
        self._settings["autoreset"] = _index("autoreset", autoreset, AUTORESET_MODES)
        self._settings["illegal_loses"] = _index("illegal_action", illegal_action, ILLEGAL_ACTION_MODES)
        self._settings["seating"] = _index("seating", seating, SEATING_MODES)
        self._settings["observe"] = observe
        self._settings["keep_final"] = keep_final and observe
        self._settings["num_players"] = game.num_players
        self._settings["share"] = num_games if threads == 1 else max(_SMALLEST_SHARE, num_games // (16 * threads))

        self._job, self._salt = self._settings["job"], self._settings["salt"]

        self.games = lined_zeros((num_games,), game.record)
        self._lanes = lined_zeros((num_games,), loops.lane_dtype(game.max_players))
        self._lanes["seat"] = -1
        self._legal = loops.make_legal(num_games, len(game.actions))
        self._actions = np.full(num_games, loops.NO_ACTION, np.int64)
        self._log = np.zeros(num_games if events else 1, log_dtype(game.max_events))
        self._log["on"] = events
        self.observation = lined_zeros((num_games, size), np.int8)
        self.action_mask = lined_zeros((num_games, len(game.actions)), np.int8)
        self.final_observation = np.zeros((num_games if keep_final and observe else 1, players, size), np.int8)

        # What the loops are called with: the same buffers as records.
        rules, games, lanes, settings = map(records, (game.rules, self.games, self._lanes, self._settings))
        legal, observation, mask = rows(self._legal, "actions"), rows(self.observation), rows(self.action_mask)
        log, final = records(self._log), rows(self.final_observation.reshape(-1, size))
        raw = rows(self.games.view(np.int8).reshape(num_games, -1))
        arguments = (rules, games, raw, lanes, self._actions, legal, log, observation, mask, final, settings)
        self._team = Team(self._loops.work, arguments, num_games, min(threads, 1 + num_games // (2 * _SMALLEST_SHARE)))
        self._refresh_arguments = (rules, games, lanes, legal, observation, mask, settings)
        self._game_arguments = (rules, games)

        self.seat = self._lanes["seat"]
        self.done = self._lanes["done"].view(np.bool_)
        self.illegal = self._lanes["illegal"].view(np.bool_)
        self.rewards = self._lanes["rewards"][:, :players]
        self.final_scores = self._lanes["scores"][:, :players]
        self.final_ranks = self._lanes["ranks"][:, :players]
        self.final_length = self._lanes["length"]
        self.learner = self._lanes["learner"]
        self.skipped = self._lanes["skipped"]
        self.controllers = self._lanes["controllers"][:, :players]
        self.controllers[:] = self._parse_controllers(controllers)
        self.first_controllers = self.controllers.copy()
        self._begun = False
        self._set_seeds(np.random.SeedSequence().generate_state(1, np.uint64)[0] if seed is None else seed)

    # ---- playing

    def reset(self, seed: int | np.ndarray | None = None, which: np.ndarray | None = None) -> None:
        """Begin new episodes, in all games or in those where `which` (N,) bool is True.

        Args:
            seed: An int, 0 to 2**64-1, seeds all games anew; an array (N,) of such gives each game its own seed, so that
                one game can be played again alone. None goes on to each game's next episode.
            which: The games to reset; None for all.

        Raises:
            OptionError: A seed, or a shape, that is not allowed. The games are as before.
        """
        chosen = np.ones(self.num_games, bool) if which is None else np.asarray(which, bool)
        if chosen.shape != (self.num_games,):
            raise OptionError(f"which: shape {chosen.shape}, but ({self.num_games},) is needed")
        if seed is not None:
            self._set_seeds(seed, chosen)
        elif self._begun:
            self._lanes["episode"][chosen & (self._lanes["count"] > 0)] += 1  # an episode given up
        self._begun = True
        self._actions[:] = chosen
        self._run(loops.RESET)

    def step(self, actions: np.ndarray) -> None:
        """Play one action in each game.

        Args:
            actions: (N,) integers: an action id where `seat` >= 0, NO_ACTION (-1) where the game is over.

        Raises:
            IllegalActionError: An action is not legal (unless `illegal_action="lose"`); the message names the game.
            GameOverError: An action for a game that is over. After either error all games are as before the call.
        """
        if not self._begun:
            raise not_begun("step")
        actions = np.asarray(actions)
        if actions.shape != (self.num_games,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions: {actions.dtype} of shape {actions.shape}, but integers of shape ({self.num_games},) are needed"
            )
        self._actions[:] = actions
        found = self._run(loops.CHECK)
        if found != NO_GAME:
            self._raise_illegal(found, int(actions[found]))

    def refresh(self) -> None:
        """Recompute observations, masks and whose turn it is, after `games` was written to."""
        self._begun = True
        self._loops.refresh(*self._refresh_arguments)

    def sample_actions(self, salt: int = 0) -> np.ndarray:
        """(N,) int32, a uniformly random legal action for each game, NO_ACTION where it is over.

        The same state and `salt` give the same action.
        """
        if not self._begun:
            raise not_begun("sample_actions")
        self._salt[0] = salt
        self._run(loops.SAMPLE)
        return self._actions.astype(np.int32)

    # ---- looking

    def observe(self, seats: np.ndarray | int, out: np.ndarray | None = None) -> np.ndarray:
        """(N, layout.size) int8: what the given seat (one for all, or one for each game) may know."""
        seats = self._parse_seats(seats)
        shape = (self.num_games, self.game.layout.size)
        if out is None:
            out = np.empty(shape, np.int8)
        elif not _fits(out, np.int8, shape) or not out.flags.c_contiguous:
            raise OptionError(f"out: {_in_short(out)}, but contiguous int8 of shape {shape} is needed")
        self._loops.observe(*self._game_arguments, seats, rows(out))
        return out

    def observation_float(self, out: np.ndarray | None = None) -> np.ndarray:
        """(N, layout.size) float32: the float view of `observation`."""
        if out is not None and not _fits(out, np.float32, self.observation.shape):
            raise OptionError(f"out: {_in_short(out)}, but float32 of shape {self.observation.shape} is needed")
        return self.game.layout.to_float(self.observation, out)

    def events(self, index: int, viewer: Viewer = None) -> Events:
        """What happened in game `index` in the last call, as seat `viewer` (or `PUBLIC`) may know it; all of it if None.

        With autoreset `same_step` the events of a finished game are followed by those of the next one's set-up.
        """
        self._check_log()
        self._check_index(index)
        if viewer is not None:
            check_choice("viewer", viewer, (None, PUBLIC, *range(self.game.num_players)))
        return Events(logged(self._log[index]), self.game.event_kinds, viewer)

    def event_rows(self) -> np.ndarray:
        """(M, 7) int32: all that happened in all games in the last call, private events too, by game and then in order.

        The columns: the game's index, then kind, seat, a, b, c, forced, as `core.events` says. For many games at once this is much
        faster than `events`.

        Raises:
            OptionError: The log is off.
            RuntimeError: The log was too small for what happened in one call.
        """
        self._check_log()
        return logged_rows(self._log)

    @property
    def seeds(self) -> np.ndarray:
        """(N,) uint64: the stream of each running game; `reset(seed=seeds)` plays the same games again."""
        return self.games["stream"].copy()

    # ---- states

    def clone(self, indices: np.ndarray | None = None) -> np.ndarray:
        """(K,) structured: copies of the games at `indices` (all, if None)."""
        if not self._begun:
            raise not_begun("clone")
        if indices is None:
            return self.games.copy()
        whole = self.games.view(f"V{self.game.record.itemsize}")  # as one block a game, not field by field
        return whole[indices].view(self.game.record)

    def state_bytes(self, index: int) -> bytes:
        """The state of one game, sealed; `load_bytes` takes it back. `games[index].tobytes()` is the state alone."""
        self._check_index(index)
        state = self.games[index].tobytes()
        return state + self._seal(state)

    def load_bytes(self, index: int, state: bytes) -> None:
        """Set one game to a state saved by `state_bytes` and refresh.

        Raises:
            OptionError: The bytes are damaged, or of another game, version or rules. The games are as before.
        """
        self._check_index(index)
        if not isinstance(state, bytes | bytearray | memoryview):
            raise OptionError(f"state: {_in_short(state)}, but bytes of `state_bytes` are needed")
        size = self.game.record.itemsize
        if state[size:] != self._seal(state[:size]):
            rules = f"{self.game.id} with these rules has {size + _SEAL_BYTES} sealed bytes"
            raise OptionError(f"state: {len(state)} bytes that are damaged or of another game; a state of {rules}")
        self.games[index] = np.frombuffer(state[:size], self.game.record)[0]
        self.refresh()

    def snapshot(self) -> bytes:
        """All games with their seeds, episodes and controllers, sealed: `restore` of a batch made alike goes on from there."""
        if not self._begun:
            raise not_begun("snapshot")
        kept = b"".join(buffer.tobytes() for buffer in self._lasting())
        return kept + self._seal(kept)

    def restore(self, snapshot: bytes) -> None:
        """Go on from a `snapshot`; what the batch shows is then what it showed, but for `final_observation` and events.

        Raises:
            OptionError: The bytes are damaged, or of another game, version, rules or number of games. The games are as before.
        """
        size = sum(buffer.nbytes for buffer in self._lasting())
        if not isinstance(snapshot, bytes | bytearray | memoryview):
            raise OptionError(f"snapshot: {_in_short(snapshot)}, but bytes of `snapshot` are needed")
        if snapshot[size:] != self._seal(snapshot[:size]):
            there = f"{self.num_games} games of {self.game.id} with these rules have {size + _SEAL_BYTES} sealed bytes"
            raise OptionError(f"snapshot: {len(snapshot)} bytes that are damaged or of other games; {there}")
        start = 0
        for buffer in self._lasting():
            kept = np.frombuffer(snapshot, np.int8, buffer.nbytes, start)
            buffer[:] = kept.view(buffer.dtype).reshape(buffer.shape)
            start += buffer.nbytes
        done = self.done.copy()
        self.refresh()
        self.done[:] = done

    def resample_hidden(self, seats: np.ndarray | int, seed: int) -> None:
        """Redraw, in every game, all that the given seat can't know, uniformly among what fits its knowledge.

        The seat's observation stays the same byte for byte. Copy `games` first if the true states are still needed.
        """
        seats = self._parse_seats(seats)
        streams = np.random.default_rng(check_seed("seed", seed)).integers(0, 2**64, self.num_games, np.uint64)
        self._loops.resample_hidden(*self._game_arguments, seats, streams)
        self.refresh()

    def close(self) -> None:
        """End the worker threads."""
        self._team.close()

    def __reduce__(self) -> tuple:
        settings = self._settings[0]
        arguments = {
            "seating": SEATING_MODES[settings["seating"]],
            "autoreset": self.autoreset,
            "illegal_action": self.illegal_action,
            "observe": bool(settings["observe"]),
            "keep_final": bool(settings["keep_final"]),
            "events": bool(self._log["on"][0]),
            "threads": self.threads,
        }
        return _copy, (self.game, self.num_games, arguments, self._begun, [buffer.copy() for buffer in self._buffers()])

    # ---- inside

    def _buffers(self) -> tuple[np.ndarray, ...]:
        """All that a copy needs to go on as this batch would."""
        shown = (self.observation, self.action_mask, self.final_observation)
        return (self.games, self._lanes, self._legal, self._log, self.first_controllers, *shown)

    def _lasting(self) -> tuple[np.ndarray, ...]:
        """What cannot be computed from anything else."""
        return (self.games, self._lanes, self.first_controllers)

    def _seal(self, state: bytes) -> bytes:
        """Compiled code trusts a state: a damaged or foreign one must not reach it."""
        return hashlib.blake2b(
            self.game.id.encode() + self.game.rules.tobytes() + state, digest_size=_SEAL_BYTES
        ).digest()

    def _run(self, job: int) -> int:
        self._job[0] = job
        return self._team.run()

    def _set_seeds(self, seed: Any, chosen: np.ndarray | slice = slice(None)) -> None:
        if is_list(seed):
            seeds = check_seeds("seed", seed, self.num_games)
        elif self.num_games == 1:
            seeds = np.array([check_seed("seed", seed)], np.uint64)
        else:
            seeds = np.random.SeedSequence(check_seed("seed", seed)).generate_state(self.num_games, np.uint64)
        self._lanes["seed"][chosen] = seeds[chosen]
        self.controllers[chosen] = self.first_controllers[chosen]
        self._lanes["episode"][chosen] = 0

    def _check_log(self) -> None:
        if not self._log["on"][0]:
            raise OptionError("events: the log is off; make the batch with events=True")

    def _check_index(self, index: int) -> None:
        check_range("index", index, 0, self.num_games - 1)

    def _parse_seats(self, seats: np.ndarray | int) -> np.ndarray:
        """(N,) int8: one seat for all, or one for each game. Compiled code does not check an index, so it is checked here."""
        given = np.asarray(seats)
        if given.dtype.kind not in "iu" or given.shape not in ((), (self.num_games,)):
            raise OptionError(
                f"seats: {given.dtype} of shape {given.shape}, but an integer or integers of shape ({self.num_games},) are needed"
            )
        if ((given < 0) | (given >= self.game.num_players)).any():
            raise OptionError(f"seats: {given.min()} to {given.max()}, but 0 to {self.game.num_players - 1} is allowed")
        return np.ascontiguousarray(np.broadcast_to(given.astype(np.int8), (self.num_games,)))

    def _parse_controllers(self, controllers: Sequence[str] | np.ndarray | None) -> np.ndarray:
        players, bots = self.game.num_players, self.game.bots
        if controllers is None:
            return np.full((1, players), loops.EXTERNAL, np.int8)
        if isinstance(controllers, np.ndarray) and controllers.dtype.kind in "iu":
            parsed = controllers
        elif is_list(controllers):
            known = (EXTERNAL, *bots)
            for name in controllers:
                if not isinstance(name, str) or name not in known:
                    raise OptionError(
                        f"controllers: {name!r}, but allowed are {', '.join(known)}{nearest(name, known)}"
                    )
            parsed = np.array([loops.EXTERNAL if name == EXTERNAL else bots.index(name) for name in controllers])
        else:
            raise OptionError(
                f"controllers: {controllers!r}, but a sequence of names is needed, one for each of {players} seats"
            )
        if parsed.shape not in ((players,), (self.num_games, players)):
            raise OptionError(f"controllers: shape {parsed.shape}, but one for each of {players} seats is needed")
        if ((parsed < loops.EXTERNAL) | (parsed >= len(bots))).any():
            raise OptionError(f"controllers: {parsed.min()} to {parsed.max()}, but -1 to {len(bots) - 1} is allowed")
        return parsed

    def _raise_illegal(self, index: int, action: int) -> None:
        where = f"game {index}: " if self.num_games > 1 else ""
        if self._lanes["count"][index] == 0:
            raise GameOverError(f"{where}action {action}, but the game is over; reset it")
        actions = self.game.actions
        name = actions[action].name if 0 <= action < len(actions) else f"ids go from 0 to {len(actions) - 1}"
        legal = self._legal[index, : self._lanes["count"][index]]
        allowed = ", ".join(f"{choice} ({actions[choice].name})" for choice in legal)
        raise IllegalActionError(
            f"{where}action {action} ({name}) is not legal for seat {self.seat[index]}; legal are {allowed}"
        )


def _copy(game: Game, num_games: int, arguments: dict, begun: bool, buffers: list[np.ndarray]) -> Batch:
    batch = Batch(game, num_games, seed=0, **arguments)
    batch._begun = begun
    for own, buffer in zip(batch._buffers(), buffers, strict=True):
        own[:] = buffer
    return batch


def _index(name: str, value: str, allowed: tuple[str, ...]) -> int:
    if value not in allowed:
        raise OptionError(f"{name}: {value!r}, but allowed are {', '.join(allowed)}{nearest(value, allowed)}")
    return allowed.index(value)


def _check_memory(num_games: int, size: int) -> None:
    """OptionError if so many games of `size` bytes are more than the system grants."""
    try:
        np.empty((num_games, size), np.int8)
    except (MemoryError, OverflowError, ValueError):  # the latter two: more than an address can tell
        raise OptionError(
            f"{num_games} games need {num_games * size / 2**30:.3g} GiB of memory, more than can be had; make fewer"
        ) from None


def _fits(array: np.ndarray, dtype: type, shape: tuple[int, ...]) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape


def _in_short(value: object) -> str:
    return f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
