"""Short lessons: the choice that is said to be right wins clearly more often than each other one."""

import re

import numpy as np
import pytest

from w51_agents.networks.load import PRETRAINED
from w51_agents.search.judge import Judge
from w51_env.engine.determinization import Determinizer
from w51_env.views.language import LANGUAGES, Words
from w51_table.lessons.exercises import ARENA, exercises, topics
from w51_table.play.table import TableError

GAMES, MARGIN = 160, 0.15  # played to the end after each choice; share of them
MADE, PRACTICE = [exercise for topic in topics()[:-1] for exercise in exercises(topic)], exercises(ARENA)


@pytest.fixture(scope="module")
def judge():
    return Judge(MADE[0].position.game)


@pytest.mark.parametrize("exercise", MADE, ids=lambda exercise: exercise.question)
def test_the_right_choice_wins_clearly_more_often_than_each_other_one(judge, exercise):
    game, states, seat = exercise.position
    wins = judge.wins(Determinizer(game, states[0], seat), exercise.choices, GAMES, seed=1)
    right = wins[:, [exercise.choices.index(exercise.right)]]
    leads = np.delete(right - wins, exercise.choices.index(exercise.right), axis=1)
    errors = leads.std(axis=0) / GAMES**0.5
    assert (leads.mean(axis=0) - 3 * errors > MARGIN).all(), leads.mean(axis=0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_five_lessons_of_three_positions_have_a_question_a_reason_and_legal_choices(language):
    assert topics() == ("counterfeits", "left", "majorities", "pawning", "blind", ARENA)
    assert [len(exercises(topic)) for topic in topics()[:-1]] == [3] * 5
    steps = [exercise.step(language) for exercise in MADE]
    texts = [text for step in steps for text in (step.text, step.why)]
    known = Words(language).section("lesson_exercises")
    assert set(texts) == {text for key, text in known.items() if not key.startswith(ARENA)}
    practised = [exercise.step(language) for exercise in PRACTICE]
    assert not any(re.search(r"[{]|\w:\w", step.text + step.why) for step in practised)  # agents have names for people
    for exercise, step in zip([*MADE, *PRACTICE], [*steps, *practised], strict=True):
        assert step.view.seat == step.view.viewer == exercise.position.seat
        assert {step.action} < set(exercise.choices) <= {action["id"] for action in step.view.actions}


def test_what_the_coach_would_do_in_games_of_the_arena_wins_more_often_than_what_was_chosen():
    judge = Judge(PRACTICE[0].position.game, PRETRAINED)
    for exercise in PRACTICE:
        game, states, seat = exercise.position
        chosen = int(exercise.facts["chosen"])
        assert {chosen, exercise.right} <= set(exercise.choices)
        wins = judge.wins(Determinizer(game, states[0], seat), (exercise.right, chosen), GAMES // 2, seed=1)
        assert wins[:, 0].mean() > wins[:, 1].mean(), exercise.facts


def test_a_lesson_that_there_is_none_of_is_refused_with_those_there_are():
    with pytest.raises(TableError, match=r"'chess', but allowed are counterfeits, left, majorities, .*, arena"):
        exercises("chess")
