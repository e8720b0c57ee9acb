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
        again: Whether the same question may succeed if it is asked again.
        is_reachable: Whether any question may succeed.
    """

    def __init__(self, message: str, again: bool = True, is_reachable: bool = True):
        super().__init__(message)
        self.again, self.is_reachable = again and is_reachable, is_reachable


@dataclass(frozen=True)
class ModelReply:
    """One answer of a model.

    Attributes:
        text: What it wrote.
        input_tokens, output_tokens: Tokens of the question and of the answer; estimated (4 characters each) if the
            model does not report them.
    """

    text: str
    input_tokens: int
    output_tokens: int


class LanguageModel(Protocol):
    """Answers questions; may be called from several threads at once."""

    def ask(self, messages: Sequence[Message]) -> ModelReply:
        """The answer to a conversation; ModelError if there is none."""


def reply_with_tokens(
    messages: Sequence[Message], text: str, input_tokens: object = None, output_tokens: object = None
) -> ModelReply:
    """A reply to messages with its numbers of tokens, estimated where the model reports no integer."""
    if not isinstance(input_tokens, int):
        input_tokens = -(-sum(len(message["content"]) for message in messages) // 4)
    if not isinstance(output_tokens, int):
        output_tokens = -(-len(text) // 4)
    return ModelReply(text, input_tokens, output_tokens)


@dataclass
class Usage:
    """What the questions of one agent have cost.

    Attributes:
        questions: Number of questions, repeated ones included.
        input_tokens, output_tokens: Tokens of questions and answers.
        cost: By the prices of the settings.
    """

    questions: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0

    def as_data(self) -> dict[str, float]:
        """The numbers by name, for a summary."""
        return dict(vars(self))
