"""Grades of decisions: a bad action costs, the same knowledge gives the same grade, chances are shares of one win."""

import numpy as np
import pytest

from tests.env.warehouse51.table import Table
from w51_agents.search.grades import Grade, Grader
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.game import Game


def graded(table: Table, name: str, seed: int = 0) -> Grade:
    game = table.game
    determinizer = Determinizer(game, table.state.copy(), table.seat)
    actions = [game.actions.id(action) for action in table.legal()]
    return Grader(game).grade(determinizer, actions, game.actions.id(name), seed)


def test_to_pass_the_last_relic_costs_the_game_and_a_bid_for_it_nothing():
    table = Table(3, first_player=0).give(0, "ark_of_the_covenant").decks("holy_grail").ingots(10, 10, 10)
    table.play("choose_deck_blue")
    passed, bid = graded(table, "pass"), graded(table, "bid_1")
    assert passed.chances[1] == 0.0
    assert passed.cost > 10 * passed.error > 0
    assert table.game.actions[passed.best].name == "bid_1"
    assert bid.cost == bid.error == 0.0
    assert bid.chances[1] == passed.cost


@pytest.mark.parametrize("game_id", ["warehouse51_v1", "alles_futsch_v1"])
def test_chances_share_one_win_and_states_that_look_the_same_have_one_grade(game_id: str):
    game = make_game(game_id)
    source, redrawn = (Batch(game, 1, seed=3, autoreset="disabled") for _ in range(2))
    source.reset()
    for step in range(30):
        source.step(source.sample_actions(step))
    redrawn.load(source.clone())
    seat = int(source.seat[0])
    redrawn.resample_hidden(seat, 5)
    actions = np.flatnonzero(source.action_mask[0]).tolist()
    grades = [grade_of(game, batch, actions) for batch in (source, redrawn)]
    assert (source.clone() != redrawn.clone()).any()
    assert grades[0] == grades[1]
    assert sum(grades[0].chances) == pytest.approx(1)


def grade_of(game: Game, batch: Batch, actions: list[int]) -> Grade:
    determinizer = Determinizer(game, batch.clone()[0], int(batch.seat[0]))
    return Grader(game).grade(determinizer, actions, actions[-1], seed=1)


def test_of_a_forced_choice_only_the_chances_are_found():
    game = make_game("warehouse51_v1", preset="nano")
    batch = Batch(game, 1, seed=0, autoreset="disabled")
    batch.reset()
    determinizer = Determinizer(game, batch.clone()[0], int(batch.seat[0]))
    action = int(np.flatnonzero(batch.action_mask[0])[0])
    grade = Grader(game).grade(determinizer, [action], action, 7)
    assert (grade.best, grade.cost, grade.error) == (action, 0.0, 0.0)
    assert grade.chances == Grader(game).chances(determinizer, action, 7)
