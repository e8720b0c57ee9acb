"""What another evaluator needs to let a model play: the system prompt, the prompt of a view, legal actions, the answer.

All of it is text and plain data; who asks the model, and how, is the caller's part.
"""

from functools import lru_cache

from w51_agents.language.answers import AnswerReader
from w51_agents.language.prompts import system_prompt, turn_prompt
from w51_env.engine.game import Game
from w51_env.views.view import View

__all__ = ["legal_actions", "parse_answer", "system_prompt", "turn_prompt"]


def legal_actions(view: View) -> list[str]:
    """The names of the legal actions, the choices of a schema or a tool; empty if the viewer is not to move."""
    return [action["name"] for action in view.actions]


def parse_answer(game: Game, view: View, answer: str) -> int:
    """The action that a written answer names; AnswerError, with the reason, if it is not exactly one legal action."""
    return _reader(game).read(answer, view.actions)


@lru_cache(maxsize=16)
def _reader(game: Game) -> AnswerReader:
    return AnswerReader(game.actions)
