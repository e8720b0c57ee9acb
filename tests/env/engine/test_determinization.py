"""Determinizations: what a `Determinizer` gives an agent is what the seat may know."""

import numpy as np
import pytest

from tests.agents.every import each_game
from tests.env.third_game import make as make_third
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.determinization import Determinizer
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game

GAMES = [
    make_game("warehouse51_v1", num_players=3),
    make_game("warehouse51_v1", num_players=5, preset="hu"),
    make_game("warehouse51_v1", preset="mini"),
    make_game("warehouse51_v1", preset="nano"),
    make_game("alles_futsch_v1", num_players=4),
    make_third(num_players=3),
]
every_game = each_game(GAMES)


def running(game: Game, num_games: int = 40, seed: int = 2) -> Batch:
    """Games at decisions of all ages."""
    batch = Batch(game, num_games, seed=seed)
    batch.reset()
    generator = np.random.default_rng(seed)
    states = batch.clone()
    for index in generator.permutation(num_games):
        states[index] = batch.games[index]
        batch.step(batch.sample_actions())
    batch.games[:] = states
    batch.refresh()
    return batch


def indistinguishable(batch: Batch, seed: int) -> np.ndarray:
    """Other true states, which the seat to move cannot tell from those of the batch."""
    other = Batch(batch.game, batch.num_games)
    other.games[:] = batch.games
    other.refresh()
    other.resample_hidden(batch.seat, seed)
    return other.games


@every_game
def test_the_seat_sees_the_same_in_each_determinization_and_may_do_the_same(game: Game):
    batch = running(game)
    for index in range(batch.num_games):
        drawn = Batch(game, 7)
        drawn.games[:] = Determinizer(game, batch.games[index], int(batch.seat[index])).draw(7, seed=index)
        drawn.refresh()
        np.testing.assert_array_equal(*np.broadcast_arrays(drawn.observation, batch.observation[index]))
        np.testing.assert_array_equal(*np.broadcast_arrays(drawn.action_mask, batch.action_mask[index]))


@every_game
def test_games_that_differ_in_what_the_seat_cannot_know_give_equal_determinizations(game: Game):
    batch = running(game)
    others = indistinguishable(batch, seed=5)
    assert (batch.games != others).any()
    for index in range(batch.num_games):
        seat = int(batch.seat[index])
        one, other = Determinizer(game, batch.games[index], seat), Determinizer(game, others[index], seat)
        assert one.draw(5, seed=9).tobytes() == other.draw(5, seed=9).tobytes()
        for kept in Determinizer.__slots__:  # nor does anything else that is kept tell them apart
            np.testing.assert_array_equal(np.asarray(getattr(one, kept)), np.asarray(getattr(other, kept)))


def test_the_future_of_the_true_game_is_not_among_what_is_drawn():
    """The stream of a record decides what its bots do and what is still to be drawn."""
    batch = running(GAMES[0], 5)
    for index in range(5):
        drawn = Determinizer(GAMES[0], batch.games[index], int(batch.seat[index])).draw(50, seed=1)
        assert len(np.unique(drawn["stream"])) == 50
        assert batch.games["stream"][index] not in drawn["stream"]


def test_the_same_seed_gives_the_same_determinizations_and_another_seed_others():
    batch = running(GAMES[0], 1)
    determinizer = Determinizer(GAMES[0], batch.games[:1], 0)
    assert determinizer.draw(20, seed=3).tobytes() == determinizer.draw(20, seed=3).tobytes()
    assert determinizer.draw(20, seed=3).tobytes() != determinizer.draw(20, seed=4).tobytes()
    assert (determinizer.game, determinizer.seat) == (GAMES[0], 0)


def test_a_wrong_record_seat_count_or_seed_is_an_error():
    state = running(GAMES[0], 1).clone()
    for record, seat, message in (
        (np.zeros(1, GAMES[4].record), 0, "one state of warehouse51_v1 is needed"),
        (np.zeros(2, GAMES[0].record), 0, r"of shape \(2,\), but one state of warehouse51_v1 is needed"),
        (state, 3, "seat: 3, but an integer from 0 to 2 is allowed"),
    ):
        with pytest.raises(OptionError, match=message):
            Determinizer(GAMES[0], record, seat)
    for count, seed, message in ((0, 1, "count: 0"), (1, -1, "seed: -1")):
        with pytest.raises(OptionError, match=message):
            Determinizer(GAMES[0], state, 0).draw(count, seed)
