"""Options of a game: presets are resolved and values checked; errors name what is allowed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from operator import index
from pathlib import PurePath
from typing import Any, TypeGuard, TypeVar

import numpy as np

from w51_env.engine.errors import KeywordError, OptionError, W51Error, nearest

OptionValues = Mapping[str, Any]  # by name; a game says what each takes
REWARDS = ("win", "rank", "margin")

# Options of every game that no observation shows and that an agent need not be trained for, each with the reason.
EXEMPT_OPTIONS = {
    "reward": "changes what a result pays, not what can happen in a game",
    "ask_forced": "adds decisions with a single legal action, in which there is nothing to choose",
}

Options = TypeVar("Options")


def make_options(
    options_class: type[Options],
    presets: Mapping[str, Mapping[str, Any]],
    preset: str,
    options: Mapping[str, Any],
    num_players: int | None,
) -> Options:
    """The dataclass filled from a preset, with some options changed, and `num_players` unless it is None.

    Raises:
        KeywordError: An unknown option.
        OptionError: An unknown preset, or a value that is not allowed.
    """
    if not isinstance(preset, str) or preset not in presets:
        raise OptionError(f"preset: {preset!r} is unknown; allowed are {', '.join(presets)}{nearest(preset, presets)}")
    names = ["preset", *(field.name for field in fields(options_class))]  # type: ignore[arg-type]
    for name in options:
        if name not in names:
            raise KeywordError(
                f"option {name!r} is unknown; allowed are {', '.join(names)}{nearest(name, names)} "
                f"(got an unexpected keyword argument {name!r})"  # the words that TorchRL looks for
            )
    changes = dict(options) if num_players is None else {**options, "num_players": num_players}
    return options_class(**{**presets[preset], **{name: plain(value) for name, value in changes.items()}})


def plain(value: Any) -> Any:
    """Numbers, flags and texts of numpy and of enums as int, bool and str, paths as text, all else unchanged.

    Options are plain data, and counts do not overflow: `np.int8(100) + np.int8(100)` is -56.
    """
    if isinstance(value, np.bool_):
        return bool(value)
    if is_integer(value):
        return index(value)
    if isinstance(value, str):
        return str.__str__(value)
    return str(value) if isinstance(value, PurePath) else value


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether it is an integer of Python or numpy; True, 1.0 and numpy's times are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)


def as_array(name: str, values: Any, error_type: type[W51Error] = OptionError) -> np.ndarray:
    """The values as an array; an error of this type if there is none, as for lists of unequal length.

    A masked array is none: numpy would give the numbers that the mask hides.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise error_type(f"{name}: a masked array, but an array without a mask is needed")
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise error_type(f"{name}: {type(values).__name__}, but an array is needed: {error}") from None


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> Any:
    """The value as plain data.

    OptionError unless it is one of `allowed`, of the same type (True is not 1, and neither is 1.0).
    """
    chosen = plain(value)
    if not any(_alike(chosen, choice) and chosen == choice for choice in allowed):
        raise OptionError(
            f"{name}: {value!r}, but allowed are {', '.join(map(repr, allowed))}{nearest(value, allowed)}"
        )
    return chosen


def _alike(value: Any, choice: Any) -> bool:
    return isinstance(value, type(choice)) and isinstance(value, bool) == isinstance(choice, bool)


def check_name(name: str, value: Any, allowed: Collection[str]) -> str:
    """The value. OptionError unless it is one of these texts."""
    if not isinstance(value, str) or value not in allowed:
        raise OptionError(f"{name}: {value!r}, but allowed are {', '.join(allowed)}{nearest(value, allowed)}")
    return str.__str__(value)


def check_flag(name: str, value: Any) -> bool:
    """The value as a bool. OptionError unless it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise OptionError(f"{name}: {value!r}, but True or False is needed")
    return bool(value)


def check_count(name: str, value: Any) -> int:
    """The count as an int. OptionError unless it is a positive integer."""
    if not is_integer(value) or value < 1:
        raise OptionError(f"{name}: {value!r}, but a positive integer is needed")
    return index(value)


def check_range(name: str, value: Any, low: int, high: int) -> int:
    """The value as an int. OptionError unless it is an integer from `low` to `high`."""
    if not is_integer(value) or not low <= value <= high:
        raise OptionError(f"{name}: {value!r}, but an integer from {low} to {high} is allowed")
    return index(value)


def check_options(options: Any, choices: Mapping[str, Sequence[Any]], ranges: Mapping[str, tuple[int, int]]) -> None:
    """Check the options of a game, and those that games share: `reward`, `ask_forced`, `first_player` if it has it.

    Args:
        options: The options as attributes.
        choices: The values that an option may have, by its name; `num_players` among them, and `reward` if the game has
            others than REWARDS.
        ranges: The least and the greatest value of each option that is an integer.

    Raises:
        OptionError: A value that is not allowed.
    """
    for name, allowed in choices.items():
        check_choice(name, getattr(options, name), allowed)
    if hasattr(options, "first_player"):
        check_choice("first_player", options.first_player, ("random", *range(options.num_players)))
    check_choice("reward", options.reward, choices.get("reward", REWARDS))
    check_choice("ask_forced", options.ask_forced, (False, True))
    for name, (low, high) in ranges.items():
        check_range(name, getattr(options, name), low, high)


def check_seed(name: str, value: Any) -> int:
    """The seed as an int. OptionError unless it is an integer from 0 to 2**64-1."""
    if not is_integer(value) or not 0 <= value < 2**64:
        raise OptionError(f"{name}: {value!r}, but an integer from 0 to 2**64-1 is allowed")
    return index(value)


def is_list(value: Any) -> TypeGuard[Sequence[Any] | np.ndarray]:
    """Whether it is a sequence of values, such as a seed for each game; a text is one value."""
    return (
        value.ndim > 0 if isinstance(value, np.ndarray) else isinstance(value, Sequence) and not isinstance(value, str)
    )


def check_seeds(name: str, values: Any, count: int) -> np.ndarray:
    """(count,) uint64, new: a seed for each game, each checked as by `check_seed`."""
    if isinstance(values, np.ndarray):
        values = as_array(name, values)
    shape = values.shape if isinstance(values, np.ndarray) else (len(values),)
    if shape != (count,):
        raise OptionError(f"{name}: shape {shape}, but ({count},) is needed")
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
        values = np.array([check_seed(f"{name}[{number}]", value) for number, value in enumerate(values)], np.uint64)
    if values.min() < 0:
        check_seed(f"{name}[{values.argmin()}]", values.min())
    return values.astype(np.uint64)


def reward_range(reward: str, num_players: int, max_points: int) -> tuple[float, float]:
    """The least and the greatest reward of one seat; the least is that of an illegal action that ends the game."""
    return {
        "win": (-1.0, 1.0 - 1.0 / num_players),
        "rank": (-1.0, 1.0),
        "margin": (-float(max_points), float(max_points)),
    }[reward]
