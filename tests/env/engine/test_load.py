"""Loading states: a batch continues from any states, also from fewer than it has games."""

import numpy as np
import pytest

from tests.env.engine.batches import stepped
from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import IllegalActionError, OptionError
from w51_env.engine.game import EXTERNAL, EXTERNAL_INDEX, NO_ACTION, RANDOM, Game

GAMES = [warehouse51.make(4), alles_futsch.make(3)]


def running(game: Game, num_games: int, steps: int = 12, **settings) -> Batch:
    """A batch in the middle of its games."""
    return stepped(game, num_games, steps, seed=5, autoreset="disabled", **settings)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_loaded_states_continue_as_they_would_have(game: Game):
    batch, other = running(game, 5), Batch(game, 9, seed=1, autoreset="disabled")
    other.load(batch.clone())
    np.testing.assert_array_equal(other.observation[:5], batch.observation)
    np.testing.assert_array_equal(other.action_mask[:5], batch.action_mask)
    while (batch.seat >= 0).any():
        actions = batch.sample_actions()
        batch.step(actions)
        other.step(actions)
        assert other.games[:5].tobytes() == batch.games.tobytes()
        np.testing.assert_array_equal(other.rewards[:5], batch.rewards)
    np.testing.assert_array_equal(other.final_scores[:5], batch.final_scores)
    np.testing.assert_array_equal(other.final_ranks[:5], batch.final_ranks)


def test_games_beyond_the_loaded_states_are_over():
    batch = running(GAMES[0], 6)
    batch.load(batch.clone(np.array([4, 2])))
    assert batch.seat[:2].min() >= 0
    np.testing.assert_array_equal(batch.seat[2:], -1)
    assert not batch.action_mask[2:].any()
    np.testing.assert_array_equal(batch.sample_actions()[2:], NO_ACTION)
    batch.load(batch.clone()[:0])
    np.testing.assert_array_equal(batch.seat, -1)
    batch.step(np.empty(0, np.int64))


def test_a_loaded_game_that_is_over_shows_its_results():
    batch = running(GAMES[0], 2, controllers=["heuristic"] * 4)
    other = Batch(GAMES[0], 3, seed=1, autoreset="disabled")
    other.load(batch.clone())
    np.testing.assert_array_equal(batch.seat, -1)
    np.testing.assert_array_equal(other.seat, -1)
    np.testing.assert_array_equal(other.final_scores[:2], batch.final_scores)
    np.testing.assert_array_equal(other.final_ranks[:2], batch.final_ranks)
    np.testing.assert_array_equal(other.final_length[:2], batch.final_length)


def test_fewer_actions_than_running_games_are_refused():
    batch = running(GAMES[0], 4)
    batch.load(batch.clone()[:3])
    before = batch.games.tobytes()
    for actions in (batch.sample_actions()[:2], np.empty(0, np.int64), np.zeros((3, 1), np.int64)):
        with pytest.raises(IllegalActionError, match=r"integers of shape \(4,\) are needed"):
            batch.step(actions)
    assert batch.games.tobytes() == before
    batch.step(batch.sample_actions()[:3])


def test_the_controllers_of_a_game_have_names():
    batch = Batch(GAMES[0], 2, seed=1, controllers=np.array([[EXTERNAL_INDEX, 0, 1, 0], [1, 1, EXTERNAL_INDEX, 1]]))
    assert batch.controller_names(0) == (EXTERNAL, RANDOM, "heuristic", RANDOM)
    assert batch.controller_names(1) == ("heuristic", "heuristic", EXTERNAL, "heuristic")
    assert all(game.bots[0] == RANDOM for game in GAMES)


def test_a_determinizer_of_a_batch_is_of_the_seat_to_move():
    batch = running(GAMES[0], 3, steps=20)
    drawn = Batch(GAMES[0], 6, seed=0)
    drawn.load(batch.determinizer(1).draw(6, seed=2))
    np.testing.assert_array_equal(*np.broadcast_arrays(drawn.observation, batch.observation[1]))
    batch.load(batch.clone()[:0])
    with pytest.raises(OptionError, match="seat: -1"):
        batch.determinizer(1)
