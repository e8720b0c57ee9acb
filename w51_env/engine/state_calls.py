"""Compiled calls for the states of a batch. Not every batch needs them, so each is made at its first use."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from w51_env.compiler.compile import aligned_zeros, rows
from w51_env.engine.buffers import Buffers
from w51_env.engine.game import Game
from w51_env.engine.loops import Loops
from w51_env.engine.state_check import StateCheck

Call = Callable[[int], int]  # a bound entry


class StateCalls:
    """Calls for the memory of one batch, bound to it together with memory of their own."""

    def __init__(self, game: Game, loops: Loops, buffers: Buffers):
        self._game, self._loops, self._buffers = game, loops, buffers

    @cached_property
    def refresh(self) -> Call:
        """Recomputes everything that follows from the states: (0)."""
        return self._loops.refresh.bind(*self._buffers.refresh_arguments)

    @cached_property
    def floats(self) -> tuple[Call, np.ndarray]:
        """A call that writes the float32 view of the observations: (0), and the memory it writes to."""
        floats = np.empty(self._buffers.observation.shape, np.float32)
        return self._game.layout.bind_to_float(self._buffers.observation, floats), floats

    @cached_property
    def redraw(self) -> tuple[Call, np.ndarray, np.ndarray]:
        """A call that redraws what seats cannot know: (True), and the (N,) seats and (1,) seed that it reads."""
        num_games = len(self._buffers.games)
        seats = np.empty(num_games, np.int8)
        seed = np.empty(1, np.uint64)
        streams = np.empty(num_games, np.uint64)
        return self._loops.resample_hidden.bind(*self._buffers.game_arguments, seats, seed, streams), seats, seed

    @cached_property
    def check_games(self) -> StateCheck:
        """The check of the states of the games."""
        return StateCheck(self._game, self._buffers.games)

    @cached_property
    def check_given(self) -> StateCheck:
        """The check of states that are to become those of the games, in memory of its own."""
        return StateCheck(self._game, aligned_zeros(self._buffers.games.shape, self._game.record))

    def observe_one(self, index: int, seat: int) -> np.ndarray:
        """(layout.size,) int8: the observation of one seat of one game."""
        rules, games = self._buffers.game_arguments
        out = np.empty((1, self._game.layout.size), np.int8)
        self._loops.observe(rules, games[index : index + 1], np.full(1, seat, np.int8), rows(out))
        return out[0]
