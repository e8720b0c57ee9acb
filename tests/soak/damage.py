"""Damaged and strange files for a reader: changes of bytes, and of the values in JSON, TOML and YAML texts."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Restructure = Callable[[bytes, random.Random], bytes]

STRANGE: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2**31, -(2**63), 2**64, 10**30, 1e308, float("nan"), float("inf")),
    *("", "\x00", "\ud800", "a" * 100_000, "../../etc/passwd", "os:system", "é\u202e\x1b[31m", "=1+1"),
    *([], {}, [[]], [None] * 1000, {"": None}, {"a": {"a": {"a": 1}}}),
)
TOKENS = (
    *(b"\x00", b"\xff\xfe", b"\n", b'"', b"{", b"}", b"[", b"]", b"nan", b"1e999", b"-"),
    *(b"!!python/object:os.system", b"&a *a"),
)


def damaged(content: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    """A copy with one to four changes: bits, tokens, cuts, repeats, swaps, parts of another file."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 4, 64, 4096)))
        match chance.randrange(7):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                data[at:at] = chance.choice(TOKENS) * chance.choice((1, 1, 1, 3000))
            case 2:
                del data[at:end]
            case 3:
                del data[at:]
            case 4:
                data[at:at] = data[at:end]
            case 5:
                data[at:end] = chance.randbytes(end - at)
            case _:
                other = chance.choice(others)
                start = chance.randrange(len(other) + 1)
                data[at:end] = other[start : start + end - at]
    return bytes(data)


def restructured(data: Any, chance: random.Random) -> Any:
    """A copy of plain data with one to three strange, missing, additional, swapped or nested values."""
    data = deepcopy(data)
    for _ in range(chance.randint(1, 3)):
        nodes = list(_containers(data))
        if not nodes:
            return chance.choice(STRANGE)
        node = chance.choice(nodes)
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        match chance.randrange(6):
            case 0 | 1 if keys:
                node[chance.choice(keys)] = deepcopy(chance.choice(STRANGE))
            case 2 if keys:
                del node[chance.choice(keys)]
            case 3 if len(keys) > 1:
                one, other = chance.sample(keys, 2)
                node[one], node[other] = node[other], node[one]
            case 4 if keys:
                nested: Any = node[chance.choice(keys)]
                for _ in range(chance.choice((1, 50, 900))):
                    nested = [nested]
                node[chance.choice(keys)] = nested
            case _ if isinstance(node, dict):
                node[chance.choice(("", "extra", "__class__", "game", "schema"))] = deepcopy(chance.choice(STRANGE))
            case _:
                node.append(deepcopy(chance.choice(STRANGE)))
    return data


def _containers(data: Any) -> Any:
    stack = [data]
    while stack:
        node = stack.pop()
        if isinstance(node, dict | list) and node:
            yield node
            stack += node.values() if isinstance(node, dict) else node


def as_json(data: Any) -> bytes:
    """JSON; lone surrogates stay, escaped."""
    return json.dumps(data).encode()


def as_yaml(data: Any) -> bytes:
    """YAML."""
    return yaml.safe_dump(data, allow_unicode=False).encode("utf-8", "replace")


def as_toml(data: Any) -> bytes:
    """TOML of a relic file: keys of the head, then the relics; values as JSON, which is TOML for most of them."""
    if not isinstance(data, dict):
        return as_json(data)
    lines = [f"{key or '_'} = {_toml(value)}" for key, value in data.items() if key != "relic"]
    relics = data.get("relic", [])
    if not isinstance(relics, list):
        lines.append(f"relic = {_toml(relics)}")
        relics = []
    for relic in relics:
        lines.append("[[relic]]")
        lines += [f"{key or '_'} = {_toml(value)}" for key, value in relic.items()] if isinstance(relic, dict) else []
    return "\n".join(lines).encode("utf-8", "replace")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return "''" if value is None else json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")


@dataclass
class Reader:
    """A function that reads a file that people may have from others.

    Attributes:
        name: For messages.
        path: Where the file is put before it is read.
        read: Reads it.
        corpus: Contents that are accepted.
        restructure: Makes a strange file with correct syntax, and correct digests where it has some.
    """

    name: str
    path: Path
    read: Callable[[], object]
    corpus: list[bytes] = field(default_factory=list)
    restructure: Restructure | None = None


def plain(parse: Callable[[bytes], Any], write: Callable[[Any], bytes]) -> Restructure:
    """Strange values in plain data."""
    return lambda content, chance: write(restructured(parse(content), chance))


def file_of(reader: Reader, seed: int) -> bytes:
    """The file that a seed stands for."""
    chance = random.Random(seed)
    content = chance.choice(reader.corpus)
    if reader.restructure is not None and chance.random() < 0.6:
        with suppress(RecursionError, ValueError, yaml.YAMLError):  # what cannot be written
            return reader.restructure(content, chance)
    return damaged(content, chance, reader.corpus)
