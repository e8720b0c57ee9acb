"""What passes between a model and the server."""

from openenv.core.env_server import Action, Observation
from pydantic import Field


class Answer(Action):
    """What a model has answered, in free words.

    Attributes:
        text: The answer.
    """

    text: str


class Ask(Observation):
    """What a model is asked; at the end, the results.

    Attributes:
        seat: The seat that is asked; -1 at the end.
        system: What a model reads before its first prompt.
        prompt: What it reads now; empty at the end.
        legal: The names of the legal actions.
        again: Whether the last answer was refused; the prompt then says why.
        rewards: The reward of each seat, at the end. `reward` is that of the seat that has answered last.
        refused: For each seat, how many answers were refused.
        forfeited_by: The seat that lost by its mistakes; -1: none.
    """

    seat: int = -1
    system: str = ""
    prompt: str = ""
    legal: list[str] = Field(default=[])
    again: bool = False
    rewards: list[float] = Field(default=[])
    refused: list[int] = Field(default=[])
    forfeited_by: int = -1
