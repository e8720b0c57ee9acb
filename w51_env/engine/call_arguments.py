"""What callers give to a batch, checked and as arrays: compiled code checks neither indices nor shapes."""

from typing import Any

import numpy as np

from w51_env.engine.buffers import Buffers
from w51_env.engine.errors import GameOverError, IllegalActionError, OptionError, W51Error
from w51_env.engine.game import Game
from w51_env.engine.options import as_array, check_seed, check_seeds, is_list


def parse_which(which: np.ndarray, num_games: int) -> np.ndarray:
    """(num_games,) bool."""
    chosen = as_array("which", which).astype(bool)
    if chosen.shape != (num_games,):
        raise OptionError(f"which: shape {chosen.shape}, but ({num_games},) is needed")
    return chosen


def parse_seats(seats: np.ndarray | int, num_games: int, num_players: int) -> np.ndarray:
    """(num_games,) int8: one seat for all, or one for each game."""
    parsed, shape = as_array("seats", seats), (num_games,)
    if parsed.dtype.kind not in "iu" or parsed.shape not in ((), shape):
        raise OptionError(
            f"seats: {parsed.dtype} of shape {parsed.shape}, but an integer or integers of shape {shape} are needed"
        )
    if ((parsed < 0) | (parsed >= num_players)).any():
        raise OptionError(f"seats: {parsed.min()} to {parsed.max()}, but 0 to {num_players - 1} is allowed")
    return np.ascontiguousarray(np.broadcast_to(parsed.astype(np.int8), shape))


def parse_seeds(seed: Any, num_games: int) -> np.ndarray:
    """(num_games,) uint64: one seed for each game, or those that one seed gives."""
    if is_list(seed):
        return check_seeds("seed", seed, num_games)
    if num_games == 1:
        return np.array([check_seed("seed", seed)], np.uint64)
    return np.random.SeedSequence(check_seed("seed", seed)).generate_state(num_games, np.uint64)


def check_actions(actions: np.ndarray, seat: np.ndarray) -> None:
    """IllegalActionError unless they are integers for the first games, and all games after these are over."""
    fits = actions.dtype.kind in "iu" and actions.ndim == 1 and len(actions) <= len(seat)
    if not fits or (seat[len(actions) :] >= 0).any():
        raise IllegalActionError(
            f"actions: {actions.dtype} of shape {actions.shape}, but integers of shape {seat.shape} are needed"
        )


def unplayable(game: Game, buffers: Buffers, index: int, action: int) -> W51Error:
    """The error of an action that cannot be played in one game."""
    where = f"game {index}: " if len(buffers.games) > 1 else ""
    slot = buffers.slots[index]
    if slot["count"] == 0:
        return GameOverError(f"{where}action {action}, but the game is over; reset it")
    error = game.actions.illegal(action, buffers.legal[index, : slot["count"]], f" for seat {slot['seat']}")
    return IllegalActionError(f"{where}{error}")


def check_out(out: np.ndarray, dtype: type, shape: tuple[int, ...], contiguous: bool = False) -> None:
    """OptionError unless results of this dtype and shape can be written to `out`."""
    fits = isinstance(out, np.ndarray) and out.dtype == dtype and out.shape == shape
    if not fits or (contiguous and not out.flags.c_contiguous):
        needed = f"{'contiguous ' if contiguous else ''}{dtype.__name__}"
        raise OptionError(f"out: {in_short(out)}, but {needed} of shape {shape} is needed")


def check_bytes(name: str, data: object, method: str) -> bytes:
    """The bytes that the method of this name returned, in one piece; OptionError for anything else."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise OptionError(f"{name}: {in_short(data)}, but bytes of `{method}` are needed")
    return bytes(data)


def in_short(value: object) -> str:
    """An array's dtype and shape, or the type of another value, for error messages."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    return type(value).__name__ if dtype is None or shape is None else f"{dtype} of shape {shape}"
