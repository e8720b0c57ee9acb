"""Determinizations: complete states of one game that are consistent with everything one seat knows."""

import numpy as np

from w51_env.compiler.compile import repeated
from w51_env.engine import loops
from w51_env.engine.game import Game
from w51_env.engine.options import check_count, check_range, check_seed
from w51_env.engine.state_check import check_state

_NO_STREAM = 0  # random stream of the record that is kept: any number, but the same for all


class Determinizer:
    """Draws determinizations of one game for one seat. A match passes it to agents as `info["determinizer"]`.

    The true state is not kept: everything the seat cannot know is redrawn before the state is stored. Games that look
    the same to the seat give the same determinizations for the same seed. Nothing in this object is hidden from the
    seat.

    Args:
        game: The game with its rules bound.
        record: The true state: one structured record, or an array of one. It is copied.
        seat: The seat whose knowledge the determinizations match.

    Attributes:
        game: The game with its rules bound.
        seat: The seat whose knowledge the determinizations match.
        redrawn: (1,) structured, a state in which everything is redrawn that the seat cannot know.

    Raises:
        OptionError: A record of another game, one that no game can be in, or no such seat.
    """

    __slots__ = ("game", "redrawn", "seat")

    def __init__(self, game: Game, record: np.ndarray | np.void, seat: int):
        records = check_state("record", game, record)
        self.game, self.seat = game, check_range("seat", seat, 0, game.num_players - 1)
        self.redrawn = _redraw(game, records, self.seat, 1, None)

    @classmethod
    def of_redrawn(cls, game: Game, redrawn: np.ndarray, seat: int) -> "Determinizer":
        """The determinizer that has this state as `redrawn`; nothing is redrawn or checked again."""
        determinizer = cls.__new__(cls)
        determinizer.game, determinizer.seat = game, seat
        determinizer.redrawn = redrawn.copy()
        return determinizer

    def draw(self, count: int, seed: int) -> np.ndarray:
        """Draw determinizations, independent and uniform among all states that are consistent with the seat's
        knowledge.

        Args:
            count: Number of states to draw.
            seed: 0 to 2**64-1; the same seed gives the same states. Each state has a random stream of its own.

        Returns:
            (count,) structured, complete states from which a batch can continue.
        """
        return _redraw(self.game, self.redrawn, self.seat, check_count("count", count), check_seed("seed", seed))


def _redraw(game: Game, record: np.ndarray, seat: int, count: int, seed: int | None) -> np.ndarray:
    """(count,) structured: copies of the record, in each of which a random stream redraws all that the seat cannot
    know; the streams of the seed, or, without one, _NO_STREAM.
    """
    states = repeated(record, count)
    seats, streams = np.full(count, seat, np.int8), np.full(count, _NO_STREAM, np.uint64)
    seeds = np.array([seed or 0], np.uint64)
    redraw = loops.build(game.name, game.kernels).resample_hidden
    redraw(game.rules, states, seats, seeds, streams, number=seed is not None)
    return states
