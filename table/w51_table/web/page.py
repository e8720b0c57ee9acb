"""What a request of the page says: its language, the layout of pictures, numbers of its address, its body."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from w51_agents.console.locale import locale_language
from w51_env.engine.errors import OptionError
from w51_env.engine.options import check_name
from w51_env.engine.plain_data import parse_integer
from w51_env.pictures.seating import FORMS
from w51_env.views.language import ENGLISH, LANGUAGES, Words
from w51_table.play.table import TableError

Body = TypeVar("Body", bound=BaseModel)
_ACCEPTED = re.compile(r"([a-z]+)(?:[^a-z;][^;]*)?(?:;q=(\d(?:\.\d*)?))?")  # an entry of Accept-Language


@dataclass
class Page:
    """The page as visitors open it.

    Attributes:
        language: Its first language, as of `ServerSettings`.
        address: For links that others open; None: the one that the browser uses.
    """

    language: str | None
    address: str | None = None

    def words(self, request: Request, names: Sequence[str] = ()) -> Words:
        """The language that a request asks for, else that of the settings, of the browser, of the locale."""
        accepted = request.headers.get("accept-language", "")
        wanted = request.query_params.get("language") or self.language or accepted_language(accepted)
        return Words(wanted if wanted in LANGUAGES else ENGLISH, names)


def number_of(request: Request, name: str) -> int | None:
    """The integer of this name in the address of a request; None without one; OptionError if it is another text."""
    text = request.query_params.get(name, "")
    try:
        return parse_integer(text) if text else None
    except ValueError as error:
        raise OptionError(f"{name}: {error}") from None


def form_of(request: Request) -> str:
    """The layout of pictures that a request asks for; OptionError if there is no such layout."""
    return check_name("form", request.query_params.get("form", FORMS[0]), FORMS)


def bearer(request: Request) -> str:
    """The token that a request has; empty without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token if scheme == "Bearer" else ""


async def body_of(request: Request, max_bytes: int) -> bytes:
    """The body of a request.

    Raises:
        TableError: It is longer than `max_bytes`.
    """
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > max_bytes:
            raise TableError(f"request: more than {max_bytes} bytes")
    return content


async def parsed_body(request: Request, model: type[Body], max_bytes: int) -> Body:
    """What the body of a request says.

    Raises:
        TableError: It is longer than `max_bytes`, or is no such message.
    """
    try:
        return model.model_validate_json(await body_of(request, max_bytes))
    except ValidationError as error:
        raise TableError(f"request: {error.errors()[0]['msg']}") from None


def accepted_language(header: str) -> str:
    """The language that a browser wants most (`Accept-Language`, RFC 9110) of those there are; else the user's own."""
    entries = map(_ACCEPTED.fullmatch, header.replace(" ", "").lower().split(","))
    wanted = [(float(entry[2] or 1), entry[1]) for entry in entries if entry and entry[1] in LANGUAGES]
    weight, code = max(wanted, key=lambda entry: entry[0], default=(0.0, ""))
    return code if weight > 0 else locale_language()
