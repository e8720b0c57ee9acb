"""What goes out is checked here: a message or an answer that is not of its type is an error, as what comes in is."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import Field, TypeAdapter
from starlette.responses import Response

from w51_table.web.message_types import Sent

_SENT: TypeAdapter[Sent] = TypeAdapter(Annotated[Sent, Field(discriminator="type")])


def as_json(message: Sent) -> str:
    """A message of a WebSocket as compact JSON; ValidationError if it is not of its type."""
    return _SENT.dump_json(_SENT.validate_python(message)).decode()


def answer_type(handle: Callable[..., Any]) -> Any:
    """The type of what a handler answers as JSON; None if it makes the response itself."""
    made = get_type_hints(handle)["return"]
    return None if made is Response or Response in get_args(made) else made


def json_response(handle: Callable[..., Any], result: Mapping[str, object]) -> Response:
    """The answer of a handler; ValidationError if it is not of the type that the handler says."""
    adapter = _adapter(handle)
    return Response(adapter.dump_json(adapter.validate_python(result)), media_type="application/json")


@cache
def _adapter(handle: Callable[..., Any]) -> TypeAdapter[Any]:
    return TypeAdapter(answer_type(handle))
