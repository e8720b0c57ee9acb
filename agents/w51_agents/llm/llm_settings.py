"""Settings of a language model that plays, and its name: `llm:http://127.0.0.1:8000/v1,model=NAME` or `llm:COMMAND`."""

import math
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from w51_agents.agent import AgentError
from w51_agents.name_settings import check, kinds_of, parse_pairs
from w51_env.engine.plain_data import is_clear

LLM = "llm:"
_MAX, _DAY = 10**9, 86_400
_RANGES = {"max_tokens": (1, _MAX), "retries": (0, 100), "parallel": (1, 1000), "budget": (1, 10**15)}
# In a URL, whatever its scheme, and also where a password has a slash or the slashes of the scheme are wrong.
_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*:[/\\]+[^\s'\"]*@", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class LLMSettings:
    """All settings of a language model.

    Attributes:
        address: Base URL of a server with the chat-completions protocol of OpenAI, without a password or a query, or a
            command that reads a prompt from its standard input and writes its answer to its standard output.
        model: Name of the model, for a server.
        key: Name of the environment variable with the key of the server. The key itself is in no file and message.
        temperature: Sampling temperature; None: the default of the server.
        max_tokens: The most tokens of one answer.
        timeout: Seconds for one answer.
        retries: How often a decision is asked again after a time-out, an error or an answer that is not understood.
        parallel: How many decisions are asked at the same time.
        budget: The most tokens that the agent may use, prompts included; None: no limit. Later decisions are forfeited.
        input_price, output_price: Price of a million tokens of prompts and of answers, in any currency.

    Raises:
        AgentError: A value that is not allowed.
    """

    address: str
    model: str | None = None
    key: str = "OPENAI_API_KEY"
    temperature: float | None = None
    max_tokens: int = 1000
    timeout: float = 60.0
    retries: int = 2
    parallel: int = 8
    budget: int | None = None
    input_price: float = 0.0
    output_price: float = 0.0

    def __post_init__(self) -> None:
        check(bool(self.address.strip()), "address", self.address, "a URL or a command")
        if not _VARIABLE.fullmatch(self.key):  # it may be the key itself
            raise AgentError("agent llm:...: key=NAME needs the name of an environment variable, not the key itself")
        if self.is_server:
            _check_no_password(self.address)
            check(_has_host(self.address), "address", self.address, "a URL with a host, and a port from 1 to 65535,")
            check(self.model is not None, "model", self.model, "the name of a model of the server, model=NAME,")
        temperature = 0.0 if self.temperature is None else self.temperature
        check(0 <= temperature < math.inf, "temperature", self.temperature, "a number of at least 0")
        check(0 < self.timeout <= _DAY, "timeout", self.timeout, f"a number above 0, up to {_DAY}")
        for name, (low, high) in _RANGES.items():
            value, allowed = getattr(self, name), f"an integer from {low} to {high:,}"
            check(value is None or low <= value <= high, name, value, allowed)
        for name in ("input_price", "output_price"):
            check(0 <= getattr(self, name) <= _MAX, name, getattr(self, name), f"a number from 0 to {_MAX:,}")

    @property
    def is_server(self) -> bool:
        """Whether the address is a URL."""
        return _is_url(self.address)


_KINDS = {name: kind for name, kind in kinds_of(LLMSettings).items() if name != "address"}
_SETTING = re.compile(rf",\s*(?:{'|'.join(_KINDS)})\s*=")


def is_llm(name: str) -> bool:
    """Whether this is the name of a language model: `llm:` and an address."""
    return name.startswith(LLM)


def parse_settings(spec: str) -> LLMSettings:
    """The settings in a name: `llm:ADDRESS,key=value,key=value`. Commas in a command are its own, if no key follows.

    Raises:
        AgentError: An unknown key of a server, or a value that is not allowed.
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
        return LLMSettings(address.strip(), **parse_pairs(spec, parts, _KINDS))
    except AgentError as error:
        raise error if str(error).startswith("agent ") else AgentError(f"agent {spec!r}: {error}") from None


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
    if _PASSWORD.search(text) or (_is_url(text.removeprefix(LLM).strip()) and not {"@", "?"}.isdisjoint(text)):
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
