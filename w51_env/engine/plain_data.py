"""Texts of others: TOML without surprises, values in short, and names in which a reader sees every letter."""

import json
import re
import tomllib
from typing import Any

MAX_TOML = 100_000  # characters of a text
MAX_DIGITS = 40  # of an integer of others: no longer one is needed, and Python refuses to print one of 5,000
_MAX_TOML_LINE = 1000  # a key of many parts takes a time that grows with the square of its length
# Letters without ink beside those that `str.isprintable` refuses: controls, marks of direction, zero-width letters.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)


def is_clear(text: str) -> bool:
    """Whether a reader sees every letter of a line, in its order: no controls, bidi marks or zero-width letters."""
    return text.isprintable() and not _UNSEEN.search(text)


def parse_integer(text: str) -> int:
    """The integer in a text; ValueError if it is none, or has more than 40 digits."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise ValueError(f"{in_short(text)}, but an integer is needed")
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"an integer of {len(digits):,} digits, but at most {MAX_DIGITS} are allowed")
    return int(text)


def parse_toml(text: str) -> dict[str, Any]:
    """The data of a TOML text; ValueError if it is none, is nested too deep, or has more than 100,000 characters or a
    line of more than 1,000.
    """
    if len(text) > MAX_TOML:
        raise ValueError(f"{len(text):,} characters, but at most {MAX_TOML:,} are allowed")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > _MAX_TOML_LINE:
            raise ValueError(f"line {number} has {len(line):,} characters, but at most {_MAX_TOML_LINE:,} are allowed")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def in_short(value: Any) -> str:
    """The value as JSON, cut off where it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]} ..."
