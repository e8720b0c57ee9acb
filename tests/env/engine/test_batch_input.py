"""Actions that a batch refuses: an exception names game, seat and what is legal; no game has changed."""

import re

import numpy as np
import pytest

from tests.env.engine.batches import GAME, begin, snapshot
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, IllegalActionError

CHOOSE_BLUE, PASS, DECLINE = (GAME.actions.id(name) for name in ("choose_deck_blue", "pass", "decline"))
NUM_ACTIONS = len(GAME.actions)


def play_out(batch: Batch, index: int) -> None:
    """Play one game to its end by random actions; the others stay where they are."""
    others = batch.clone()
    while batch.seat[index] >= 0:
        batch.step(batch.sample_actions())
    finished = batch.games[index].copy()
    batch.games[:] = others
    batch.games[index] = finished
    batch.refresh()


def refused(batch: Batch, actions, error: type[Exception], message: str) -> None:
    before = snapshot(batch)
    with pytest.raises(error, match=message):
        batch.step(actions)
    assert snapshot(batch) == before


# ---- actions that are not legal


def test_an_illegal_action_names_game_seat_and_what_is_legal():
    names = ("blue", "green", "golden", "red")
    legal = ", ".join(f"{GAME.actions.id(f'choose_deck_{name}')} (choose_deck_{name})" for name in names)
    message = re.escape(f"game 1: action {PASS} (pass) is not legal for seat 0; legal are {legal}") + "$"
    refused(begin(), np.array([CHOOSE_BLUE, PASS, CHOOSE_BLUE]), IllegalActionError, message)


@pytest.mark.parametrize("action", [-1, -3, NUM_ACTIONS, 1000, 2**31, -(2**31), 2**40, -(2**40), 2**63 - 1, 2**64 - 1])
def test_an_action_out_of_range_is_refused(action):
    ids = rf"\(ids go from 0 to {NUM_ACTIONS - 1}\)"
    message = rf"game 2: action {action} {ids} is not legal for seat 0; legal are 0 \(choose_deck_blue\)"
    actions = np.array([CHOOSE_BLUE, CHOOSE_BLUE, action], np.uint64 if action > 2**63 else np.int64)
    refused(begin(), actions, IllegalActionError, message)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])
def test_integers_of_any_width_are_actions(dtype):
    batch = begin()
    batch.step(np.full(3, CHOOSE_BLUE, dtype))
    np.testing.assert_array_less(0, batch.games["decisions"])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_of_several_illegal_actions_the_first_is_named_and_all_games_stay(threads: int):
    batch = begin(600, threads=threads)
    actions = np.full(600, CHOOSE_BLUE)
    actions[[599, 37, 38, 300]] = DECLINE
    refused(batch, actions, IllegalActionError, "game 37: ")
    batch.step(np.full(600, CHOOSE_BLUE))
    batch.close()


# ---- games that are over or have not begun


def test_a_finished_game_takes_no_action():
    batch = begin()
    play_out(batch, 1)
    for action in (PASS, NUM_ACTIONS + 1):
        message = f"game 1: action {action}.*, but the game is over; reset it"
        refused(batch, np.array([CHOOSE_BLUE, action, CHOOSE_BLUE]), GameOverError, message)
    finished = batch.state_bytes(1)
    batch.step(np.array([CHOOSE_BLUE, -1, CHOOSE_BLUE]))  # NO_ACTION
    assert batch.state_bytes(1) == finished
    np.testing.assert_array_less(0, batch.games["decisions"][[0, 2]])
    assert not batch.action_mask[1].any()


def test_a_batch_that_has_not_begun_has_no_games_to_copy_or_to_act_in():
    batch = Batch(GAME, 2, seed=51)
    for call in ("clone", "sample_actions"):
        with pytest.raises(GameOverError, match=f"{call}: the games have not begun; call reset first"):
            getattr(batch, call)()
    batch.games[:] = begin(2).clone()
    batch.refresh()  # games written by hand have begun
    batch.step(batch.sample_actions())
    np.testing.assert_array_less(0, batch.clone()["decisions"])


def test_where_an_illegal_action_loses_only_its_own_game_ends():
    batch = begin(illegal_action="lose")
    batch.step(np.array([CHOOSE_BLUE, NUM_ACTIONS, CHOOSE_BLUE]))
    assert batch.done.tolist() == batch.illegal.tolist() == [False, True, False]
    assert batch.rewards[1].tolist() == pytest.approx([-1, 1 / 3, 1 / 3, 1 / 3])
    assert not batch.rewards[[0, 2]].any()
    assert batch.seat.tolist() == [1, -1, 1]


@pytest.mark.parametrize("others", [CHOOSE_BLUE, NUM_ACTIONS])
def test_where_an_illegal_action_loses_a_finished_game_still_takes_none(others):
    batch = begin(illegal_action="lose")
    play_out(batch, 2)
    refused(batch, np.array([others, CHOOSE_BLUE, PASS]), GameOverError, f"game 2: action {PASS}, but the game is over")
