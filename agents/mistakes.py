"""What is wrong with data that a user wrote, in words."""

from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from w51_env.core.errors import nearest


def mistakes_of(error: ValidationError, model: type[BaseModel]) -> Iterator[str]:
    """A sentence for each mistake that was found in the data of a model, with the nearest key where one is not known."""
    for mistake in error.errors():
        place = ".".join(map(str, mistake["loc"]))
        if mistake["type"] == "extra_forbidden":
            known = _keys_at(model, mistake["loc"][:-1])
            yield f"{place}: unknown key{nearest(str(mistake['loc'][-1]), known)}; known are {', '.join(known)}"
        elif mistake["type"] == "missing":
            yield f"{place}: missing"
        else:
            message = mistake["msg"].replace("tuple", "list").replace("Tuple", "List")  # in YAML it is a list
            yield f"{place}: {mistake['input']!r}: {message[0].lower()}{message[1:]}"


def _keys_at(model: Any, sections: tuple[int | str, ...]) -> list[str]:
    """The keys allowed in a section."""
    for section in sections:
        if isinstance(section, str):  # a number is a place in a list
            model = model.model_fields[section].annotation
            model = get_args(model)[0] if get_args(model) else model
    return list(model.model_fields)
