"""Settings of a language model that plays, and its name: `llm:http://127.0.0.1:8000/v1,model=NAME` or `llm:COMMAND`."""

import math
from dataclasses import dataclass, fields
from urllib.parse import urlsplit

from w51_env.agents.agent import AgentError
from w51_env.agents.settings import Kind, check, parse_pairs

LLM = "llm:"


@dataclass(frozen=True)
class LLMSettings:
    """All settings of a language model.

    Attributes:
        address: Base URL of a server with the chat-completions protocol of OpenAI, without a password, or a command
            that reads a prompt from its standard input and writes its answer to its standard output.
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
        if self.is_server:
            url = urlsplit(self.address)
            if url.username or url.password or url.query:  # no message and no report repeats it
                raise AgentError(
                    "agent llm:...: the address has a password or a query, but the key is read from an environment "
                    "variable, which key=NAME names"
                )
            check(bool(url.hostname), "address", self.address, "a URL with a host")
            check(self.model is not None, "model", self.model, "the name of a model of the server, model=NAME,")
        temperature = 0.0 if self.temperature is None else self.temperature
        check(0 <= temperature < math.inf, "temperature", self.temperature, "a number of at least 0")
        check(0 < self.timeout < math.inf, "timeout", self.timeout, "a number above 0")
        for name, least in (("max_tokens", 1), ("retries", 0), ("parallel", 1)):
            check(getattr(self, name) >= least, name, getattr(self, name), f"an integer of at least {least}")
        check(self.budget is None or self.budget >= 1, "budget", self.budget, "an integer of at least 1")
        for name in ("input_price", "output_price"):
            check(0 <= getattr(self, name) < math.inf, name, getattr(self, name), "a number of at least 0")

    @property
    def is_server(self) -> bool:
        """Whether the address is a URL."""
        return self.address.startswith(("http://", "https://"))


_INTEGERS = ("max_tokens", "retries", "parallel", "budget")
_FLOATS = ("temperature", "timeout", "input_price", "output_price")
_KINDS: dict[str, Kind] = {
    **dict.fromkeys((field.name for field in fields(LLMSettings)[1:]), str),
    **dict.fromkeys(_INTEGERS, int),
    **dict.fromkeys(_FLOATS, float),
}


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
    address, *parts = spec.removeprefix(LLM).split(",")
    if not address.startswith(("http://", "https://")):
        own = len(parts)
        while own and parts[own - 1].partition("=")[0].strip() in _KINDS:
            own -= 1
        address, parts = ",".join([address, *parts[:own]]), parts[own:]
    try:
        return LLMSettings(address.strip(), **parse_pairs(spec, parts, _KINDS))
    except AgentError as error:
        raise error if str(error).startswith("agent ") else AgentError(f"agent {spec!r}: {error}") from None
