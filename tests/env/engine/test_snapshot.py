"""Snapshots of a batch: a restored batch continues byte for byte; other bytes are refused and change nothing."""

import numpy as np
import pytest

from tests.env.engine.batches import snapshot
from w51_env import warehouse51
from w51_env.engine.batch import Batch

GAME = warehouse51.make(4)
TABLE = ("external", "heuristic", "random", "external")


def begin(num_games: int = 8, game=GAME, **settings) -> Batch:
    batch = Batch(game, num_games, **{"seed": 7, "controllers": TABLE, "seating": "shuffle", **settings})
    batch.reset()
    return batch


def play(batch: Batch, steps: int) -> tuple[list[tuple[bytes, ...]], int]:
    """What is seen after each step, and how many episodes ended."""
    seen, ended = [], 0
    for _ in range(steps):
        batch.step(batch.sample_actions())
        seen.append(snapshot(batch))
        ended += int(batch.done.sum())
    return seen, ended


@pytest.mark.parametrize("seating", ["fixed", "rotate", "shuffle"])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_a_restored_batch_goes_on_as_if_nothing_had_happened(seating, autoreset):
    batch, other = begin(seating=seating, autoreset=autoreset), begin(seating=seating, autoreset=autoreset, seed=8)
    play(batch, 60)
    while not batch.done.any():  # what ended in the last step is still shown
        play(batch, 1)
    kept, before = batch.snapshot(), snapshot(batch)
    expected, ended = play(batch, 400)
    assert ended > 3 * batch.num_games
    play(other, 11)
    other.restore(kept)
    assert snapshot(other) == before
    assert play(other, 400)[0] == expected


def test_a_batch_that_has_not_begun_can_be_restored():
    batch = begin()
    play(batch, 30)
    other = Batch(GAME, 8, seed=1, controllers=TABLE, seating="shuffle")
    other.restore(batch.snapshot())
    assert play(other, 50) == play(batch, 50)


def test_games_that_are_over_stay_over():
    batch, other = begin(autoreset="disabled"), begin(autoreset="disabled", seed=8)
    play(batch, 60)
    assert (batch.seat == -1).any()
    other.restore(batch.snapshot())
    np.testing.assert_array_equal(other.seat, batch.seat)
    batch.reset()
    other.reset()
    assert play(other, 30) == play(batch, 30)


def test_the_controllers_of_an_array_come_back():
    table = np.random.default_rng(0).integers(-1, 2, (8, 4))
    table[:, 0] = -1
    batch, other = begin(controllers=table), begin(controllers=np.full((8, 4), -1))
    other.restore(batch.snapshot())
    np.testing.assert_array_equal(other.first_controllers, table)
    batch.reset(seed=3)
    other.reset(seed=3)
    assert play(other, 40) == play(batch, 40)
