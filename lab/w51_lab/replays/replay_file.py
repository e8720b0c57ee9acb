"""The text of a replay file (JSON): how it is read, checked and written. What it says is checked by `Replay.verify`."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from w51_agents.system.files import read_text
from w51_agents.system.json_text import JsonObject, parse_json
from w51_env.engine.errors import OptionError, ReplayError, nearest
from w51_env.engine.options import check_seed
from w51_env.engine.plain_data import in_short

SCHEMA = 2
_REQUIRED = {
    "schema": int,
    "game": str,
    "options": dict,
    "digests": dict,
    "seed": int,
    "controllers": list,
    "moves": list,
    "final": dict,
}
_SEAT_DIGITS = 2
_OPTIONAL = {"players": list, "metadata": dict, "start": dict}
_DIGESTS = {"options": str, "tables": str}
_FINAL = {"over": bool, "scores": list, "digest": str}
_WORDS = {int: "an integer", str: "a text", dict: "an object", list: "a list", bool: "true or false"}


def read_replay_text(path: Path, limit: int) -> str:
    """The text of a file; ReplayError if it cannot be read, has more than `limit` bytes or is not UTF-8."""
    try:
        return read_text(path, limit)
    except OSError as error:
        raise ReplayError(f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ReplayError(f"not JSON: {error}") from None
    except ValueError as error:  # too large, or a path with a NUL character
        raise ReplayError(f"cannot be read: {error}") from None


def parse_replay(text: str) -> JsonObject:
    """The data of a replay's text: all keys, each value of its type, `moves` as pairs of a seat and an action's name.

    Raises:
        ReplayError: The text is no replay; the message names the key, the value and what is needed.
    """
    data = read_json(text)
    if isinstance(data, dict) and data.get("schema", SCHEMA) != SCHEMA:  # first: another schema has other keys
        raise ReplayError(f"schema: {in_short(data['schema'])}, but this version reads {SCHEMA}")
    if isinstance(data, dict) and not data.keys() & {"schema", "moves"}:
        raise ReplayError("no replay: neither schema nor moves are in it")
    check_object("", data, _REQUIRED, _OPTIONAL)
    data = {"players": [], "metadata": {}, "start": None, **data}
    try:
        check_seed("seed", data["seed"])
    except OptionError as error:
        raise ReplayError(str(error)) from None
    for name, value in data["options"].items():
        if isinstance(value, dict | list):
            raise ReplayError(f"options.{name}: {in_short(value)}, but a text, a number, true, false or null is needed")
    check_object("digests.", data["digests"], _DIGESTS)
    check_object("final.", data["final"], _FINAL)
    check_items("final.scores", data["final"]["scores"], int)
    for key in ("controllers", "players", "moves"):
        check_items(key, data[key], str)
    return {**data, "moves": [parse_move(f"moves[{index}]", move) for index, move in enumerate(data["moves"])]}


def parse_move(where: str, text: Any) -> tuple[int, str]:
    """The seat and the name of the action in a move; ReplayError, which begins with `where`, if it is none."""
    seat, separator, action = text.partition(" ") if isinstance(text, str) else ("", "", "")
    if not (seat.isdecimal() and len(seat) <= _SEAT_DIGITS and separator and action):
        raise ReplayError(f"{where}: {text!r}, but a seat and an action are needed, as '2 bid_13'")
    return int(seat), action


def encode_replay(data: JsonObject, path: str | os.PathLike[str]) -> bytes:
    """The file of a replay's data, one line for each key and move; `path` is named in errors.

    Raises:
        ReplayError: A value is not plain data.
    """
    moves = ",\n  ".join(json.dumps(move) for move in data["moves"])
    rest = {"schema": SCHEMA, **{key: value for key, value in data.items() if key != "moves"}}
    try:
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in rest.items()]
        return ("{\n " + ",\n ".join(lines) + f',\n "moves": [\n  {moves}\n ]\n}}\n').encode()
    except (TypeError, ValueError) as error:
        raise ReplayError(f"{os.fspath(path)}: options, players or metadata are not plain data: {error}") from None


def read_json(text: str) -> Any:
    """The data of a JSON text; ReplayError if it is none that `parse_json` accepts."""
    try:
        return parse_json(text)
    except ValueError as error:
        raise ReplayError(str(error)) from None


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
