"""A model behind the chat-completions protocol of OpenAI, which local servers speak too."""

import asyncio
import json
import os
from collections.abc import Coroutine, Sequence
from typing import Any

from w51_agents.llm.models import MAX_BYTES, QUOTED, Message, ModelError, ModelReply, reply_with_tokens
from w51_env.engine.errors import needs_extra
from w51_env.text.secrets import hidden, keep_secret

with needs_extra("a language model needs httpx, which comes with", "llm"):
    import httpx

_MAX_TOKENS = 10**9  # that a server may report for one answer
_MAX_KEY = 8000  # letters


class ChatServer:
    """A model on a server. Each answer has a connection of its own, a deadline for all of it, and a limit of bytes.

    Args:
        address: Base URL of the server.
        model: Name of the model.
        key: Name of the environment variable with the key of the server.
        timeout: Seconds for one answer.
        max_tokens: The most tokens of one answer.
        temperature: Sampling temperature; None: the default of the server.

    Raises:
        ModelError: An address that is no URL, or a key that cannot be sent.
    """

    def __init__(
        self, address: str, model: str | None, key: str, timeout: float, max_tokens: int, temperature: float | None
    ):
        self._address, self._key, self._timeout = address, key, timeout
        self._body: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
        if temperature is not None:
            self._body["temperature"] = temperature
        secret = key_of(key)
        self._has_key = bool(secret)
        # Its text says [secure] in place of the key. A compressed answer could be of any size.
        self._headers = httpx.Headers({"Accept-Encoding": "identity", "Content-Type": "application/json"})
        if secret:
            self._headers["Authorization"] = f"Bearer {secret}"
        try:
            self._url = httpx.URL(address.rstrip("/") + "/chat/completions")
            self._tls = httpx.create_ssl_context() if self._url.scheme == "https" else False
            self._client()  # reads the proxies of the environment, too
        except Exception as error:  # noqa: BLE001 - the libraries for HTTP raise many kinds
            raise ModelError(f"{address}: cannot be asked: {type(error).__name__}: {hidden(str(error))}") from None

    def ask(self, messages: Sequence[Message]) -> ModelReply:
        body = json.dumps({**self._body, "messages": list(messages)}).encode()
        try:
            status, content = _run(self._exchange(body))
        except httpx.ConnectError as error:
            reason = hidden(str(error))
            raise ModelError(f"{self._address}: cannot be reached: {reason}", is_reachable=False) from None
        except (TimeoutError, httpx.TimeoutException):
            raise ModelError(f"{self._address}: no answer within {self._timeout:g} s") from None
        except ModelError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a server can make the libraries for HTTP raise
            raise ModelError(f"{self._address}: {type(error).__name__}: {hidden(str(error))}") from None
        if status != httpx.codes.OK:
            raise self._refused(status, content)
        return self._answer(messages, content)

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(timeout=self._timeout, verify=self._tls, follow_redirects=False)

    async def _exchange(self, body: bytes) -> tuple[int, bytes]:
        """Status and content of the answer, all of it before the deadline."""
        async with (
            asyncio.timeout(self._timeout),
            self._client() as client,
            client.stream("POST", self._url, content=body, headers=self._headers) as response,
        ):
            content = bytearray()
            async for part in response.aiter_raw():
                content += part
                if len(content) > MAX_BYTES:
                    raise ModelError(f"{self._address}: an answer of more than {MAX_BYTES:,} bytes")
            return response.status_code, bytes(content)

    def _answer(self, messages: Sequence[Message], content: bytes) -> ModelReply:
        try:
            reply = json.loads(content)
            text = reply["choices"][0]["message"]["content"] or ""
            usage = reply.get("usage") or {}
            counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise ModelError(f"{self._address}: not a chat completion: {_quoted(content)}") from None
        if not isinstance(text, str):
            raise ModelError(f"{self._address}: content of type {type(text).__name__}, but text is needed")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ModelError(f"{self._address}: content with half a letter (a lone surrogate), but text is needed")
        for count in counts:
            if isinstance(count, int) and not 0 <= count <= _MAX_TOKENS:
                shown = count if abs(count) < 10**20 else "a number of more than 20 digits"
                raise ModelError(f"{self._address}: {shown} tokens, but 0 to {_MAX_TOKENS:,} are possible")
        return reply_with_tokens(messages, text, *counts)

    def _refused(self, status: int, content: bytes) -> ModelError:
        message = f"{self._address}: status {status}: {_quoted(content)}"
        if status in (401, 403):
            set_or_not = "set" if self._has_key else "not set"
            message += f"; the key is read from the environment variable {self._key}, which is {set_or_not}"
        again = status in (408, 409, 425, 429) or status >= 500
        return ModelError(message, again, is_reachable=status != httpx.codes.UNAUTHORIZED)


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


def _quoted(content: bytes) -> str:
    """The beginning of what a server wrote; secrets are taken out before it is cut."""
    return repr(hidden(content.decode(errors="replace"))[:QUOTED])


def _run(work: Coroutine[Any, Any, tuple[int, bytes]]) -> tuple[int, bytes]:
    """The result of a coroutine, in a loop of its own; unlike `asyncio.run`, no look-up of a host is waited for."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    except Exception:
        loop.run_until_complete(loop.shutdown_asyncgens())  # of an answer that was not read to its end
        raise
    finally:
        loop.close()
