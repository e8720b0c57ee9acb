"""Checks of plain data read from a replay. Each error is a ReplayError with the key, the value and what is needed."""

import json
from collections.abc import Mapping
from typing import Any

from w51_env.core.errors import ReplayError, nearest

_WORDS = {int: "an integer", str: "a text", dict: "an object", list: "a list", bool: "true or false"}


def read_json(text: str) -> Any:
    """The data of a JSON text.

    Raises:
        ReplayError: The text is not JSON, or an object has a key twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except ReplayError:
        raise
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"not JSON: {error}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique: dict[str, Any] = {}
    for key, value in pairs:
        if key in unique:
            raise ReplayError(
                f"{key}: used twice in one object, first as {in_short(unique[key])}, then as {in_short(value)}"
            )
        unique[key] = value
    return unique


def check_object(
    where: str, data: Any, required: Mapping[str, type], optional: Mapping[str, type] | None = None
) -> None:
    """ReplayError unless an object has all required keys, no unknown ones, and each value is of its type."""
    known = {**required, **(optional or {})}
    if not isinstance(data, dict):
        raise ReplayError(
            f"{where.rstrip('.') or 'file'}: {in_short(data)}, but an object with {', '.join(required)} is needed"
        )
    for key in data:
        if key not in known:
            raise ReplayError(f"{where}{key}: unknown key; allowed are {', '.join(known)}{nearest(key, known)}")
    for key in required:
        if key not in data:
            raise ReplayError(f"{where}{key}: missing; {_WORDS[known[key]]} is needed")
    for key, value in data.items():
        check_type(where + key, value, known[key])


def check_items(where: str, items: list[Any], kind: type) -> None:
    """ReplayError unless every item is of this type."""
    for index, item in enumerate(items):
        check_type(f"{where}[{index}]", item, kind)


def check_type(where: str, value: Any, kind: type) -> None:
    """ReplayError unless the value is of this type; True and False are not integers."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ReplayError(f"{where}: {in_short(value)}, but {_WORDS[kind]} is needed")


def in_short(value: Any) -> str:
    """The value as JSON, cut off where it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."
