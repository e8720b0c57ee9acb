"""Guided first games: a small game that is always the same, with a text before each decision of the learner.

A lesson is data: a file in this folder, and its texts in the language files.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from w51_env.engine.game import Game
from w51_env.engine.registry import make_game
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_table.play.table import PERSON, SET_UP, Option, Setup, Table, TableError

LEARNER = 0  # the seat of the learner
_FOLDER = Path(__file__).parent


class LessonMove(TypedDict):
    """A decision of the learner in a file: its action, the entry of its text, and what the others do then."""

    action: str
    text: str
    then: list[str]


class LessonFile(TypedDict):
    """The file of a lesson."""

    game: str
    options: dict[str, Option]
    seed: int
    names: list[str]
    step: list[LessonMove]


@dataclass(frozen=True)
class LessonStep:
    """A decision of the learner, or the end of the game.

    Attributes:
        text: What happened and why, and what to do now.
        why: Why the other actions are not asked for; empty at the end.
        view: What the learner may know; everything at the end.
        action: Id of the action to take; None at the end.
    """

    text: str
    why: str
    view: View
    action: int | None


@cache
def lesson_games() -> tuple[str, ...]:
    """Ids of the games that have a lesson."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*_v*.toml")))


def lesson_steps(game_id: str, language: str) -> Iterator[LessonStep]:
    """The steps of the lesson of a game.

    Raises:
        TableError: The game has no lesson.
    """
    data = _data(game_id)
    words = Words(language, data["names"])
    seats = (PERSON, *["random"] * (len(words.names) - 1))
    table = Table(Setup(data["game"], data["options"], data["seed"], seats))
    seen = SET_UP
    for step in data["step"]:
        action = table.game.actions.id(step["action"])
        text = words(f"lesson_{game_id}.{step['text']}")
        why = words(f"lesson_{game_id}.{step['text']}_why")
        yield LessonStep(text, why, table.view(LEARNER, words, seen), action)
        seen = table.decision
        for name in (step["action"], *step["then"]):
            table.play(table.game.actions.id(name))
    yield LessonStep(words(f"lesson_{game_id}.end"), "", table.view("all", words, seen), None)


def lesson_game(game_id: str) -> Game:
    """The game of a lesson with its options; TableError as of `lesson_steps`."""
    data = _data(game_id)
    return make_game(data["game"], **data["options"])


def _data(game_id: str) -> LessonFile:
    if game_id not in lesson_games():
        raise TableError(f"lesson: {game_id!r}, but allowed are {', '.join(lesson_games())}")
    data: Any = tomllib.loads((_FOLDER / f"{game_id}.toml").read_text("utf-8"))
    lesson: LessonFile = data
    return lesson
