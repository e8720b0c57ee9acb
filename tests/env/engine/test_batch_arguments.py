"""Bad arguments of a batch, its methods and its settings: an exception names the value and what is allowed."""

import re

import numpy as np
import pytest

from tests.env.engine.batches import GAME, NO_SEEDS, begin, snapshot
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError, nearest
from w51_env.engine.game import PUBLIC

# ---- seats


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        (4, "seats: 4 to 4, but 0 to 3 is allowed"),
        (-1, "seats: -1 to -1, but 0 to 3 is allowed"),
        (256, "seats: 256 to 256, but 0 to 3 is allowed"),
        ([0, 1, 7], "seats: 0 to 7, but 0 to 3 is allowed"),
        ([0, 1], r"seats: int64 of shape \(2,\), but an integer or integers of shape \(3,\) are needed"),
        ([[0], [1], [2]], r"seats: int64 of shape \(3, 1\), but"),
        (1.0, r"seats: float64 of shape \(\), but"),
        (None, r"seats: object of shape \(\), but"),
    ],
)
def test_a_seat_that_is_not_at_the_table_is_refused(seats, message):
    batch = begin()
    before = snapshot(batch)
    with pytest.raises(OptionError, match=message):
        batch.observe(seats)
    with pytest.raises(OptionError, match=message):
        batch.resample_hidden(seats, seed=1)
    assert snapshot(batch) == before


@pytest.mark.parametrize(
    ("out", "dtype"),
    [
        (np.zeros((3, GAME.layout.size - 1), np.int8), "int8"),
        (np.zeros((2, GAME.layout.size), np.int8), "int8"),
        (np.zeros((3, GAME.layout.size), np.float32), "int8"),
        (np.zeros((GAME.layout.size, 3), np.int8).T, "int8"),
        (np.zeros((3, GAME.layout.size - 1), np.float32), "float32"),
        (np.zeros((3, GAME.layout.size), np.float64), "float32"),
        ([0.0], "float32"),
        (np.zeros((), np.float32), "float32"),
    ],
)
def test_a_buffer_that_does_not_fit_is_refused(out, dtype):
    batch = begin()
    needed = rf"out: .*, but (contiguous )?{dtype} of shape \(3, {GAME.layout.size}\) is needed"
    with pytest.raises(OptionError, match=needed):
        batch.observe(0, out=out) if dtype == "int8" else batch.observation_float(out=out)
    assert not np.any(out)


# ---- states


def test_state_bytes_bring_a_game_back():
    batch = begin()
    state = batch.state_bytes(0)
    batch.step(batch.sample_actions())
    batch.load_bytes(1, state)
    assert batch.state_bytes(1) == state


@pytest.mark.parametrize("index", [3, -1, 1.0, True, None, slice(2)])
def test_a_game_that_is_not_there_is_refused(index):
    batch = begin(events=True)
    before = snapshot(batch)
    message = re.escape(f"index: {index!r}, but an integer from 0 to 2 is allowed")
    for call in (batch.events, batch.state_bytes, lambda index: batch.load_bytes(index, batch.state_bytes(0))):
        with pytest.raises(OptionError, match=message):
            call(index)
    assert snapshot(batch) == before


# ---- settings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_games": 0}, "num_games: 0, but a positive integer is needed"),
        ({"num_games": True}, "num_games: True, but a positive integer is needed"),
        ({"num_games": 10**12}, "1000000000000 games need .* GiB of memory, more than is available; make fewer"),
        ({"num_games": 10**30}, "games need .* GiB of memory"),
        ({"observe": "no"}, "observe: 'no', but True or False is needed"),
        ({"keep_final": 2}, "keep_final: 2, but True or False is needed"),
        ({"events": "x"}, "events: 'x', but True or False is needed"),
        ({"threads": 0}, "threads: 0, but a positive integer is needed"),
        (
            {"autoreset": "same"},
            r"autoreset: 'same', but allowed are disabled, next_step, same_step \(did you mean 'same_step'\?\)",
        ),
        ({"illegal_action": "ignore"}, "illegal_action: 'ignore', but allowed are raise, lose"),
        (
            {"seating": "rotated"},
            r"seating: 'rotated', but allowed are fixed, rotate, shuffle \(did you mean 'rotate'\?\)",
        ),
        (
            {"controllers": ["external", "randon", "random", "random"]},
            r"controllers: 'randon', but allowed are external, .*\(did you mean 'random'\?\)",
        ),
        ({"controllers": 5}, "controllers: 5, but a sequence of names is needed, one for each of 4 seats"),
        (
            {"controllers": "random"},
            "controllers: 'random', but a sequence of names is needed, one for each of 4 seats",
        ),
        ({"controllers": np.zeros((3, 4))}, r"controllers: array\(.*\), but allowed are external, random"),
        ({"controllers": [0, 0, 0, 0]}, "controllers: 0, but allowed are external, random"),
        ({"controllers": ["external", "random"]}, r"controllers: shape \(2,\), but one for each of 4 seats is needed"),
        ({"controllers": np.zeros((5, 4), int)}, r"controllers: shape \(5, 4\), but one for each of 4 seats is needed"),
        ({"controllers": np.array([-2, 0, 0, 0])}, "controllers: -2 to 0, but -1 to"),
        ({"controllers": np.array([0, 0, 0, 99])}, "controllers: 0 to 99, but -1 to"),
    ],
)
def test_a_bad_setting_is_named_with_what_is_allowed(settings, message):
    with pytest.raises(OptionError, match=message):
        Batch(GAME, **{"num_games": 3, **settings})


def assert_reset_is_refused(message: str, **arguments) -> None:
    batch = begin()
    before = snapshot(batch)
    with pytest.raises(OptionError, match=message):
        batch.reset(**arguments)
    assert snapshot(batch) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("which", which) for which in ([True], [True, False, True, False], [[True, True, True]], [0, 1])),
        *(("seed", np.zeros(shape, np.uint64)) for shape in (2, (3, 1))),
    ],
)
def test_games_or_seeds_of_a_wrong_shape_are_refused_by_a_reset(name, value):
    assert_reset_is_refused(rf"{name}: shape \(.*\), but \(3,\) is needed", **{name: value})


@pytest.mark.parametrize("seed", NO_SEEDS)
@pytest.mark.parametrize("num_games", [1, 3])
def test_what_is_no_seed_is_refused_and_not_made_another(num_games: int, seed):
    message = re.escape(f"seed: {seed!r}, but an integer from 0 to 2**64-1 is allowed")
    batch = begin(num_games)
    before = snapshot(batch)
    for call in (
        batch.reset,
        batch.sample_actions,
        lambda seed: batch.resample_hidden(0, seed),
        lambda seed: Batch(GAME, num_games, seed=seed),
    ):
        with pytest.raises(OptionError, match=message):
            call(seed)
    assert snapshot(batch) == before


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (np.array([1.0, 2.0, 3.0]), "seed[0]: np.float64(1.0), but"),
        (np.array([1, 2, -3]), "seed[2]: np.int64(-3), but"),
        (np.array([True, False, True]), "seed[0]: np.True_, but"),
        (["a", "b", "c"], "seed[0]: 'a', but"),
        ([0, 1, 2**64], f"seed[2]: {2**64}, but"),
        ((0, None, 2), "seed[1]: None, but"),
        ([0, [1], 2], "seed[1]: [1], but"),
    ],
)
def test_of_several_seeds_the_one_that_is_no_seed_is_named(seeds, message):
    assert_reset_is_refused(re.escape(f"{message} an integer from 0 to 2**64-1 is allowed"), seed=seeds)


@pytest.mark.parametrize("viewer", [4, -1, "x", 2.5, True, "0"])
def test_events_are_shown_to_a_seat_to_the_public_or_to_one_who_may_see_all(viewer):
    batch = begin(events=True)
    for known in (None, PUBLIC, 0, np.int64(3)):
        assert batch.events(0, viewer=known)[0]["event"] == "set_up"
    with pytest.raises(OptionError, match=rf"viewer: {viewer!r}, but allowed are None, 'public', 0, 1, 2, 3$"):
        batch.events(0, viewer=viewer)


# ---- what is said of a value that is none of those allowed


def test_the_nearest_is_a_word_among_words():
    assert nearest("randm", ("random", 3, None)) == " (did you mean 'random'?)"
    assert nearest("3", (3, 4)) == nearest(3, ("3", "4")) == nearest(None, ("None",)) == ""


def test_seeds_may_be_integers_of_any_kind():
    batch = begin()
    numbers = [0, 7, 2**64 - 1]
    for seeds in (numbers, np.array(numbers, np.uint64), (np.int8(0), np.uint16(7), np.uint64(2**64 - 1))):
        batch.reset(seed=seeds)
        assert batch.seeds.tolist() == numbers
    batch.reset(seed=2**63)
    expected = batch.seeds.tolist()
    batch.reset(seed=np.uint64(2**63))
    assert batch.seeds.tolist() == expected
