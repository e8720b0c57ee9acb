"""Options of a game: presets resolved and values checked, with errors that say what is allowed."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import PurePath
from typing import Any, TypeVar

import numpy as np

from w51_env.core.errors import OptionError, nearest

REWARDS = ("win", "rank", "margin")

Options = TypeVar("Options")


def make_options(kind: type[Options], presets: Mapping[str, Mapping[str, Any]], preset: str, options: Mapping[str, Any]) -> Options:
    """The dataclass `kind` filled from a preset, with some options changed.

    Raises:
        OptionError: An unknown preset or option, or a value that is not allowed.
    """
    if preset not in tuple(presets):  # not a look-up, for which a list would be a TypeError
        raise OptionError(f"preset: {preset!r} is unknown; allowed are {', '.join(presets)}{nearest(preset, presets)}")
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for name in options:
        if name not in names:
            raise OptionError(f"option {name!r} is unknown; allowed are {', '.join(names)}{nearest(name, names)}")
    return kind(**{**presets[preset], **{name: plain(value) for name, value in options.items()}})


def plain(value: Any) -> Any:
    """Integers of numpy as int, paths as text; all else as it is: so the options of a game are plain data."""
    if isinstance(value, np.integer):
        return int(value)
    return str(value) if isinstance(value, PurePath) else value


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """OptionError unless `value` is one of `allowed` (True is not 1, and neither is 1.0)."""
    if not any(value == choice and isinstance(value, bool | float) == isinstance(choice, bool | float) for choice in allowed):
        raise OptionError(f"{name}: {value!r}, but allowed are {', '.join(map(repr, allowed))}{nearest(str(value), map(str, allowed))}")


def check_range(name: str, value: Any, low: int, high: int) -> None:
    """OptionError unless `value` is an integer from `low` to `high`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= value <= high:
        raise OptionError(f"{name}: {value!r}, but an integer from {low} to {high} is allowed")


def reward_range(reward: str, num_players: int, most_points: int) -> tuple[float, float]:
    """The least and the greatest reward of one seat; -1 is what an illegal action costs where it ends the game."""
    return {"win": (-1.0, 1.0 - 1.0 / num_players), "rank": (-1.0, 1.0), "margin": (-float(most_points), float(most_points))}[reward]
