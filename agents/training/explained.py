"""The keys of a config in words: what each means, what it may be, its default."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from w51_env.agents.training.config import config_data
from w51_env.agents.training.settings import TrainingConfig

_PART = 110  # columns of a comment


class Key(NamedTuple):
    """A key of a config.

    Attributes:
        name: With its sections: `ppo.update_epochs`.
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
        inner = _section(field)
        if inner is not None:
            yield from keys_of(inner, f"{section}{name}.")
        else:
            default = "" if field.is_required() else _yaml(field.get_default(call_default_factory=True))
            yield Key(f"{section}{name}", _type(field), default, field.description or "")


def explained(config: TrainingConfig) -> str:
    """All settings as YAML, as `load_config` reads it, with a comment above each key."""
    return "\n".join(_lines(config, config_data(config), 0)) + "\n"


def _lines(model: BaseModel, data: dict[str, Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for name, field in type(model).model_fields.items():
        if field.description:
            yield from (f"{indent}# {line}" for line in _wrapped(field.description))
        inner = getattr(model, name)
        if isinstance(inner, BaseModel):
            yield f"{indent}{name}:"
            yield from _lines(inner, data[name], depth + 1)
        else:
            text = yaml.safe_dump({name: data[name]}, sort_keys=False, allow_unicode=True).rstrip()
            yield from (f"{indent}{line}" for line in text.splitlines())


def _wrapped(text: str) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= _PART:
            yield line
            line = ""
        line = f"{line} {word}".strip()
    yield line


def _section(field: FieldInfo) -> type[BaseModel] | None:
    annotation = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _type(field: FieldInfo) -> str:
    """The type with its limits: `int, at least 1`."""
    annotation = field.annotation
    name = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    for long, short in (("typing.", ""), ("NoneType", "null"), ("None", "null"), ("tuple[", "list["), (", ...]", "]")):
        name = name.replace(long, short)
    name = name.removeprefix("<class '").removesuffix("'>")
    if "Annotated[" in name or "FieldInfo" in name:
        name = "list" if "list[" in name or "tuple" in name else "text"
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    limits = [
        f"{text} {getattr(one, limit)}"
        for one in field.metadata
        for limit, text in words.items()
        if hasattr(one, limit)
    ]
    return ", ".join([name, *limits])


def _yaml(value: Any) -> str:
    if isinstance(value, tuple):
        value = [item.model_dump(mode="json") if isinstance(item, BaseModel) else item for item in value]
    return yaml.safe_dump(value, default_flow_style=True).removesuffix("\n").removesuffix("\n...")
