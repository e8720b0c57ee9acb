"""The check of states that callers give: kernels check no index, so a number out of range might crash the process."""

import numpy as np

from w51_env.compiler.compile import blocks
from w51_env.engine import loops
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.limits import VALID
from w51_env.engine.options import as_array


class StateCheck:
    """Checks whether compiled code can be given the states in an array; anything goes if the game has no limits.

    Args:
        game: The game with its rules bound.
        states: (N,) structured and contiguous, memory for states of the game.
    """

    def __init__(self, game: Game, states: np.ndarray):
        self._game, self._states = game, states
        self._field = np.empty(1, np.int64)
        self._whole = blocks(states)
        self._outside, self._find = [], None
        if game.limits is not None:
            self._outside = game.limits.bind(states)
            if (find := loops.build(game.name, game.kernels).find_inconsistent) is not None:
                self._find = find.bind(game.rules, states, self._field)

    def __call__(self, name: str, count: int) -> None:
        """OptionError, with this name of an argument, unless the first `count` states are states of the game."""
        for outside in self._outside:
            if outside(count):
                assert self._game.limits is not None
                raise OptionError(f"{name}{self._game.limits.violation(self._states[:count])}")
        if self._find is not None and (index := self._find(count)) != VALID:
            wrong = (self._states.dtype.names or ())[self._field[0]]
            value = self._states[wrong][index].tolist()
            raise OptionError(f"{name}[{index}]: {wrong} is {value}, which no game of {self._game.id} has")

    def take(self, given: np.ndarray) -> np.ndarray:
        """(K,) opaque blocks of the memory with copies of (K,) states; OptionError if it cannot be given these."""
        if type(given) is not np.ndarray:
            given = as_array("states", given)
        count = len(given) if given.ndim else 0
        most = len(self._whole)
        record = self._game.record
        if (given.dtype is not record and given.dtype != record) or given.ndim != 1 or count > most:
            raise OptionError(
                f"states: {given.dtype.type.__name__} of shape {given.shape}, but at most {most} states "
                f"of {self._game.id} are needed"
            )
        taken = self._whole[:count]
        taken[:] = blocks(given)
        self("states", count)
        return taken


def check_states(name: str, game: Game, states: np.ndarray) -> None:
    """OptionError if compiled code cannot be given these states, (N,) structured, of the game."""
    if not states.flags.c_contiguous:
        states = blocks(states).copy().view(game.record)
    StateCheck(game, states)(name, len(states))


def check_state(name: str, game: Game, record: np.ndarray | np.void) -> np.ndarray:
    """(1,) structured: the one state, which is a record or an array of one; OptionError if it is none of the game."""
    states = np.asarray(record)
    if states.dtype != game.record or states.size != 1:
        given = f"{states.dtype.type.__name__} of shape {states.shape}"
        raise OptionError(f"{name}: {given}, but one state of {game.id} is needed")
    check_states(name, game, states.reshape(1))
    return states.reshape(1)
