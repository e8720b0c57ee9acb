"""Settings as a person writes them: `key=value` on a command line, and the mistakes in a file or a set of options."""

import re
from collections.abc import Hashable
from typing import Any, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from w51_env.engine.errors import OptionError, W51Error, few, nearest

_INTEGERS = range(-(2**63), 2**64)
_MAX_YAML = 200_000  # characters of a text, which is read at some 30,000 a second
_MAX_VALUE = 200  #  letters of a value in a message


class _Loader(yaml.SafeLoader):
    """A safe loader of plain data of bounded size, with the numbers of YAML 1.2: 1e5 is one, 1:30 is none.

    There are no aliases: a few lines of them stand for any number of values. No key is given twice. Integers have at
    most 64 bits.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.composer.ComposerError(None, None, f"alias {event.anchor!r} is not allowed", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        mapping = super().construct_mapping(node, deep)
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return mapping

    def construct_integer(self, node: Any) -> int:
        value = int(node.value)
        if value not in _INTEGERS:
            problem = f"integer {node.value[:20]} ... is beyond 64 bits"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return value


class _Dumper(yaml.SafeDumper):
    """Writes texts with quotes where `_Loader` would take them for numbers."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":int", ":float", ":timestamp"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _kind, _pattern in {  # `int` first: a float may look like one
    "int": r"[-+]?[0-9]+(_[0-9]+)*",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(_[0-9]+)*(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
}.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(f"^({_pattern})$"), "-+0123456789.")
_Dumper.yaml_implicit_resolvers = _Loader.yaml_implicit_resolvers
_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_integer)


def to_yaml(data: Any, **style: Any) -> str:
    """Plain data as YAML, as `parse_yaml` reads it."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, **style)


def parse_yaml(text: str, what: str, error_type: type[W51Error] = OptionError) -> Any:
    """The plain data in a YAML text, which may be untrusted; an error, which says what it is, if there is none."""
    if len(text) > _MAX_YAML:
        raise error_type(f"{what} {len(text):,} characters, but at most {_MAX_YAML:,} are allowed")
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError, RecursionError, ArithmeticError, LookupError, AttributeError) as error:
        raise error_type(f"{what} not valid YAML: {error}") from None


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
    return key, parse_yaml(text, f"{what} {change!r}: the value is", error_type)


def game_options(players: int | None, preset: str | None, changes: list[str]) -> dict[str, Any]:
    """The options of a game from `--players`, `--preset` and `--option`; OptionError if two of them differ."""
    options = dict(parse_change(change, "--option") for change in changes)
    for flag, key, value in (("--players", "num_players", players), ("--preset", "preset", preset)):
        if value is not None and options.setdefault(key, value) != value:
            raise OptionError(f"{key}: {flag} has {value!r}, but --option {options[key]!r}; give one of them")
    return options


def mistakes_of(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """A sentence for each mistake in the data of a model, as of `few`; an unknown key has the nearest known one."""
    return few(_sentence(dict(mistake), model) for mistake in error.errors())


def _sentence(mistake: dict[str, Any], model: type[BaseModel]) -> str:
    path = _in_short(".".join(map(str, mistake["loc"])))
    if mistake["type"] == "extra_forbidden":
        known = _keys_at(model, mistake["loc"][:-1])
        return f"{path}: unknown key{nearest(_in_short(str(mistake['loc'][-1])), known)}; known are {', '.join(known)}"
    if mistake["type"] == "missing":
        return f"{path}: missing"
    message = mistake["msg"].replace("tuple", "list").replace("Tuple", "List")  # in YAML it is a list
    return f"{path}: {_in_short(repr(mistake['input']))}: {message[0].lower()}{message[1:]}"


def _in_short(text: str) -> str:
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]} ..."


def _keys_at(model: Any, sections: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in a section."""
    for section in sections:
        if isinstance(section, int):  # an index in a list
            continue
        if get_origin(model) is dict:
            model = get_args(model)[1]
        else:
            model = model.model_fields[section].annotation
            model = get_args(model)[0] if get_origin(model) is not dict and get_args(model) else model
    return list(model.model_fields)
