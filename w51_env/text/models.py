"""Ways to ask a language model: a server with the chat-completions protocol, or a command."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from w51_env.core.errors import W51Error, needs_extra

with needs_extra("a language model needs httpx, which comes with", "llm"):
    import httpx

Message = dict[str, str]  # role and content
_MOST_BYTES = 1_000_000  # of one answer
_QUOTED = 200  # characters of a server's error that a message quotes


class ModelError(W51Error):
    """A model that did not answer.

    Attributes:
        again: Whether the same question may succeed if it is asked again.
        is_reachable: Whether any question may succeed.
    """

    def __init__(self, message: str, again: bool = True, is_reachable: bool = True):
        super().__init__(message)
        self.again, self.is_reachable = again and is_reachable, is_reachable


@dataclass(frozen=True)
class Answer:
    """One answer of a model.

    Attributes:
        text: What it wrote.
        input_tokens, output_tokens: Tokens of the question and of the answer; estimated (4 characters each) if the
            model does not report them.
    """

    text: str
    input_tokens: int
    output_tokens: int


class Model(Protocol):
    """Answers questions; may be called from several threads at once."""

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The answer to a conversation; ModelError if there is none."""


class ChatServer:
    """A model behind the chat-completions protocol of OpenAI, which local servers speak too.

    Args:
        address: Base URL of the server.
        model: Name of the model.
        key: Name of the environment variable with the key of the server.
        timeout: Seconds for one answer.
        max_tokens: The most tokens of one answer.
        temperature: Sampling temperature; None: the default of the server.
    """

    def __init__(
        self, address: str, model: str | None, key: str, timeout: float, max_tokens: int, temperature: float | None
    ):
        self._address, self._key, self._timeout = address, key, timeout
        self._body: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
        if temperature is not None:
            self._body["temperature"] = temperature
        secret = os.environ.get(key)
        self._client = httpx.Client(
            base_url=address.rstrip("/"),
            timeout=timeout,
            headers={"Authorization": f"Bearer {secret}"} if secret else {},
            follow_redirects=False,
        )

    def ask(self, messages: Sequence[Message]) -> Answer:
        try:
            response = self._client.post("/chat/completions", json={**self._body, "messages": list(messages)})
        except httpx.ConnectError as error:
            raise ModelError(f"{self._address}: cannot be reached: {error}", is_reachable=False) from None
        except httpx.TimeoutException:
            raise ModelError(f"{self._address}: no answer within {self._timeout:g} s") from None
        except httpx.HTTPError as error:
            raise ModelError(f"{self._address}: {type(error).__name__}: {error}") from None
        if response.status_code != httpx.codes.OK:
            raise self._refused(response)
        try:
            found = response.json()
            text = found["choices"][0]["message"]["content"] or ""
            usage = found.get("usage") or {}
            counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise ModelError(f"{self._address}: not a chat completion: {response.text[:_QUOTED]!r}") from None
        if not isinstance(text, str):
            raise ModelError(f"{self._address}: content of type {type(text).__name__}, but text is needed")
        return _counted(messages, text, *counts)

    def _refused(self, response: httpx.Response) -> ModelError:
        status = response.status_code
        message = f"{self._address}: status {status}: {response.text[:_QUOTED]!r}"
        if status in (401, 403):
            set_or_not = "set" if os.environ.get(self._key) else "not set"
            message += f"; the key is read from the environment variable {self._key}, which is {set_or_not}"
        return ModelError(
            message,
            is_reachable=status != httpx.codes.UNAUTHORIZED,
            again=status in (408, 409, 425, 429) or status >= 500,
        )


class Command:
    """A program that is started for each question: the prompt on its standard input, the answer on its output.

    Args:
        words: The program and its arguments.
        timeout: Seconds for one answer.
    """

    def __init__(self, words: Sequence[str], timeout: float):
        self._words, self._timeout = words, timeout

    def ask(self, messages: Sequence[Message]) -> Answer:
        name, timeout = self._words[0], self._timeout
        prompt = "\n\n".join(message["content"] for message in messages) + "\n"
        try:
            done = subprocess.run(self._words, input=prompt.encode(), capture_output=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            raise ModelError(f"{name}: no answer within {timeout:g} s") from None
        except OSError as error:
            raise ModelError(f"{name}: {error.strerror or error}", is_reachable=False) from None
        if done.returncode:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise ModelError(f"{name}: exit status {done.returncode}{''.join(f': {line[:_QUOTED]}' for line in last)}")
        return _counted(messages, done.stdout[:_MOST_BYTES].decode(errors="replace"), None, None)


def _counted(messages: Sequence[Message], text: str, asked: object, answered: object) -> Answer:
    if not isinstance(asked, int):
        asked = -(-sum(len(message["content"]) for message in messages) // 4)
    return Answer(text, asked, answered if isinstance(answered, int) else -(-len(text) // 4))
