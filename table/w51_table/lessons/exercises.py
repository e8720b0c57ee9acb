"""Short lessons: positions of which one choice is the best, each with a question and the reason.

They are data: `exercises.toml`, and texts in the language files.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from w51_env.engine.batch import Batch
from w51_env.views.language import Words
from w51_table.lessons import LessonStep
from w51_table.play.table import TableError
from w51_table.positions.position import Position, read_position

GAME = "warehouse51_v1"
_FILE = Path(__file__).with_suffix(".toml")
_CARDS = _FILE.with_name("exercises_cards.toml")
_NAMES = ("Ada", "Max", "Zoe")


class _Entry(TypedDict):
    """A position in the file, with the names of actions."""

    position: dict[str, object]
    choices: list[str]
    right: str


@dataclass(frozen=True)
class Exercise:
    """A position with its choices.

    Attributes:
        question: The entry of its text in the language files; that of the reason ends in `_why`.
        position: The position; the learner is its seat.
        choices: Ids of actions.
        right: The best of them.
    """

    question: str
    position: Position
    choices: tuple[int, ...]
    right: int

    def step(self, language: str) -> LessonStep:
        """It as a step of a lesson."""
        words = Words(language, _NAMES)
        batch = Batch(self.position.game, 1, autoreset="disabled", keep_final=False)
        batch.load(self.position.states)
        text, why = (words(f"lesson_exercises.{self.question}{part}") for part in ("", "_why"))
        return LessonStep(text, why, batch.view(0, self.position.seat, words=words), self.right)


@cache
def topics() -> tuple[str, ...]:
    """Ids of the short lessons."""
    return tuple(_data())


@cache
def exercises(topic: str) -> tuple[Exercise, ...]:
    """The positions of a short lesson; TableError if there is none of this id."""
    if topic not in topics():
        raise TableError(f"lesson: {topic!r}, but allowed are {', '.join(topics())}")
    return tuple(_exercise(f"{topic}_{number}", entry) for number, entry in enumerate(_data()[topic], 1))


def _exercise(question: str, entry: _Entry) -> Exercise:
    options = {"num_players": len(_NAMES), "relics": _CARDS.read_text("utf-8"), "counterfeits_per_gap": 1}
    position = read_position({"game": GAME, "options": options, "seat": 0, **entry["position"]})
    action = position.game.actions.id
    return Exercise(question, position, tuple(map(action, entry["choices"])), action(entry["right"]))


@cache
def _data() -> dict[str, list[_Entry]]:
    data: Any = tomllib.loads(_FILE.read_text("utf-8"))
    found: dict[str, list[_Entry]] = data
    return found
