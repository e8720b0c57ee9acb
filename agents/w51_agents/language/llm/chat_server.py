"""A model behind the chat-completions protocol, which many servers speak, asked by the client of OpenAI."""

import asyncio
import json
import logging
import os
import re
import threading
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

from w51_agents.language.llm.completions import CompletionError, quoted, read_completion
from w51_agents.language.llm.llm_settings import ONE_CALL
from w51_agents.language.llm.models import MAX_BYTES, Message, ModelError, ModelReply
from w51_agents.system.errors import needs_extra
from w51_agents.system.secrets import hidden, keep_secret

with needs_extra("a language model behind a server needs the client of OpenAI, which comes with", "llm"):
    import httpx2
    import openai

_MAX_KEY = 8000  # letters
_ANSWER = "decision"  # name of the schema and of the tool
_SENT = ("accept", "content-length", "content-type", "host", "user-agent")  # headers; no other one leaves the machine
_NOT_SUPPORTED = re.compile(
    r"(?i)support|unknown|unrecogni[sz]ed|unexpected|unavailable|extra|permitted|not allowed|only the default"
)
# What to send in the place of a field that a server does not know: another name, or nothing.
_REMEDIES = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
    "temperature": None,
    "top_p": None,
    ONE_CALL: None,
}
_FORMS = {"response_format": "schema", "tools": "tool", "tool_choice": "tool"}  # fields that an answer in a form needs
_log = logging.getLogger(__name__)


class ChatServer:
    """A model on a server. The client waits and asks again where the server limits it, is busy or does not answer,
    whatever status it says this with.

    Each attempt has a connection of its own, a deadline for all of its answer, and a limit of bytes. A field that the
    server refuses is renamed or left out, once, where that is known to help.

    Args:
        address: Base URL of the server.
        key: Name of the environment variable with the key of the server.
        fields: Fields of each request, `model` among them.
        timeout: Seconds for one attempt.
        retries: The most attempts after the first.
        form: `schema`, `tool` or `text`: how an answer is asked for, where the server can do it.

    Raises:
        ModelError: An address that is no URL, or a key that cannot be sent.
    """

    def __init__(
        self, address: str, key: str, fields: Mapping[str, Any], timeout: float, retries: int = 0, form: str = "text"
    ):
        self._address, self._key, self._timeout = address, key, timeout
        self._fields = dict(fields)
        self._form, self._retries = form, retries
        self._lock, self._adapted = threading.Lock(), set[str]()
        self._has_answered = False
        secret = key_of(key)
        self._has_key = bool(secret)
        # Its text says [secure] in place of the key. A compressed answer could be of any size.
        self._headers = httpx2.Headers({"Accept-Encoding": "identity"})
        if secret:
            self._headers["Authorization"] = f"Bearer {secret}"
        try:
            url = httpx2.URL(address.rstrip("/") + "/chat/completions")
            self._tls = httpx2.create_ssl_context() if url.scheme == "https" else False
            self._client()  # reads the proxies of the environment, too
        except Exception as error:  # noqa: BLE001 - the libraries for HTTP raise many kinds
            raise ModelError(f"{address}: cannot be asked: {type(error).__name__}: {hidden(str(error))}") from None

    def ask(self, messages: Sequence[Message], choices: Sequence[str] = ()) -> ModelReply:
        while True:
            fields = dict(self._fields)
            form = self._form
            client = self._client(messages)
            body = {**fields, **_asking(form, choices), "messages": list(messages)}
            if "tools" not in body:
                body.pop(ONE_CALL, None)
            try:
                return _run(self._exchange(client, body))
            except openai.APIStatusError as error:
                if not self._adapt(error, fields, form if choices else ""):
                    raise self._refused(error, fields, client.fault) from None
            except Exception as error:  # noqa: BLE001 - whatever a server can make the libraries for HTTP raise
                raise self._failed(error) from None

    def _client(self, messages: Sequence[Message] = ()) -> "_Client":
        return _Client(self._headers, self._timeout, messages, is_awaited=self._has_answered, verify=self._tls)

    async def _exchange(self, transport: "_Client", body: dict[str, Any]) -> ModelReply:
        """The answer to a request."""
        async with openai.AsyncOpenAI(
            base_url=self._address, api_key="-", max_retries=self._retries, http_client=transport
        ) as client:
            await client.post("/chat/completions", body=body, cast_to=httpx2.Response)
        self._has_answered = True
        assert transport.reply is not None  # else the client has raised an error
        return transport.reply

    def _adapt(self, error: openai.APIStatusError, fields: Mapping[str, Any], form: str) -> bool:
        """Whether the request is another one now, because the refused field has a known remedy."""
        name, said = _refused_field(error, [*fields, *_FORMS]), _text_of(error)
        if error.status_code not in (400, 422) or name is None:
            return False
        with self._lock:
            if name in self._adapted:  # by another thread, since this request was sent
                return name in fields or form != self._form
            if form == _FORMS.get(name):
                self._form = "text"
                remedy = "the answer is asked for in words"
            elif name in self._fields and name in _REMEDIES and _NOT_SUPPORTED.search(said):
                other = _REMEDIES[name]
                if other in self._adapted:
                    return False
                value = self._fields.pop(name)
                self._fields |= {} if other is None else {other: value}
                remedy = "it is left out" if other is None else f"{other} is sent in its place"
            else:
                return False
            self._adapted.add(name)
        _log.warning("%s refuses %s: %s from now on", self._address, name, remedy)
        return True

    def _refused(
        self, error: openai.APIStatusError, fields: Mapping[str, Any], fault: CompletionError | None
    ) -> ModelError:
        status, content = error.status_code, error.response.content
        message = f"{self._address}: {fault or f'status {status}: {quoted(content)}'}"
        if status in (401, 403):
            set_or_not = "set" if self._has_key else "not set"
            message += f"; the key is read from the environment variable {self._key}, which is {set_or_not}"
        elif status in (400, 422) and (name := _refused_field(error, fields)):
            message += f"; it refuses the field {name}, which {name}=null leaves out"
        is_reachable = status not in (400, 401, 404, 405, 422) and b"insufficient_quota" not in content
        return ModelError(message, again=False, is_reachable=is_reachable)

    def _failed(self, error: Exception) -> ModelError:
        cause = error.__cause__ or error
        reason = hidden(str(cause))
        if isinstance(error, openai.APITimeoutError):
            return ModelError(f"{self._address}: no answer within {self._timeout:g} s", again=False)
        if isinstance(cause, httpx2.ConnectError | _NotThereError):
            return ModelError(f"{self._address}: cannot be reached: {reason}", is_reachable=False)
        if isinstance(error, _TooLongError):
            return ModelError(f"{self._address}: {error}", again=False)
        return ModelError(f"{self._address}: {type(cause).__name__}: {reason}", again=False)


class _TooLongError(openai.OpenAIError):
    """An answer of more bytes than are read; the client does not ask again."""


class _NotThereError(openai.OpenAIError):
    """A server that has never answered cannot be reached; the client does not ask again."""


class _Client(httpx2.AsyncClient):
    """Sends what it must, to no other address; reads a whole answer before a deadline and up to a limit of bytes.

    An answer that is none of a model has the status that it stands for, so that it is asked for again as with that one.

    Attributes:
        reply: The model's answer.
        fault: Why the last answer is none, if its status said that it is one.
    """

    def __init__(
        self, headers: httpx2.Headers, seconds: float, messages: Sequence[Message], is_awaited: bool, **options: Any
    ):
        super().__init__(timeout=seconds, follow_redirects=False, **options)
        self._own, self._seconds, self._messages, self._is_awaited = headers, seconds, messages, is_awaited
        self.reply: ModelReply | None = None
        self.fault: CompletionError | None = None

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        sent = {name: value for name, value in request.headers.items() if name in _SENT}
        request.headers = httpx2.Headers([*sent.items(), *self._own.items()])
        content = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                response = await super().send(request, **{**options, "stream": True})
                try:
                    async for part in response.aiter_raw():
                        content += part
                        if len(content) > MAX_BYTES:
                            raise _TooLongError(f"an answer of more than {MAX_BYTES:,} bytes")
                finally:
                    await response.aclose()
        except httpx2.ConnectError as error:
            if self._is_awaited:
                raise
            raise _NotThereError(str(error)) from None
        except TimeoutError:
            raise httpx2.ReadTimeout("the deadline of the answer", request=request) from None
        # Without the headers that say how the content was sent: what is compressed stays so.
        headers = {
            name: value for name, value in response.headers.items() if name.startswith(("retry-", "x-", "content-type"))
        }
        status = response.status_code
        self.fault = None
        if response.is_success:
            try:
                self.reply = read_completion(bytes(content), self._messages)
            except CompletionError as error:
                self.fault, status = error, error.status
        return httpx2.Response(status, headers=headers, content=bytes(content), request=request)


def _asking(form: str, choices: Sequence[str]) -> dict[str, Any]:
    """The fields that make a server answer with one of the choices."""
    if not choices or form == "text":
        return {}
    properties = {"thoughts": {"type": "string"}, "action": {"type": "string", "enum": list(choices)}}
    schema = {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
    if form == "schema":
        named = {"name": _ANSWER, "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    tool = {"name": _ANSWER, "description": "Decide for one legal action.", "strict": True, "parameters": schema}
    chosen = {"type": "function", "function": {"name": _ANSWER}}
    return {"tools": [{"type": "function", "function": tool}], "tool_choice": chosen}


def _text_of(error: openai.APIStatusError) -> str:
    return error.response.content.decode(errors="replace")


def _refused_field(error: openai.APIStatusError, fields: Sequence[str] | Mapping[str, Any]) -> str | None:
    """The field that a server refuses: it names it as `param`, or its message has the name of one that was sent."""
    said = _text_of(error)
    try:
        named = json.loads(said)["error"]["param"]
    except (ValueError, KeyError, TypeError, RecursionError):
        named = None
    if isinstance(named, str) and (root := re.split(r"[.\[]", named)[0]) in fields:
        return root
    places = [(match.start(), name) for name in fields if (match := re.search(rf"\b{re.escape(name)}\b", said))]
    return min(places)[1] if places else None


def key_of(variable: str) -> str:
    """The key in an environment variable, without space around it, which no message repeats from now on; "" if none.

    Raises:
        ModelError: A character that no header can have, or more of them than a server takes.
    """
    raw = os.environ.get(variable, "")
    key = raw.strip()
    for secret in (raw, key, *key.split()):
        keep_secret(secret)
    for place, letter in enumerate(key):
        if not "!" <= letter <= "~":
            raise ModelError(
                f"key: the environment variable {variable} has {_kind(letter)} at place {place + 1} of {len(key)}, but "
                "a key has letters, digits and signs of ASCII only, and no spaces"
            )
    if len(key) > _MAX_KEY:
        raise ModelError(f"key: the environment variable {variable} has {len(key):,} characters; {_MAX_KEY:,} at most")
    return key


def _kind(letter: str) -> str:
    if letter.isspace():
        return "a line break" if letter in "\r\n" else "a space"
    return "a control character" if letter < " " or letter == "\x7f" else "a letter that is not ASCII"


def _run(work: Coroutine[Any, Any, ModelReply]) -> ModelReply:
    """The result of a coroutine, in a loop of its own; unlike `asyncio.run`, no look-up of a host is waited for."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    except Exception:
        loop.run_until_complete(loop.shutdown_asyncgens())  # of an answer that was not read to its end
        raise
    finally:
        loop.close()
