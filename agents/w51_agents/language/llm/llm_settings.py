"""Settings of a language model that plays, and its name: `llm:http://127.0.0.1:8000/v1,model=NAME` or `llm:COMMAND`."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from w51_agents.agent.interface import AgentError
from w51_agents.agent.name_settings import check, kinds_of, parse_pairs
from w51_env.engine.errors import unknown
from w51_env.engine.plain_data import is_clear

LLM = "llm:"
MEMORIES = ("none", "notes", "conversation")
FORMS = ("schema", "tool", "text")
_MAX, _DAY = 10**9, 86_400
_RANGES = {
    "retries": (0, 100),
    "parallel": (1, 1000),
    "budget": (1, 10**15),
    "prompt_tokens": (500, _MAX),
    "conversation_tokens": (500, _MAX),
    "note_words": (1, 10_000),
}
_MAX_TOKENS = 4000  # of an answer, unless a field says otherwise
FEW = 40  # decisions: of fewer, as many may fail as of these
ONE_CALL = "parallel_tool_calls"  # false: a model that answers by a tool calls it once
# Fields of a request that many servers know: a word that is close to one of them is a mistake.
_COMMON = ("temperature", "max_tokens", "max_completion_tokens", "reasoning_effort", "top_p", "top_k", "min_p", "seed",
           "stop", "verbosity", "service_tier", "presence_penalty", "frequency_penalty", "stream", "user")  # fmt: skip
# In a URL, whatever its scheme, and also where a password has a slash or the slashes of the scheme are wrong.
_WORD_END = re.compile(r"[\s'\"]")
_URL = re.compile(r"[a-z0-9+.-]:[/\\]", re.IGNORECASE)  # the end of a scheme, and what follows it
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class LLMSettings:
    """All settings of a language model.

    Attributes:
        address: Base URL of a server with the chat-completions protocol of OpenAI, without a password or a query, or a
            command that reads a prompt from its standard input and writes its answer to its standard output.
        model: Name of the model, for a server.
        key: Name of the environment variable with the key of the server. The key itself is in no file and message.
        request: Fields of each request by name, as `temperature`; one that is None is left out.
        fields: Path of a JSON file with an object of more such fields; those in `request` come before.
        answer: How an answer is asked for: by a JSON `schema` or a `tool` with the legal actions, if the server has
            that, else by `text`.
        memory: What the model remembers of its game beside what a prompt says: `none`; `notes`, which it writes after
            each lot; `conversation`, all of its prompts and answers.
        note_words: The most words of notes.
        prompt_tokens, conversation_tokens: The most tokens of one prompt, and of the conversation before it;
            4 characters are counted as one.
        max_forfeits: The part of its decisions that the model may fail to make; above it, the run ends.
        timeout: Seconds for one attempt to get an answer.
        retries: How often a question is asked again after a time-out or an error.
        parallel: How many decisions are asked at the same time.
        budget: The most tokens that the agent may use, prompts included; None: no limit. Later decisions are forfeited.
        journal: Folder in which answers are kept as they come; a run that continues after a kill takes them from there.
        input_price, output_price: Price of a million tokens of prompts and of answers, in any currency.
        cached_price: That of those tokens of prompts which the server had kept; None: as the others.

    Raises:
        AgentError: A value that is not allowed.
    """

    address: str
    model: str | None = None
    key: str = "OPENAI_API_KEY"
    request: Mapping[str, Any] = field(default_factory=dict)
    fields: str | None = None
    answer: str = "schema"
    memory: str = "none"
    note_words: int = 150
    prompt_tokens: int = 8000
    conversation_tokens: int = 60_000
    max_forfeits: float = 0.05
    timeout: float = 120.0
    retries: int = 5
    parallel: int = 8
    budget: int | None = None
    journal: str | None = None
    input_price: float = 0.0
    output_price: float = 0.0
    cached_price: float | None = None

    def __post_init__(self) -> None:
        check(bool(self.address.strip()), "address", self.address, "a URL or a command")
        if not _VARIABLE.fullmatch(self.key):  # it may be the key itself
            raise AgentError("agent llm:...: key=NAME needs the name of an environment variable, not the key itself")
        if self.is_server:
            _check_no_password(self.address)
            check(_has_host(self.address), "address", self.address, "a URL with a host, and a port from 1 to 65535,")
            check(self.model is not None, "model", self.model, "the name of a model of the server, model=NAME,")
        for name, choices in (("memory", MEMORIES), ("answer", FORMS)):
            check(getattr(self, name) in choices, name, getattr(self, name), f"one of {', '.join(choices)}")
        check(0 <= self.max_forfeits <= 1, "max_forfeits", self.max_forfeits, "a number from 0 to 1")
        check(0 < self.timeout <= _DAY, "timeout", self.timeout, f"a number above 0, up to {_DAY}")
        for name, (low, high) in _RANGES.items():
            value, allowed = getattr(self, name), f"an integer from {low} to {high:,}"
            check(value is None or low <= value <= high, name, value, allowed)
        for name in ("input_price", "output_price", "cached_price"):
            price = getattr(self, name)
            check(price is None or 0 <= price <= _MAX, name, price, f"a number from 0 to {_MAX:,}")

    @property
    def is_server(self) -> bool:
        """Whether the address is a URL."""
        return _is_url(self.address)


_KINDS = {name: kind for name, kind in kinds_of(LLMSettings).items() if name not in ("address", "request")}
_SETTING = re.compile(rf",\s*(?:{'|'.join(_KINDS)})\s*=")


def is_llm(name: str) -> bool:
    """Whether this is the name of a language model: `llm:` and an address."""
    return name.startswith(LLM)


def parse_settings(spec: str) -> LLMSettings:
    """The settings in a name: `llm:ADDRESS,key=value,key=value`. Commas in a command are its own, if no key follows.

    What is no setting of a server is a field of its requests.

    Raises:
        AgentError: A key that is close to a known one, or a value that is not allowed.
    """
    if not is_llm(spec):
        raise AgentError(f"agent {spec!r}: the name of a language model begins with {LLM!r}")
    _check_no_password(_SETTING.split(spec)[0])  # first of all, as other messages repeat the name
    address, *parts = spec.removeprefix(LLM).strip().split(",")
    if not _is_url(address):
        end = len(parts)
        while end and parts[end - 1].partition("=")[0].strip() in _KINDS:
            end -= 1
        address, parts = ",".join([address, *parts[:end]]), parts[end:]
    try:
        check(is_clear(spec), "name", spec, "a text of visible letters")
        fields = [part for part in parts if part.partition("=")[0].strip() not in _KINDS]
        settings = parse_pairs(spec, [part for part in parts if part not in fields], _KINDS)
        return LLMSettings(address.strip(), request=_request_fields(spec, fields), **settings)
    except AgentError as error:
        raise error if str(error).startswith("agent ") else AgentError(f"agent {spec!r}: {error}") from None


def request_fields(settings: LLMSettings) -> dict[str, Any]:
    """All fields of a request but its messages; those that are None are left out.

    Raises:
        AgentError: A file that cannot be read or is no JSON object, or that has the messages or the model.
    """
    fields: dict[str, Any] = {}
    if settings.fields is not None:
        try:
            fields = json.loads(Path(settings.fields).read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise AgentError(f"fields: {settings.fields}: {error}") from None
        if not isinstance(fields, dict) or not {"messages", "model"}.isdisjoint(fields):
            raise AgentError(f"fields: {settings.fields}: a JSON object without messages and model is needed")
    fields |= settings.request
    if not {"max_tokens", "max_completion_tokens"} & fields.keys():
        fields["max_tokens"] = _MAX_TOKENS
    if settings.answer == "tool":
        fields.setdefault(ONE_CALL, False)
    return {"model": settings.model, **{name: value for name, value in fields.items() if value is not None}}


def _request_fields(spec: str, parts: Sequence[str]) -> dict[str, Any]:
    """The values in parts `key=value`: numbers, `true`, `false`, `null`, else text."""
    fields = parse_pairs(spec, parts, dict.fromkeys((part.partition("=")[0].strip() for part in parts), _json_or_text))
    for name in fields:
        if get_close_matches(name, [*_KINDS, *_COMMON], cutoff=0.75) and name not in _COMMON:
            raise AgentError(unknown(f"agent {spec!r}: key", name, [*_KINDS, *_COMMON]))
        check(bool(_VARIABLE.fullmatch(name)) and name != "messages", "key", name, "the name of a field of a request")
    return fields


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except ValueError:
        return text


def check_no_password(name: str) -> None:
    """AgentError, which does not repeat it, for the name of any agent with a password in a URL.

    Messages on a name that is none repeat it, so this comes before them.
    """
    if "://" in name:
        _check_no_password(name)


def _is_url(address: str) -> bool:
    return address.lower().startswith(("http:", "https:"))


def _check_no_password(text: str) -> None:
    """AgentError, which does not repeat it, for a password in a URL, or a query, which often has a key."""
    has_password = any((url := _URL.search(word)) and "@" in word[url.end() :] for word in _WORD_END.split(text))
    if has_password or (_is_url(text.removeprefix(LLM).strip()) and not {"@", "?"}.isdisjoint(text)):
        raise AgentError(
            "agent llm:...: the address has a password or a query, but names of agents are kept with results, and the "
            "key is read from an environment variable, which key=NAME names"
        )


def _has_host(address: str) -> bool:
    try:
        url = urlsplit(address)
        return bool(url.hostname) and address.lower().startswith(f"{url.scheme}://") and url.port != 0
    except ValueError:  # a port that is no number or too large, brackets that do not match
        return False
