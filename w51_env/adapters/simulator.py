"""One game played from any position, for searches over single states. Positions are immutable."""

from typing import NamedTuple

import numpy as np

from w51_env.compiler.compile import rows
from w51_env.engine import loops, slots
from w51_env.engine.buffers import Buffers
from w51_env.engine.chunks import CALLER, NO_GAME, make_progress
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import EXTERNAL_INDEX, Game
from w51_env.engine.options import check_seed
from w51_env.engine.state_check import check_state

_ROW_BYTES = 2 * COLUMNS


class Position(NamedTuple):
    """One state of a game. Privileged: the record holds all that is hidden from seats.

    Attributes:
        record: The bytes of the state.
        seat: The seat to move, -1 when the game is over.
        legal: The legal actions of this seat.
        rewards: The reward of each seat; all 0 while the game runs.
        events: int16 rows (`engine.events`) of all that the last action caused, as bytes; empty if none led here.
    """

    record: bytes
    seat: int
    legal: bytes
    rewards: tuple[float, ...]
    events: bytes


class Simulator:
    """Plays one game at a time, from any position, with the kernels of the batch; for one thread."""

    def __init__(self, game: Game):
        self.game = game
        buffers = Buffers(game, 1, keep_final=False, events=True)
        self._loops = loops.build(game.name, game.kernels)
        self._buffers = buffers
        buffers.slots["controllers"] = EXTERNAL_INDEX
        self._step = self._loops.step_all.bind(*buffers.step_arguments, make_progress(1, 1))
        # Memory views, which give and take one number in half the time of arrays.
        self._record = buffers.games.view(np.uint8).data
        self._legal = buffers.legal[0].data
        self._command, self._action = buffers.settings["command"].data, buffers.actions.data
        self._count, self._seat = buffers.slots["count"].data, buffers.slots["seat"].data
        self._logged = buffers.log["count"].data
        self._events = memoryview(buffers.log["rows"][0].reshape(-1)).cast("B")
        self._rewards = buffers.slots["rewards"][0, : game.num_players]
        self._running = (0.0,) * game.num_players
        self._observed = np.empty((1, game.layout.size), np.int8)
        self._seen_by = np.zeros(1, np.int8)
        self._observe = self._loops.observe.bind(*buffers.game_arguments, self._seen_by, rows(self._observed))

    def deal(self, seed: int) -> Position:
        """The first position of the game of this seed, 0 to 2**64-1: that of `Batch.reset(seed=seed)` for one game."""
        self._buffers.slots["seed"] = check_seed("seed", seed)
        self._buffers.slots["episode"] = 0
        self._count[0] = 0
        self._run(slots.RESET, 1)
        return self._position()

    def position(self, record: np.ndarray | np.void) -> Position:
        """The position of one state, as `Batch.clone` and `engine.deals` give it.

        Raises:
            OptionError: A record of another game, or one that no game can be in.
        """
        self._record[:] = check_state("record", self.game, record).tobytes()
        self._logged[0] = 0
        self._loops.refresh(*self._buffers.refresh_arguments)
        return self._position()

    def play(self, position: Position, action: int) -> Position:
        """The position after a legal action of the seat to move.

        Raises:
            GameOverError: The game is over.
            IllegalActionError: The action is not legal.
        """
        if not 0 <= action < 256 or action not in position.legal:
            if position.seat < 0:
                raise GameOverError(f"action {action}, but the game is over")
            raise self.game.actions.illegal(action, position.legal, f" for seat {position.seat}")
        self._record[:] = position.record
        self._count[0] = 1
        self._run(slots.STEP, action)
        return self._position()

    def observe(self, position: Position, seat: int) -> np.ndarray:
        """(layout.size,) int8: the observation of a seat, 0 to num_players - 1; overwritten by the next call."""
        self._record[:] = position.record
        self._seen_by[0] = seat
        self._observe(0)
        return self._observed[0]

    def record(self, position: Position) -> np.void:
        """The state of a position as a structured record, read-only."""
        return np.frombuffer(position.record, self.game.record)[0]

    def _run(self, command: int, action: int) -> None:
        self._command[0] = command
        self._action[0] = action
        if self._step(CALLER) != NO_GAME:
            raise OptionError(f"a game that never comes to a decision; {self.game!r}")

    def _position(self) -> Position:
        seat, logged = self._seat[0], self._logged[0]
        rewards = self._running if seat >= 0 else tuple(self._rewards.tolist())
        if logged > self.game.max_events:
            raise RuntimeError(f"{logged} events in one step, but the log holds {self.game.max_events}")
        events = bytes(self._events[: logged * _ROW_BYTES])
        return Position(bytes(self._record), seat, bytes(self._legal[: self._count[0]]), rewards, events)
