"""Settings as a person writes them: `key=value` on a command line, and the mistakes in a file or a set of options."""

from collections.abc import Iterator
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from w51_env.core.errors import OptionError, W51Error, nearest


def parse_change(change: str, what: str, error_type: type[W51Error] = OptionError) -> tuple[str, Any]:
    """`reserve=15` as `("reserve", 15)`; the value is YAML.

    Args:
        change: The text.
        what: What it is, for messages.
        error_type: The error of a text without a key, or of a value that is not YAML.
    """
    key, separator, text = change.partition("=")
    if not separator or not key:
        raise error_type(f"{what} {change!r}: key=value is needed")
    try:
        return key, yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise error_type(f"{what} {change!r}: the value is not valid YAML: {error}") from None


def game_options(players: int | None, preset: str | None, changes: list[str]) -> dict[str, Any]:
    """The options of a game from `--players`, `--preset` and `--option`; OptionError if two of them differ."""
    options = dict(parse_change(change, "--option") for change in changes)
    for flag, key, value in (("--players", "num_players", players), ("--preset", "preset", preset)):
        if value is not None and options.setdefault(key, value) != value:
            raise OptionError(f"{key}: {flag} has {value!r}, but --option {options[key]!r}; give one of them")
    return options


def mistakes_of(error: ValidationError, model: type[BaseModel]) -> Iterator[str]:
    """A sentence for each mistake in the data of a model; an unknown key comes with the nearest known one."""
    for mistake in error.errors():
        path = ".".join(map(str, mistake["loc"]))
        if mistake["type"] == "extra_forbidden":
            known = _keys_at(model, mistake["loc"][:-1])
            yield f"{path}: unknown key{nearest(str(mistake['loc'][-1]), known)}; known are {', '.join(known)}"
        elif mistake["type"] == "missing":
            yield f"{path}: missing"
        else:
            message = mistake["msg"].replace("tuple", "list").replace("Tuple", "List")  # in YAML it is a list
            yield f"{path}: {mistake['input']!r}: {message[0].lower()}{message[1:]}"


def _keys_at(model: Any, sections: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in a section."""
    for section in sections:
        if isinstance(section, str):  # a number is an index in a list
            model = model.model_fields[section].annotation
            model = get_args(model)[0] if get_args(model) else model
    return list(model.model_fields)
