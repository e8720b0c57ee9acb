"""Tokens and cost of a language model."""

from dataclasses import dataclass


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
