"""JSON of others without surprises."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from w51_env.engine.plain_data import in_short, parse_integer

JsonObject = Mapping[str, Any]  # of a file of any age or hand: what reads it checks its keys, with words for each error
_SURROGATE = "\\ud"  # how the escape of half a letter begins


def parse_json(text: str) -> Any:
    """The data of a JSON text; ValueError if it is none, is nested too deep, an object has a key twice, an integer is
    one that `parse_integer` refuses, or a text has half a letter.
    """
    try:
        data = json.loads(text, object_pairs_hook=_unique, parse_int=parse_integer)
        if _SURROGATE in text.lower():  # else there is none
            json.dumps(data, ensure_ascii=False).encode()
        return data
    except UnicodeEncodeError:
        raise ValueError("half a letter (a lone surrogate), but text is needed") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    except RecursionError:
        raise ValueError("not JSON: nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique: dict[str, Any] = {}
    for key, value in pairs:
        if key in unique:
            first, then = in_short(unique[key]), in_short(value)
            raise ValueError(f"{key}: used twice in one object, first as {first}, then as {then}")
        unique[key] = value
    return unique


def differences(before: Any, now: Any) -> str:
    """The values that are others in nested objects, by their keys with dots; empty if there are none.

    Raises:
        ValueError: They are nested too deep.
    """
    try:
        old, new = ({key: repr(value) for key, value in _leaves(data)} for data in (before, now))
    except RecursionError:
        raise ValueError("nested too deep") from None
    keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    return "; ".join(
        f"{key} was {old.get(key, 'missing'):.80}, but is {new.get(key, 'missing'):.80}" for key in keys[:5]
    )


def _leaves(data: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    else:
        yield name, data
