"""Saved games: the bytes of one state or of a whole batch, with a checksum, and back again."""

import hashlib

import numpy as np

from w51_env.engine.buffers import Buffers
from w51_env.engine.call_arguments import check_bytes
from w51_env.engine.errors import OptionError
from w51_env.engine.game import EXTERNAL_INDEX, Game
from w51_env.engine.state_check import check_states

CHECKSUM_BYTES = 16


def checksum(*parts: bytes) -> bytes:
    """The checksum of these bytes, which detects damaged bytes and bytes of something else."""
    return hashlib.blake2b(b"".join(parts), digest_size=CHECKSUM_BYTES).digest()


def state_to_bytes(game: Game, state: np.void) -> bytes:
    """The bytes of one state with their checksum."""
    content = state.tobytes()
    return content + _checksum(game, content)


def state_from_bytes(game: Game, saved: bytes) -> np.ndarray:
    """(1,) structured: the state that was saved; OptionError if the bytes are no saved state of this game."""
    saved = check_bytes("state", saved, "state_bytes")
    size = game.record.itemsize
    if saved[size:] != _checksum(game, saved[:size]):
        rules = f"{game.id} with these rules has {size + CHECKSUM_BYTES} bytes"
        raise OptionError(f"state: {len(saved)} bytes that are damaged or of another game; a state of {rules}")
    states = np.frombuffer(saved[:size], game.record)
    check_states("state", game, states)
    return states


def snapshot_of(game: Game, buffers: Buffers) -> bytes:
    """The bytes of all that cannot be computed from anything else, with their checksum."""
    content = b"".join(buffer.tobytes() for buffer in buffers.persistent())
    return content + _checksum(game, content)


def read_snapshot(game: Game, buffers: Buffers, snapshot: bytes) -> list[np.ndarray]:
    """The content of each of `buffers.persistent()`; OptionError if the snapshot is none of such buffers."""
    snapshot = check_bytes("snapshot", snapshot, "snapshot")
    size = sum(buffer.nbytes for buffer in buffers.persistent())
    if snapshot[size:] != _checksum(game, snapshot[:size]):
        needed = f"{len(buffers.games)} games of {game.id} with these rules have {size + CHECKSUM_BYTES} bytes"
        raise OptionError(f"snapshot: {len(snapshot)} bytes that are damaged or of other games; {needed}")
    loaded, start = [], 0
    for buffer in buffers.persistent():
        stored = np.frombuffer(snapshot, np.int8, buffer.nbytes, start)
        loaded.append(stored.view(buffer.dtype).reshape(buffer.shape))
        start += buffer.nbytes
    states, slots, first_controllers = loaded
    check_states("snapshot", game, states)
    for controllers in (slots["controllers"], first_controllers):
        if not np.isin(controllers, range(EXTERNAL_INDEX, len(game.bots))).all():
            raise OptionError(f"snapshot: controllers {np.unique(controllers)}, but this game has not all of them")
    return loaded


def _checksum(game: Game, content: bytes) -> bytes:
    """The checksum of bytes of this game and these rules."""
    return checksum(game.id.encode(), game.rules.tobytes(), content)
