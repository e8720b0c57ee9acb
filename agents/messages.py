"""Messages for users of the scripts: errors, and the mistakes in data that a user wrote."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.text import Text

from w51_env.core.errors import nearest


def print_error(error: Exception) -> None:
    """Print a message to the standard error stream as it is, without markup such as that of `w51_env[sb3]`."""
    Console(stderr=True).print(Text.assemble(("error: ", "red"), str(error)), soft_wrap=True)


def mistakes_of(error: ValidationError, model: type[BaseModel]) -> Iterator[str]:
    """A sentence for each mistake in the data of a model; an unknown key comes with the nearest known one."""
    for mistake in error.errors():
        path = ".".join(map(str, mistake["loc"]))
        if mistake["type"] == "extra_forbidden":
            known = _keys_at(model, mistake["loc"][:-1])
            yield f"{path}: unknown key{nearest(str(mistake['loc'][-1]), known)}; known are {', '.join(known)}"
        elif mistake["type"] == "missing":
            yield f"{path}: missing"
        else:
            message = mistake["msg"].replace("tuple", "list").replace("Tuple", "List")  # in YAML it is a list
            yield f"{path}: {mistake['input']!r}: {message[0].lower()}{message[1:]}"


def _keys_at(model: Any, sections: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in a section."""
    for section in sections:
        if isinstance(section, str):  # a number is an index in a list
            model = model.model_fields[section].annotation
            model = get_args(model)[0] if get_args(model) else model
    return list(model.model_fields)
