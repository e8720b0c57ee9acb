"""Helpers of all adapters: bind a game to its options, make its spaces, read an action as an integer."""

from collections.abc import Callable, Sequence
from inspect import signature
from operator import index
from typing import Any

import gymnasium
import numpy as np

from w51_env.engine.errors import IllegalActionError, KeywordError, OptionError, nearest
from w51_env.engine.events import COLUMNS
from w51_env.engine.game import Game
from w51_env.engine.options import check_choice
from w51_env.engine.registry import make_game

OBSERVATION_DTYPES = ("int8", "float32")
OBSERVATION_DTYPE = "float32"  # default of all adapters: what networks read, and RLlib's take nothing else


def bind(game: Game | str, options: dict[str, Any], constructor: Callable[..., Any]) -> Game:
    """The game itself, or the registered one of this id made with `options`.

    Args:
        game: A game or its id.
        options: Keyword arguments that `constructor` does not have itself.
        constructor: Who takes the options beside its own arguments, which an error names.

    Raises:
        OptionError: No game of this id, an unknown option, or a value that is not allowed; or options for a game that
            has its options already.
    """
    if isinstance(game, str):
        try:
            return make_game(game, **options)
        except KeywordError as error:
            owners = constructor.__mro__[:-1] if isinstance(constructor, type) else (constructor,)
            of_all = (each for owner in owners for each in signature(owner).parameters.values())
            parameters = list(dict.fromkeys(each.name for each in of_all if each.kind == each.KEYWORD_ONLY))
            if not parameters:
                raise
            meant = next(filter(None, (nearest(name, parameters) for name in options)), "")
            raise KeywordError(f"{error}; {constructor.__name__} itself takes {', '.join(parameters)}{meant}") from None
    if options:
        raise OptionError(
            f"options {', '.join(options)}: the game {game.id} is made already; pass them to its `make`, or pass its id"
        )
    return game


def check_look(observation_dtype: str, render_mode: str | None, render_modes: Sequence[str]) -> tuple[str, str | None]:
    """Both as plain text. OptionError for an unknown dtype, KeywordError for a render mode that is not among these."""
    dtype = check_choice("observation_dtype", observation_dtype, OBSERVATION_DTYPES)
    try:
        return dtype, check_choice("render_mode", render_mode, (None, *render_modes))
    except OptionError as error:
        raise KeywordError(str(error)) from None


def observation_space(game: Game, observation_dtype: str) -> gymnasium.spaces.Box:
    """Box (layout.size,): int8 in the ranges of the layout, or its float32 view in [-1, 1]."""
    layout = game.layout
    if observation_dtype == "int8":
        return gymnasium.spaces.Box(layout.low, layout.high, dtype=np.int8)
    return gymnasium.spaces.Box(layout.to_float(layout.low), layout.to_float(layout.high), dtype=np.float32)


def with_history(space: gymnasium.spaces.Space, game: Game, rows: int) -> gymnasium.spaces.Space:
    """The space of observations with the past beside: a Dict with `history`, (rows, 6) int16; without rows as given.

    Zeros follow the last event (docs/observations.md#history).
    """
    if not rows:
        return space
    parts = dict(space) if isinstance(space, gymnasium.spaces.Dict) else {"observation": space}
    low, high = np.full((rows, COLUMNS), -(2**15), np.int16), np.full((rows, COLUMNS), 2**15 - 1, np.int16)
    low[:, [0, 1, -1]] = 0
    high[:, [0, 1, -1]] = len(game.event_types), game.num_players, 1
    return gymnasium.spaces.Dict({**parts, "history": gymnasium.spaces.Box(low, high, dtype=np.int16)})


def of_game(observations: Any, index: int) -> Any:
    """The observation of one game, of those of many: an array, or a dict of arrays."""
    if isinstance(observations, dict):
        return {name: values[index] for name, values in observations.items()}
    return observations[index]


def action_space(game: Game) -> gymnasium.spaces.Discrete:
    """Discrete(len(actions)): one table for all seats and phases."""
    return gymnasium.spaces.Discrete(len(game.actions))


def as_dtype(game: Game, observation: np.ndarray, observation_dtype: str) -> np.ndarray:
    """A new array: a copy of the int8 observation (..., layout.size), or its float32 view."""
    return observation.copy() if observation_dtype == "int8" else game.layout.to_float(observation)


def action_id(action: Any, game: Game) -> int:
    """The action as an integer of 64 bits; whether it is legal is checked later. True is not 1, as in a batch.

    Raises:
        IllegalActionError: The action is no such integer.
    """
    try:
        number = 2**63 if isinstance(action, bool) else index(action)
    except TypeError:
        number = 2**63
    if not -(2**63) <= number < 2**63:
        raise IllegalActionError(f"action: {action!r}, but an integer from 0 to {len(game.actions) - 1} is needed")
    return number
