"""What a language model is to its caller, whether it is a server (`chat_server`) or a program (`model_command`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from w51_env.engine.errors import W51Error

Message = dict[str, str]  # role and content
MAX_BYTES = 1_000_000  # of one answer
QUOTED = 200  # characters of a model's error that a message quotes


class ModelError(W51Error):
    """A model that did not answer.

    Attributes:
        again: Whether the same question may succeed if it is asked again at once.
        is_reachable: Whether any question may succeed.
    """

    def __init__(self, message: str, again: bool = True, is_reachable: bool = True):
        super().__init__(message)
        self.again, self.is_reachable = again and is_reachable, is_reachable


@dataclass(frozen=True)
class ModelReply:
    """One answer of a model.

    Attributes:
        text: What it wrote; the arguments of its tool calls, if it made any.
        input_tokens, output_tokens: Tokens of the question and of the answer; estimated (4 characters each) if the
            model does not report them.
        cached_tokens: Those tokens of the question that the server had kept.
        reasoning: What it reported of its reasoning.
        is_cut: Whether the limit of tokens or a filter of the server ended it.
        calls: Number of its tool calls.
    """

    text: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    reasoning: str = ""
    is_cut: bool = False
    calls: int = 0


class LanguageModel(Protocol):
    """Answers questions; may be called from several threads at once."""

    def ask(self, messages: Sequence[Message], choices: Sequence[str] = ()) -> ModelReply:
        """The answer to a conversation, where the model can be told so one of the choices; ModelError if none."""


def estimated_tokens(text: str) -> int:
    """Tokens of a text of which nobody reports them: one for 4 characters."""
    return -(-len(text) // 4)


@dataclass
class Usage:
    """What the questions of one agent have cost.

    Attributes:
        questions: Number of questions, repeated ones included.
        input_tokens, output_tokens: Tokens of questions and answers.
        cached_tokens: Those tokens of questions that the server had kept.
        cost: By the prices of the settings.
    """

    questions: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float = 0.0

    def as_data(self) -> dict[str, float]:
        """The numbers by name, for a summary."""
        return dict(vars(self))
