"""Short lessons: positions of which one choice is the best, each with a question and the reason.

They are data: `exercises.toml`, and texts in the language files. The last one is of decisions that agents made in games
of the arena, and what the coach would have done: `arena.toml`, which `python -m benchmarks.practice` writes.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.views.language import Words
from w51_table.lessons import LessonStep
from w51_table.play.agent_pool import agent_name
from w51_table.play.table import Setup, Table, TableError
from w51_table.positions.position import Position, read_position

GAME = "warehouse51_v1"
_FILE = Path(__file__).with_suffix(".toml")
_CARDS = _FILE.with_name("exercises_cards.toml")
_ARENA = _FILE.with_name("arena.toml")
_NAMES = ("Ada", "Max", "Zoe", "Ben", "Eva")
ARENA = "arena"  # the lesson of games of the arena


class _Entry(TypedDict):
    """A position in the file, with the names of actions."""

    position: dict[str, object]
    choices: list[str]
    right: str


class ArenaEntry(TypedDict):
    """A decision of a game of the arena: ids of the actions before it, of the choices, the best, and what was chosen.

    `chance` and `less` are the chances to win after the best choice and after what the agent chose, in percent.
    """

    options: dict[str, int]
    seed: int
    moves: list[int]
    choices: list[int]
    right: int
    agent: str
    chosen: int
    chance: int
    less: int


@dataclass(frozen=True)
class Exercise:
    """A position with its choices.

    Attributes:
        question: The entry of its text in the language files; that of the reason ends in `_why`.
        position: The position; the learner is its seat.
        choices: Ids of actions.
        right: The best of them.
        facts: What the texts say of a game of the arena: names of fields, and for `chosen` and `right` ids of actions.
    """

    question: str
    position: Position
    choices: tuple[int, ...]
    right: int
    facts: Mapping[str, str | int] = field(default_factory=dict)

    def step(self, language: str) -> LessonStep:
        """It as a step of a lesson."""
        words = Words(language, _NAMES[: self.position.game.num_players])
        batch = Batch(self.position.game, 1, autoreset="disabled", keep_final=False)
        batch.load(self.position.states)
        view = batch.view(0, self.position.seat, words=words)
        texts = view.action_texts()
        facts = {key: texts[int(fact)] if key in ("chosen", "right") else fact for key, fact in self.facts.items()}
        facts |= {"agent": agent_name(str(facts["agent"]), words)} if facts else {}
        text, why = (words(f"lesson_exercises.{self.question}{part}", **facts) for part in ("", "_why"))
        return LessonStep(text, why, view, self.right)


@cache
def topics() -> tuple[str, ...]:
    """Ids of the short lessons."""
    return (*_data(), ARENA)


@cache
def exercises(topic: str) -> tuple[Exercise, ...]:
    """The positions of a short lesson; TableError if there is none of this id."""
    if topic not in topics():
        raise TableError(f"lesson: {topic!r}, but allowed are {', '.join(topics())}")
    if topic == ARENA:
        found: Any = tomllib.loads(_ARENA.read_text("utf-8"))
        return tuple(map(_arena_exercise, found["position"]))
    return tuple(_exercise(f"{topic}_{number}", entry) for number, entry in enumerate(_data()[topic], 1))


def _exercise(question: str, entry: _Entry) -> Exercise:
    options = {"num_players": 3, "relics": _CARDS.read_text("utf-8"), "counterfeits_per_gap": 1}
    position = read_position({"game": GAME, "options": options, "seat": 0, **entry["position"]})
    action = position.game.actions.id
    return Exercise(question, position, tuple(map(action, entry["choices"])), action(entry["right"]))


def _arena_exercise(entry: ArenaEntry) -> Exercise:
    """An entry of the file of the arena as an exercise."""
    table = Table(Setup(GAME, entry["options"], entry["seed"], ("random",) * entry["options"]["num_players"]))
    for action in entry["moves"]:
        table.play(action)
    frame = table.frame()
    position = Position(table.game, np.array([frame.state], table.game.record), frame.seat)
    facts: dict[str, str | int] = {key: entry[key] for key in ("agent", "chosen", "right", "chance", "less")}
    return Exercise(ARENA, position, tuple(entry["choices"]), entry["right"], facts)


@cache
def _data() -> dict[str, list[_Entry]]:
    data: Any = tomllib.loads(_FILE.read_text("utf-8"))
    found: dict[str, list[_Entry]] = data
    return found
