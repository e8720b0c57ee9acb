"""Questions to a model: counted, paid for, and within a budget."""

import os
import shlex
import threading
from collections.abc import Sequence
from pathlib import Path

from w51_agents.agent.interface import AgentError, UnreachableError
from w51_agents.language.llm.journal import Journal
from w51_agents.language.llm.llm_settings import LLM, LLMSettings, request_fields
from w51_agents.language.llm.model_command import Command
from w51_agents.language.llm.models import LanguageModel, Message, ModelError, ModelReply, Usage
from w51_agents.system.secrets import hidden, holds_secret, keep_secret


class Questioner:
    """Asks one model; may be used by several threads at once.

    Attributes:
        usage: Tokens and cost so far.
        journal: Answers of an earlier run of the same games, which are not asked for again.
    """

    def __init__(self, settings: LLMSettings):
        self.usage = Usage()
        self.journal = Journal(None if settings.journal is None else Path(settings.journal))
        self.settings, self._model = settings, make_model(settings)
        self._lock = threading.Lock()

    def ask(self, messages: Sequence[Message], choices: Sequence[str] = ()) -> ModelReply:
        """The answer of the model, counted; ModelError if there is none, or if the budget is spent."""
        settings, usage = self.settings, self.usage
        answer = self.journal.take(messages) or self._answer(messages, choices)
        with self._lock:
            usage.questions += 1
            usage.input_tokens += answer.input_tokens
            usage.cached_tokens += answer.cached_tokens
            usage.output_tokens += answer.output_tokens
            usage.cost += cost_of(answer, settings)
        return answer

    def _answer(self, messages: Sequence[Message], choices: Sequence[str]) -> ModelReply:
        used, budget = self.usage.input_tokens + self.usage.output_tokens, self.settings.budget
        if budget is not None and used >= budget:
            raise ModelError(f"the budget of {budget} tokens is spent", again=False)
        for attempt in range(self.settings.retries + 1):
            try:
                return self._model.ask(messages, choices)
            except ModelError as error:
                if not error.again or attempt == self.settings.retries:
                    raise
        raise AssertionError  # the last attempt returns or raises

    def unreachable(self, error: ModelError) -> UnreachableError:
        """That the model cannot be asked at all."""
        return UnreachableError(hidden(f"agent {LLM + self.settings.address!r}: {error}"))


def cost_of(reply: ModelReply, settings: LLMSettings) -> float:
    """What a reply costs, by the prices of the settings."""
    cached = settings.input_price if settings.cached_price is None else settings.cached_price
    new = max(0, reply.input_tokens - reply.cached_tokens)
    prices = new * settings.input_price + reply.cached_tokens * cached + reply.output_tokens * settings.output_price
    return 1e-6 * prices


def make_model(settings: LLMSettings) -> LanguageModel:
    """The model at the address of the settings.

    Raises:
        MissingPackageError: The client that asks a server is missing.
        AgentError: A command that is no command line, a URL that is none, a key that cannot be sent, or a file of
            fields that cannot be read.
    """
    keep_secret(os.environ.get(settings.key, "").strip())  # a command may print it, too
    if holds_secret(settings.address):
        raise AgentError(
            f"agent llm:...: the address has the key of {settings.key}, but names of agents are kept with results; let "
            "the command read it from the environment"
        )
    if settings.is_server:
        from w51_agents.language.llm.chat_server import ChatServer  # the client takes a second to import
    try:
        if settings.is_server:
            fields = request_fields(settings)
            return ChatServer(
                settings.address, settings.key, fields, settings.timeout, settings.retries, settings.answer
            )
        return Command(shlex.split(settings.address), settings.timeout)
    except (ModelError, ValueError) as error:
        raise AgentError(f"agent llm:{settings.address}: {error}") from None
