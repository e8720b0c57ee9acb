"""What the server of the web table and its page send each other, from the types in `w51_table.web`.

A JSON schema, the types with which `tsc` checks the page's JavaScript, and docs/messages.md.
"""

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from docs import _tables
from w51_lab.replay_viewer.game_page import Film
from w51_table.web import message_types, messages
from w51_table.web.answer_types import Mistake
from w51_table.web.app import changing, reading
from w51_table.web.day_requests import PlayDay
from w51_table.web.new_game import NewTable
from w51_table.web.outgoing import answer_type
from w51_table.web.server import Server, ServerSettings
from w51_table.web.study_requests import Again

PAGE, SCHEMA, TYPES = "docs/messages.md", "table/messages.schema.json", "table/messages.d.ts"
_BODIES = {"tables": NewTable, "days/{game}": PlayDay, "replays/{name}/{step}/again": Again}
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_NAME = re.compile(r"#/\$defs/(\w+)")

_INTRO = """# Messages of the web table

What the server and its page send each other, made from the types in `table/w51_table/web`: `message_types.py` and
`answer_types.py` for what is sent, `messages.py` for what comes in. The server sends and takes nothing else. The same
as a [JSON schema](../table/messages.schema.json), and as [types](../table/messages.d.ts) with which `bash bin/test`
checks the page's JavaScript. They change without notice: the page is part of the package. A page of one game
(`w51 play export`) contains a [Film](#film).

## A table

A WebSocket at `/ws`; `Hello` comes first.

{ways}

## Requests

All paths begin with `/api/`. An error has the status 400 and a [Mistake](#mistake).

"""

Json = dict[str, Any]


def pages() -> dict[str, str]:
    """The schema, the types, and the page."""
    schema = _schema()
    return {
        SCHEMA: _schema_file(schema),
        TYPES: _types(schema),
        PAGE: _page(schema),
    }


def _routes(handlers: Mapping[str, Callable[..., Any]]) -> dict[str, Any]:
    """The type of each answer, by the path of the request; None: it is a file."""
    return {re.sub(r":\w+}", "}", path): answer_type(handle) for path, handle in handlers.items()}


def _schema() -> Json:
    """All messages as one JSON schema; `unions` has those of a WebSocket, `requests` answer and body of each path."""
    server = Server(ServerSettings(Path()))  # nothing is made there
    routes = {"GET": _routes(reading(server)), "POST": _routes(changing(server))}
    unions = {"Sent": message_types.Sent, "Received": messages.Received, "ActionGroup": message_types.ActionGroup}
    answers = {f"{method} {path}": made for method, paths in routes.items() for path, made in paths.items() if made}
    bodies = {f"body of POST {path}": model for path, model in _BODIES.items()}
    inputs = [
        (name, "validation" if name == "Received" or name in bodies else "serialization", TypeAdapter(made))
        for name, made in {**unions, "Mistake": Mistake, "Film": Film, **answers, **bodies}.items()
    ]
    found, defined = TypeAdapter.json_schemas(inputs)  # type: ignore[arg-type] # the modes are literals
    by_name = {name: schema for (name, _), schema in found.items()}
    for schema in defined["$defs"].values():
        schema["description"] = " ".join(schema.get("description", "").partition("\n\n")[0].split())
        for field in schema.get("properties", {}).values():
            field.pop("title", None)
            field |= {"description": " ".join(field["description"].split())} if "description" in field else {}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages of the web table",
        "unions": {name: by_name[name] for name in unions},
        "requests": {
            method: {
                path: {
                    "answer": by_name.get(f"{method} {path}"),
                    **({"body": by_name[body]} if (body := f"body of {method} {path}") in by_name else {}),
                }
                for path in paths
            }
            for method, paths in routes.items()
        },
        "$defs": defined["$defs"],
    }


def _schema_file(schema: Json) -> str:
    """The schema as JSON, a line for each type."""
    types = ",\n".join(f'"{name}": {json.dumps(model)}' for name, model in schema["$defs"].items())
    return json.dumps({**schema, "$defs": {}}, indent=1).replace('"$defs": {}', f'"$defs": {{\n{types}\n}}') + "\n"


# ---- types of JavaScript


def _types(schema: Json) -> str:
    lines = [
        "// Made by docs/generate.py from the types in w51_table/web: what the server and the page send each other.",
        "",
    ]
    lines.append("declare namespace Server {")
    for name, model in sorted(schema["$defs"].items()):
        lines += [f"  /** {model['description']} */"] if model["description"] else []
        if "properties" not in model:
            lines.append(f"  type {name} = {_ts(model, schema)};")
            continue
        lines.append(f"  interface {name} {{")
        for field, made, is_needed, about in _fields(model):
            lines += [f"    /** {about} */"] if about else []
            lines.append(f"    {field}{'' if is_needed else '?'}: {_ts(made, schema)};")
        lines.append("  }")
    lines += [f"  type {name} = {_ts(made, schema)};" for name, made in schema["unions"].items()]
    for name, method in (("Reading", "GET"), ("Changing", "POST")):
        lines.append(f"  interface {name} {{")
        for path, request in schema["requests"][method].items():
            answer = _ts(request["answer"], schema) if request["answer"] else "unknown"
            lines.append(f'    "{path}": {answer};')
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _fields(model: Json) -> Iterator[tuple[str, Json, bool, str]]:
    """Name, schema, whether it is always there, and what it is, of each field."""
    needed = model.get("required", ())
    for name, made in model.get("properties", {}).items():
        yield name, made, name in needed, made.get("description", "")


def _ts(made: Json, schema: Json) -> str:
    """A schema as a type of TypeScript."""
    if "$ref" in made:
        return _NAME.findall(made["$ref"])[0]
    if "const" in made or "enum" in made:
        return " | ".join(json.dumps(value) for value in made.get("enum", [made.get("const")]))
    if parts := made.get("anyOf") or made.get("oneOf"):
        return " | ".join(dict.fromkeys(_member(part, parts, schema) for part in parts))
    if "prefixItems" in made:
        return f"[{', '.join(_ts(item, schema) for item in made['prefixItems'])}]"
    if made.get("type") == "array":
        item = _ts(made["items"], schema) if made.get("items") else "any"
        return f"({item})[]" if " " in item else f"{item}[]"
    if made.get("type") == "object":
        values = made.get("additionalProperties")
        return f"{{ [name: string]: {_ts(values, schema) if isinstance(values, dict) and values else 'any'} }}"
    return _PLAIN.get(made.get("type", ""), "any")


def _member(part: Json, parts: list[Json], schema: Json) -> str:
    """A member of a union; of objects without a `type` one that lacks the fields of the others, so that a field tells
    them apart.
    """
    objects = [schema["$defs"][name] for one in parts for name in _NAME.findall(one.get("$ref", ""))]
    if "$ref" not in part or len(objects) < 2 or all("type" in one["properties"] for one in objects):
        return _ts(part, schema)
    own = schema["$defs"][_NAME.findall(part["$ref"])[0]]["properties"]
    others = sorted({name for one in objects for name in one["properties"]} - set(own))
    return f"({_ts(part, schema)} & {{ {'; '.join(f'{name}?: undefined' for name in others)} }})"


# ---- the page


def _page(schema: Json) -> str:
    sent = _names(schema["unions"]["Sent"])
    received = _names(schema["unions"]["Received"])
    ways = [f"- The page sends {_listed(received)}.", f"- The server sends {_listed(sent)}."]
    text = _INTRO.format(ways="\n".join(_wrapped(way, "  ") for way in ways))
    rows = [
        (f"{method} `{path}`", _md(request["body"]) if "body" in request else "", _answer(request["answer"]))
        for method, paths in schema["requests"].items()
        for path, request in paths.items()
    ]
    text += _tables.table(("request", "body", "answer"), rows) + "\n\n## Types\n"
    for name, model in sorted(schema["$defs"].items()):
        text += f"\n### {name}\n" + (f"\n{_wrapped(model['description'])}\n" if model["description"] else "")
        text += "" if "properties" in model else f"\nIt is {_md(model)}.\n"
        rows = [(f"`{field}`{'' if needed else ' (optional)'}", _md(made), about)
                for field, made, needed, about in _fields(model)]  # fmt: skip
        shown = 3 if any(about for _, _, about in rows) else 2
        if rows:
            text += f"\n{_tables.table(('field', 'type', 'meaning')[:shown], [row[:shown] for row in rows])}\n"
    return text


def _answer(made: Json | None) -> str:
    return "a file" if made is None else _md(made)


def _names(made: Json) -> list[str]:
    return [name for one in made["oneOf" if "oneOf" in made else "anyOf"] for name in _NAME.findall(one["$ref"])]


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _listed(names: list[str]) -> str:
    return ", ".join(f"[{name}](#{name.lower()})" for name in names)


def _md(made: Json) -> str:
    """A schema in words, with links."""
    if "$ref" in made:
        return _listed(_NAME.findall(made["$ref"]))
    if "const" in made or "enum" in made:
        return " or ".join(f"`{json.dumps(value)}`" for value in made.get("enum", [made.get("const")]))
    if parts := made.get("anyOf") or made.get("oneOf"):
        return " or ".join(dict.fromkeys(map(_md, parts)))
    if "prefixItems" in made:
        return f"({', '.join(map(_md, made['prefixItems']))})"
    if made.get("type") == "array":
        return f"list of {_md(made.get('items', {}))}"
    if made.get("type") == "object":
        return "object"
    return str(made.get("type", "anything"))
