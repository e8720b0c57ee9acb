"""Bad arguments of a batch, its methods and its settings: an exception names the value and what is allowed."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.env.engine.batches import GAME, GAMES, NO_SEEDS, begin, running, snapshot
from w51_env.engine.batch import Batch
from w51_env.engine.errors import IllegalActionError, OptionError, nearest
from w51_env.engine.game import PUBLIC

# ---- methods

SIZE = GAME.layout.size
MASKED = np.ma.masked_array([0, 0, 0], mask=[False, True, False])
STATES = (lambda: running(GAMES[1]).clone(), lambda: begin(4).clone(), lambda: begin().clone()[None])
UNEQUAL = ([[1], [1, 2], [3]], [1, [2], 3], {1, 2, 3}, None, "abc", [2**70, 1, 1])
CALLS: dict[str, Callable[[Batch, Any], object]] = {
    "step": lambda batch, actions: batch.step(actions),
    "observe": lambda batch, seats: batch.observe(seats),
    "redraw": lambda batch, seats: batch.resample_hidden(seats, seed=1),
    "observe out": lambda batch, out: batch.observe(0, out=out),
    "float out": lambda batch, out: batch.observation_float(out=out),
    "load": lambda batch, states: batch.load(states),
    "load_bytes": lambda batch, index: batch.load_bytes(index, batch.state_bytes(0)),
    "state_bytes": lambda batch, index: batch.state_bytes(index),
    "events": lambda batch, index: batch.events(index),
    "viewer": lambda batch, viewer: batch.events(0, viewer=viewer),
    "reset": lambda batch, seed: batch.reset(seed),
    "which": lambda batch, which: batch.reset(which=which),
    "sample": lambda batch, seed: batch.sample_actions(seed),
    "redraw by": lambda batch, seed: batch.resample_hidden(0, seed),
}
# Calls, values or what makes them, and the message; in it {0} is the value, {1} its dtype and shape as an array.
BAD: list[tuple[tuple[str, ...], Any, str]] = [
    (("step",), ([0] * size for size in (0, 1, 4)), "actions: {1}, but integers of shape (3,) are needed"),
    (("step",), (0, [[0] * 3], [0.0] * 3, [False] * 3, ["0"] * 3), "actions: {1}, but integers of shape (3,) are"),
    (("step",), ([None, 0, 0], [0, 0, 2**70]), "actions: {1}"),
    (("step",), UNEQUAL, "actions: "),
    (("observe", "redraw"), UNEQUAL, "seats: "),
    (("observe", "redraw"), (4, -1, 256), "seats: {0} to {0}, but 0 to 3 is allowed"),
    (("observe", "redraw"), ([0, 1, 7],), "seats: 0 to 7, but 0 to 3 is allowed"),
    (("observe", "redraw"), ([0, 1], [[0], [1], [2]], 1.0), "seats: {1}, but an integer or integers of shape (3,) are"),
    (("observe out",), (np.zeros((3, SIZE), np.float32),), "out: {1}, but contiguous int8 of"),
    (
        ("observe out",),
        (np.zeros(shape, np.int8) for shape in ((3, SIZE - 1), (2, SIZE))),
        "out: {1}, but contiguous int8 of",
    ),
    (("observe out",), (np.zeros((SIZE, 3), np.int8).T,), "out: int8 of shape"),
    (("float out",), (np.zeros((3, SIZE)), [0.0], np.zeros((), np.float32)), "out: "),
    (("load",), UNEQUAL, "states: "),
    (("load",), (np.zeros(3), *STATES), "but at most 3 states of warehouse51_v1 are needed"),
    (
        ("load_bytes", "state_bytes", "events"),
        (3, -1, 1.0, True, None, slice(2)),
        "index: {0!r}, but an integer from 0",
    ),
    (("viewer",), (4, -1, "x", 2.5, True, "0"), "viewer: {0!r}, but allowed are None, 'public', 0, 1, 2, 3"),
    (("which",), ([True], [True, False] * 2, [[True] * 3], [0, 1]), "which: shape {2}, but (3,) is needed"),
    (("reset",), (np.zeros(shape, np.uint64) for shape in (2, (3, 1))), "seed: shape {2}, but (3,) is needed"),
    (("reset", "sample", "redraw by"), NO_SEEDS, "seed: {0!r}, but an integer from 0 to 2**64-1 is allowed"),
    (("reset",), (np.array([1.0, 2.0, 3.0]), [np.float64(1), 2, 3]), "seed[0]: np.float64(1.0), but an integer from"),
    (("reset",), ([1, 2, np.int64(-3)], np.array([1, 2, -3])), "seed[2]: np.int64(-3), but an integer from 0 to"),
    (("reset",), (np.array([True, False, True]),), "seed[0]: np.True_, but an integer from 0 to 2**64-1 is allowed"),
    (("reset",), (["a", "b", "c"],), "seed[0]: 'a', but an integer from 0 to 2**64-1 is allowed"),
    (("reset",), ([0, 1, 2**64],), f"seed[2]: {2**64}, but an integer from 0 to 2**64-1 is allowed"),
    (("reset",), ((0, None, 2), (0, [1], 2)), "seed[1]: {0[1]!r}, but an integer from 0 to 2**64-1 is allowed"),
    (("step",), (MASKED,), "actions: a masked array, but an array without a mask is needed"),
    (("observe",), (MASKED,), "seats: a masked array, but an array without a mask is needed"),
    (
        ("load",),
        (np.ma.masked_array(begin().clone()),),
        "states: a masked array, but an array without a mask is needed",
    ),
    (("reset",), (MASKED,), "seed: a masked array, but an array without a mask is needed"),
    (("which",), (MASKED == 0,), "which: a masked array, but an array without a mask is needed"),
]
CASES = [(call, value, message) for calls, values, message in BAD for value in values for call in calls]
NAMES = [f"{call} {number}" for number, (call, _, _) in enumerate(CASES)]


def said(message: str, value: Any) -> str:
    """The message on a value."""
    array = np.asarray(value) if "{1}" in message or "{2}" in message else np.array(0)
    return message.format(value, f"{array.dtype} of shape {array.shape}", array.shape)


@pytest.mark.parametrize(("call", "value", "message"), CASES, ids=NAMES)
def test_a_bad_argument_is_named_with_what_is_allowed_and_changes_nothing(call: str, value: Any, message: str):
    batch = begin(events=True)
    before, given = snapshot(batch), value() if callable(value) else value
    with pytest.raises((OptionError, IllegalActionError), match=re.escape(said(message, given))):
        CALLS[call](batch, given)
    assert snapshot(batch) == before
    assert not call.endswith(" out") or not np.any(given)


@pytest.mark.parametrize("seed", NO_SEEDS)
def test_what_is_no_seed_of_one_game_is_not_made_another(seed):
    batch = begin(1)
    for call in (batch.reset, batch.sample_actions, lambda seed: Batch(GAME, 1, seed=seed)):
        with pytest.raises(OptionError, match=re.escape(f"seed: {seed!r}, but an integer from 0 to 2**64-1 is")):
            call(seed)


def test_state_bytes_bring_a_game_back():
    batch = begin()
    state = batch.state_bytes(0)
    batch.step(batch.sample_actions())
    batch.load_bytes(1, state)
    assert batch.state_bytes(1) == state


def test_events_are_shown_to_a_seat_to_the_public_or_to_one_who_may_see_all():
    batch = begin(events=True)
    for known in (None, PUBLIC, 0, np.int64(3)):
        assert batch.events(0, viewer=known)[0]["event"] == "set_up"


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
        ({"controllers": MASKED}, "controllers: a masked array, but an array without a mask is needed"),
        ({"controllers": np.array([-2, 0, 0, 0])}, "controllers: -2 to 0, but -1 to"),
        ({"controllers": np.array([0, 0, 0, 99])}, "controllers: 0 to 99, but -1 to"),
    ],
)
def test_a_bad_setting_is_named_with_what_is_allowed(settings, message):
    with pytest.raises(OptionError, match=message):
        Batch(GAME, **{"num_games": 3, **settings})


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
