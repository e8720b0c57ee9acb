"""The check of states that callers give: kernels check no index, so a number out of range might crash the process."""

import numpy as np

from w51_env.core import loops
from w51_env.core.compile import records
from w51_env.core.errors import OptionError
from w51_env.core.game import Game
from w51_env.core.limits import VALID


def check_states(name: str, game: Game, states: np.ndarray) -> None:
    """OptionError if compiled code cannot be given these states; nothing if the game has no limits.

    Args:
        name: Of the argument, for messages.
        game: The game with its rules bound.
        states: (N,) structured, states of the game.
    """
    if game.limits is None:
        return
    if not (states.flags.c_contiguous and states.flags.writeable):  # compiled code has one form of these arrays
        states = states.view(f"V{game.record.itemsize}").copy().view(game.record)  # as one block, not field by field
    if not game.limits.contain(states):
        raise OptionError(f"{name}{game.limits.violation(states)}")
    find = loops.build(game.name, game.kernels).find_inconsistent
    if find is not None:
        index, field = find(records(game.rules), records(states))
        if field != VALID:
            wrong = game.limits.names[field]
            value = states[wrong][index].tolist()
            raise OptionError(f"{name}[{index}]: {wrong} is {value}, which no game of {game.id} has")
