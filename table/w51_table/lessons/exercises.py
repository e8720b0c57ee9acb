"""Short lessons: positions of which one choice is the best, each with a question and the reason.

They are data: `exercises.toml`, and texts in the language files.
"""

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from w51_env.engine.batch import Batch
from w51_env.views.language import Words
from w51_env.warehouse51.relics import load_relic_set, relics_text
from w51_table.lessons import LessonStep
from w51_table.play.table import TableError
from w51_table.positions.position import Position, read_position

GAME = "warehouse51_v1"
_FILE = Path(__file__).with_suffix(".toml")
_NAMES = ("Ada", "Max", "Zoe")
_BLANKS = 12  # counterfeit cards that show no relic


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
    return tuple(name for name in _data() if name != "cards")


@cache
def exercises(topic: str) -> tuple[Exercise, ...]:
    """The positions of a short lesson; TableError if there is none of this id."""
    if topic not in topics():
        raise TableError(f"lesson: {topic!r}, but allowed are {', '.join(topics())}")
    return tuple(_exercise(f"{topic}_{number}", entry) for number, entry in enumerate(_data()[topic], 1))


def _exercise(question: str, entry: dict[str, Any]) -> Exercise:
    whole = load_relic_set("reconstruction-1")
    relics = tuple(relic for relic in whole.relics if relic.id in _data()["cards"])
    cards = relics_text(replace(whole, relics=relics, blank_counterfeits=_BLANKS))
    options = {"num_players": len(_NAMES), "relics": cards, "counterfeits_per_gap": 1}
    position = read_position({"game": GAME, "options": options, "seat": 0, **entry["position"]})
    action = position.game.actions.id
    return Exercise(question, position, tuple(map(action, entry["choices"])), action(entry["right"]))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))
