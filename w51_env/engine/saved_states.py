"""Saved games: the bytes of one state or of a whole batch, with a checksum, and back again."""

import hashlib

import numpy as np

from w51_env.engine.buffers import Buffers
from w51_env.engine.call_arguments import check_bytes
from w51_env.engine.errors import OptionError
from w51_env.engine.events import COLUMNS, WHOLE_GAME
from w51_env.engine.game import Game
from w51_env.engine.history import event_rows
from w51_env.engine.state_check import check_states

CHECKSUM_BYTES = 16
_ENDS = ("count", "start", "first")  # of a log


def checksum(*parts: bytes) -> bytes:
    """The checksum of these bytes, which detects damaged bytes and bytes of something else."""
    return hashlib.blake2b(b"".join(parts), digest_size=CHECKSUM_BYTES).digest()


def state_to_bytes(game: Game, state: np.void, past: bytes) -> bytes:
    """The bytes of one state, and of its past if this is kept, with their checksum."""
    content = state.tobytes() + past
    return content + _checksum(game, content)


def state_from_bytes(game: Game, saved: bytes) -> tuple[np.ndarray, np.ndarray]:
    """(1,) structured: the state that was saved, and the rows of its past; OptionError if the bytes are none of this
    game.
    """
    saved = check_bytes("state", saved, "state_bytes")
    size, content = game.record.itemsize, saved[:-CHECKSUM_BYTES]
    if len(content) < size or saved[len(content) :] != _checksum(game, content):
        rules = f"{game.id} with these rules has {size + CHECKSUM_BYTES} bytes"
        raise OptionError(f"state: {len(saved)} bytes that are damaged or of another game; a state of {rules}")
    states = np.frombuffer(saved[:size], game.record)
    check_states("state", game, states)
    return states, np.frombuffer(content[size:], np.int16).reshape(-1, COLUMNS)


def snapshot_of(game: Game, buffers: Buffers) -> bytes:
    """The bytes of all that cannot be computed from anything else, with their checksum."""
    content = b"".join(buffer.tobytes() for buffer in buffers.persistent())
    if _keeps_past(buffers):
        logs = buffers.log
        ends = np.stack([logs[name] for name in _ENDS])
        rows = [event_rows(log["rows"][: log["count"]]).tobytes() for log in logs]
        content = b"".join([content, ends.tobytes(), *rows])
    return content + _checksum(game, content, buffers)


def read_snapshot(game: Game, buffers: Buffers, snapshot: bytes) -> list[np.ndarray]:
    """The content of each of `buffers.persistent()`; OptionError if the snapshot is none of such buffers."""
    snapshot = check_bytes("snapshot", snapshot, "snapshot")
    size, content = sum(buffer.nbytes for buffer in buffers.persistent()), snapshot[:-CHECKSUM_BYTES]
    fits = _keeps_past(buffers) or len(content) == size
    if not fits or snapshot[len(content) :] != _checksum(game, content, buffers):
        needed = f"{len(buffers.games)} games of {game.id} with these rules have {size + CHECKSUM_BYTES} bytes"
        needed = f"{needed}, and with their history more" if _keeps_past(buffers) else needed
        raise OptionError(f"snapshot: {len(snapshot)} bytes that are damaged or of other games; {needed}")
    loaded, start = [], 0
    for buffer in buffers.persistent():
        stored = np.frombuffer(snapshot, np.int8, buffer.nbytes, start)
        loaded.append(stored.view(buffer.dtype).reshape(buffer.shape))
        start += buffer.nbytes
    states, slots, first_controllers = loaded
    check_states("snapshot", game, states)
    for controllers in (slots["controllers"], first_controllers):
        if (controllers >= len(game.bots)).any():
            raise OptionError(f"snapshot: controllers {np.unique(controllers)}, but this game has not all of them")
    return loaded


def restore_past(buffers: Buffers, snapshot: bytes) -> None:
    """Write the past of all games, if it is kept, from a snapshot that was read."""
    if not _keeps_past(buffers):
        return
    logs, at = buffers.log, sum(buffer.nbytes for buffer in buffers.persistent())
    stored = np.frombuffer(snapshot[at:-CHECKSUM_BYTES], np.int16)
    ends, rows = stored[: len(_ENDS) * len(logs)], stored[len(_ENDS) * len(logs) :].reshape(-1, COLUMNS)
    for name, numbers in zip(_ENDS, ends.reshape(len(_ENDS), -1), strict=True):
        logs[name] = numbers
    for log, part in zip(logs, np.split(rows, np.cumsum(logs["count"])[:-1]), strict=True):
        log["rows"][: len(part)] = part


def _keeps_past(buffers: Buffers) -> bool:
    return bool(buffers.log["on"][0] == WHOLE_GAME)


def _checksum(game: Game, content: bytes, buffers: Buffers | None = None) -> bytes:
    """The checksum of bytes of this game and these rules; of a snapshot with history, also of how many games it has."""
    history = f"history of {len(buffers.games)} games" if buffers is not None and _keeps_past(buffers) else ""
    return checksum(game.id.encode(), game.rules.tobytes(), content, history.encode())
