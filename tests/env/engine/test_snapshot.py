"""Snapshots of a batch: a restored batch continues byte for byte; other bytes are refused and change nothing."""

import numpy as np
import pytest

from w51_env import alles_futsch, warehouse51
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, OptionError

GAME = warehouse51.make(4)
TABLE = ("external", "heuristic", "random", "external")


def begin(num_games: int = 8, game=GAME, **settings) -> Batch:
    batch = Batch(game, num_games, **{"seed": 7, "controllers": TABLE, "seating": "shuffle", **settings})
    batch.reset()
    return batch


def shown(batch: Batch) -> bytes:
    """All that a caller can see, but for the last observations of finished games."""
    now = (batch.games, batch.observation, batch.action_mask, batch.seat, batch.rewards, batch.done, batch.illegal)
    last = (batch.final_scores, batch.final_ranks, batch.final_length, batch.learner, batch.skipped)
    return b"".join(array.tobytes() for array in (*now, *last, batch.controllers, batch.first_controllers, batch.seeds))


def play(batch: Batch, steps: int) -> tuple[list[bytes], int]:
    """What is seen after each step, and how many episodes ended."""
    seen, ended = [], 0
    for _ in range(steps):
        batch.step(batch.sample_actions())
        seen.append(shown(batch))
        ended += int(batch.done.sum())
    return seen, ended


@pytest.mark.parametrize("seating", ["fixed", "rotate", "shuffle"])
@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
def test_a_restored_batch_goes_on_as_if_nothing_had_happened(seating, autoreset):
    batch, other = begin(seating=seating, autoreset=autoreset), begin(seating=seating, autoreset=autoreset, seed=8)
    play(batch, 60)
    kept, before = batch.snapshot(), shown(batch)
    expected, ended = play(batch, 400)
    assert ended > 3 * batch.num_games
    play(other, 11)
    other.restore(kept)
    assert shown(other) == before
    assert play(other, 400)[0] == expected


def test_a_batch_that_has_not_begun_can_be_restored():
    batch = begin()
    play(batch, 30)
    other = Batch(GAME, 8, seed=1, controllers=TABLE, seating="shuffle")
    other.restore(batch.snapshot())
    assert play(other, 50) == play(batch, 50)


def test_what_ended_in_the_last_step_is_still_shown():
    batch = begin()
    while not batch.done.any():
        batch.step(batch.sample_actions())
    other = begin(seed=8)
    other.restore(batch.snapshot())
    assert other.done.tolist() == batch.done.tolist()
    assert other.rewards[batch.done].any()


def test_games_that_are_over_stay_over():
    batch, other = begin(autoreset="disabled"), begin(autoreset="disabled", seed=8)
    play(batch, 60)
    assert (batch.seat == -1).any()
    other.restore(batch.snapshot())
    assert (other.seat == batch.seat).all()
    batch.reset()
    other.reset()
    assert play(other, 30) == play(batch, 30)


def test_threads_make_no_difference():
    batch, other = begin(200), begin(200, threads=2, seed=8)
    play(batch, 20)
    other.restore(batch.snapshot())
    assert play(other, 20) == play(batch, 20)
    other.close()


def test_a_snapshot_leaves_the_games_as_they_are():
    batch, twin = begin(), begin()
    assert batch.snapshot() == batch.snapshot()
    assert play(batch, 50) == play(twin, 50)


def test_the_controllers_of_an_array_come_back():
    table = np.random.default_rng(0).integers(-1, 2, (8, 4))
    table[:, 0] = -1
    batch, other = begin(controllers=table), begin(controllers=np.full((8, 4), -1))
    other.restore(batch.snapshot())
    assert (other.first_controllers == table).all()
    batch.reset(seed=3)
    other.reset(seed=3)
    assert play(other, 40) == play(batch, 40)


# ---- what is refused


def refused(batch: Batch, snapshot: object, message: str) -> None:
    before, kept = shown(batch), batch.snapshot()
    with pytest.raises(OptionError, match=message):
        batch.restore(snapshot)
    assert (shown(batch), batch.snapshot()) == (before, kept)


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: b"",
        lambda kept: kept[:-1],
        lambda kept: kept + b"\0",
        lambda kept: bytes([kept[0] ^ 1]) + kept[1:],
        lambda kept: kept[:-1] + bytes([kept[-1] ^ 1]),
        lambda kept: kept[16:] + kept[:16],
    ],
    ids=["none", "cut", "longer", "first byte", "last byte", "turned"],
)
def test_a_damaged_snapshot_is_refused(damage):
    batch = begin()
    damaged = damage(batch.snapshot())
    refused(
        batch,
        damaged,
        f"snapshot: {len(damaged)} bytes that are damaged or of other games; 8 games of warehouse51_v1 with these",
    )


@pytest.mark.parametrize(
    "game",
    [alles_futsch.make(4), warehouse51.make(3), warehouse51.make(4, preset="hu")],
    ids=["other game", "fewer seats", "other rules"],
)
def test_a_snapshot_of_another_game_or_other_rules_is_refused(game):
    foreign = Batch(game, 8, seed=7)
    foreign.reset()
    refused(begin(), foreign.snapshot(), "damaged or of other games")


@pytest.mark.parametrize("num_games", [1, 7, 9])
def test_a_snapshot_of_another_number_of_games_is_refused(num_games):
    refused(begin(), begin(num_games).snapshot(), "damaged or of other games; 8 games")


@pytest.mark.parametrize("nothing", [None, "text", 7, np.zeros(3, np.uint8)], ids=["None", "str", "int", "array"])
def test_what_are_no_bytes_is_no_snapshot(nothing):
    refused(begin(), nothing, r"snapshot: (NoneType|str|int|uint8 of shape .*), but bytes of `snapshot` are needed")


def test_there_is_no_snapshot_before_the_games_begin():
    with pytest.raises(GameOverError, match="snapshot: the games have not begun; call reset first"):
        Batch(GAME, 2, seed=1).snapshot()
