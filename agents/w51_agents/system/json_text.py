"""JSON of others without surprises."""

import json
from typing import Any

from w51_env.engine.plain_data import in_short, parse_integer

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
