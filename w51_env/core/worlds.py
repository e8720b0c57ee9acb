"""What a search agent is told of a game: worlds that could be the true one, as far as its seat knows, and nothing else."""

import numpy as np

from w51_env.core import loops
from w51_env.core.compile import records
from w51_env.core.errors import OptionError
from w51_env.core.game import Game
from w51_env.core.options import check_count, check_range, check_seed

_NO_STREAM = 0  # of the record that is kept: any number, but the same for all


class Worlds:
    """States of one game that one seat cannot tell from the true one; what an environment hands over as `info["worlds"]`.

    The true state is not kept: what its seat can't know is redrawn before anything is stored. So games that look the same to the
    seat give the same worlds for the same seed, and there is nothing to read here that the seat may not know.

    Args:
        game: The game with its rules bound.
        record: The true state: one structured record, or an array of one. It is copied.
        seat: Whose knowledge the worlds fit.

    Attributes:
        game: The game.
        seat: The seat.

    Raises:
        OptionError: A record of another game, or no such seat.
    """

    __slots__ = ("_record", "game", "seat")

    def __init__(self, game: Game, record: np.ndarray | np.void, seat: int):
        given = np.asarray(record)
        if given.dtype != game.record or given.size != 1:
            raise OptionError(
                f"record: {given.dtype.type.__name__} of shape {given.shape}, but one state of {game.id} is needed"
            )
        check_range("seat", seat, 0, game.num_players - 1)
        self.game = game
        self.seat = int(seat)
        self._record = _redraw(game, given.reshape(1), self.seat, np.array([_NO_STREAM], np.uint64))

    def draw(self, count: int, seed: int) -> np.ndarray:
        """(count,) structured: independent draws, uniform among all that fits what the seat knows; each a full state to play on from.

        Args:
            count: How many.
            seed: 0 to 2**64-1; the same seed gives the same worlds. What a world will bring, its deck and its bots, is its own.
        """
        check_count("count", count)
        streams = np.random.default_rng(check_seed("seed", seed)).integers(0, 2**64, count, np.uint64)
        return _redraw(self.game, self._record, self.seat, streams)


def _redraw(game: Game, record: np.ndarray, seat: int, streams: np.ndarray) -> np.ndarray:
    """(N,) structured: a copy of the one record for each stream, with all that the seat can't know drawn from it."""
    whole = np.ascontiguousarray(record).view(f"V{game.record.itemsize}")  # as one block, not field by field
    worlds = np.repeat(whole, len(streams)).view(game.record)
    seats = np.full(len(streams), seat, np.int8)
    loops.build(game.name, game.kernels).resample_hidden(records(game.rules), records(worlds), seats, streams)
    return worlds
