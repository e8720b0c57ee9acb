"""The keys of a config in words: what each means, what it may be, its default."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from w51_agents.console.settings import to_yaml
from w51_agents.training.config import config_data
from w51_agents.training.settings import TrainingConfig

_PART = 110  # columns of a comment
_NAMES = {str: "text", int: "integer", float: "number", bool: "`true` or `false`", type(None): "`null`"}
_NO_LIMIT = 2**31 - 1  # what only bounds the memory is not said
_LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


class Key(NamedTuple):
    """A key of a config.

    Attributes:
        name: With its sections: `ppo.update_epochs`; `selfplay.games[].num_envs` is a key of each item of a list.
        type: What it may be, in words.
        default: As YAML; empty if the key must be given.
        meaning: A sentence.
    """

    name: str
    type: str
    default: str
    meaning: str


def keys_of(model: type[BaseModel], section: str = "") -> Iterator[Key]:
    """All keys of a config or of a section of one."""
    for name, field in model.model_fields.items():
        if isinstance(inner := field.annotation, type) and issubclass(inner, BaseModel):
            yield from keys_of(inner, f"{section}{name}.")
        else:
            default = "" if field.is_required() else _yaml(field.get_default(call_default_factory=True))
            yield Key(f"{section}{name}", _type(field.annotation, field.metadata), default, field.description or "")
            if (item := _models_in(field.annotation)) is not None:
                yield from keys_of(item, f"{section}{name}[].")


def explained(config: TrainingConfig) -> str:
    """All settings as YAML, as `load_config` reads it, with a comment above each key."""
    return "\n".join(_lines(config, config_data(config), 0)) + "\n"


def _lines(model: BaseModel, data: dict[str, Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for name, field in type(model).model_fields.items():
        if field.description:
            yield from (
                f"{indent}# {line}"
                for line in wrap(field.description, _PART, break_long_words=False, break_on_hyphens=False)
            )
        inner = getattr(model, name)
        if isinstance(inner, BaseModel):
            yield f"{indent}{name}:"
            yield from _lines(inner, data[name], depth + 1)
        else:
            text = to_yaml({name: data[name]}).rstrip()
            yield from (f"{indent}{line}" for line in text.splitlines())


def _type(annotation: Any, metadata: Sequence[Any] = ()) -> str:
    """A type with its limits, in words: `integer, at least 1`."""
    if get_origin(annotation) is Annotated:
        inner, *more = get_args(annotation)
        return _type(inner, [*metadata, *more])
    constraints = [part for one in metadata for part in (one.metadata if isinstance(one, FieldInfo) else [one])]
    limits = [
        f"{text} {value:,}"
        for one in constraints
        for limit, text in _LIMITS.items()
        if (value := getattr(one, limit, _NO_LIMIT)) < _NO_LIMIT
    ]
    return ", ".join([_name(annotation), *limits])


def _name(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " or ".join(f"`{value}`" for value in arguments)
    if origin in (Union, UnionType):
        return " or ".join(map(_type, arguments))
    if origin in (tuple, list):
        return f"list of {_type(arguments[0])}"
    if origin is dict:
        return "mapping"
    if (model := _models_in(annotation)) is not None:
        return f"mapping with {', '.join(f'`{name}`' for name in model.model_fields)}"
    return _NAMES.get(annotation, "anything")


def _models_in(annotation: Any) -> type[BaseModel] | None:
    """The model of which a list, or a key, is made."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((model for inner in get_args(annotation) if (model := _models_in(inner)) is not None), None)


def _yaml(value: Any) -> str:
    if isinstance(value, tuple):
        value = [item.model_dump(mode="json") if isinstance(item, BaseModel) else item for item in value]
    return to_yaml(value, default_flow_style=True).removesuffix("\n").removesuffix("\n...")
