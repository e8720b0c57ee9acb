"""The standing: what each seat would score if the game ended now."""

import numpy as np
import pytest

from tests.env.engine.batches import stepped
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError
from w51_env.engine.standing import Standing


def begun(game_id: str, steps: int = 0, **options) -> Batch:
    return stepped(make_game(game_id, **options), 40, steps, seed=3, autoreset="disabled")


@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_a_last_decision_to_do_nothing_leaves_the_standing_as_the_score(num_players: int):
    batch = begun("warehouse51_v1", num_players=num_players)
    standing = Standing(batch.game)
    decline = batch.game.actions.id("decline")
    compared = 0
    while not (batch.games["over"] != 0).all():
        before = standing.scores(batch.games)
        actions = batch.sample_actions()
        batch.step(actions)
        ended = np.flatnonzero(batch.done & (actions == decline))
        np.testing.assert_array_equal(before[ended], batch.final_scores[ended])
        compared += len(ended)
    assert compared > 2
    np.testing.assert_array_equal(standing.scores(batch.games), batch.final_scores)


def test_states_stay_as_they_are_and_the_standing_moves_with_the_game():
    batch = begun("warehouse51_v1", 60)
    before = batch.games.tobytes()
    standing = Standing(batch.game)
    first, bound = standing.scores(batch.games), standing.bind(batch.games)
    assert batch.games.tobytes() == before
    for _ in range(40):
        batch.step(batch.sample_actions())
    assert (standing.scores(batch.games) != first).any()
    assert bound().tobytes() == standing.ended(batch.games).tobytes()  # reads the states of now


def test_the_standing_of_alles_futsch_is_cash():
    batch = begun("alles_futsch_v1", 30, num_players=4)
    np.testing.assert_array_equal(Standing(batch.game).scores(batch.games), batch.games["money"][:, :4])


def test_a_game_that_counts_no_points_before_its_end_is_named():
    with pytest.raises(OptionError, match=r"standing: one_lot.* counts no points before its end"):
        Standing(make_game("tests.env.third_game:make"))
