"""Fuzzing of the batch interface: calls in any order with any arguments are done, or refused and change nothing."""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.soak.forks import reported
from tests.soak.record import Budget, ProofError
from w51_env import make_game
from w51_env.engine.batch import Batch
from w51_env.engine.errors import W51Error

REFUSALS = (W51Error, TypeError, ValueError, IndexError, OverflowError)
MAX_SECONDS = 60  #  for one call
_MAX_STEPS = 5_000  #  steps: more than a game has in random play
_CALLS = 60  #  in each sequence
_OUT_OF_BOUNDS = "index is out of bounds"  #  the error of code that Numba compiled with NUMBA_BOUNDSCHECK=1
GAMES = (
    ("warehouse51_v1", {"preset": "mini"}),
    ("warehouse51_v1", {"num_players": 5}),
    ("alles_futsch_v1", {"num_players": 2}),
)

Call = Callable[[Batch, random.Random], object]


def strange(chance: random.Random, number: int) -> Any:
    """A value that callers may pass by mistake where an array, a number or bytes are needed."""
    values: tuple[Callable[[], Any], ...] = (
        lambda: None,
        lambda: chance.choice((-1, 0, 1, number, 2**31, -(2**63), 2**64)),
        lambda: chance.choice((0.5, float("nan"), True, "1", b"1", [], {}, object())),
        lambda: np.full(number, chance.choice((-2, -1, 0, 3, 10**6))),
        lambda: np.zeros(chance.choice((0, 1, number - 1, number + 1, 2 * number)), np.int64),
        lambda: np.zeros((number, 1)),
        lambda: np.full(number, np.nan),
        lambda: np.arange(2 * number)[::2],
        lambda: np.array(["a"] * number),
        lambda: np.array([None] * number),
        lambda: [[0], [0, 1]],
        lambda: chance.randbytes(chance.choice((0, 1, 100))),
        lambda: memoryview(bytes(16))[::2],
        lambda: np.arange(number) % 2 == 0,
    )
    return chance.choice(values)()


def _step(batch: Batch, chance: random.Random) -> None:
    actions = batch.sample_actions(chance.randrange(1000))
    if chance.random() < 0.4:
        actions[chance.randrange(len(actions))] = chance.choice((-2, -1, 0, 5, 10**6))
    batch.step(actions if chance.random() < 0.8 else strange(chance, batch.num_games))


def _load(batch: Batch, chance: random.Random) -> None:
    states = batch.clone()
    if chance.random() < 0.7:
        raw = states.view(np.uint8).reshape(len(states), -1)
        for _ in range(chance.choice((1, 1, 8))):
            raw[chance.randrange(len(raw)), chance.randrange(raw.shape[1])] = chance.randrange(256)
    batch.load(states if chance.random() < 0.8 else strange(chance, batch.num_games))


def _play_on(batch: Batch, chance: random.Random) -> None:
    """Load states that may be wrong, though all numbers are in their ranges, and play some steps from them."""
    states = batch.clone()
    for _ in range(chance.choice((1, 1, 2, 3))):
        numbers = states[chance.choice(states.dtype.names or ())].reshape(-1)
        numbers[chance.randrange(len(numbers))] = chance.choice((-2, -1, 0, 1, 2, 3, 5, 25, 35, 70, 100))
    batch.load(states)
    running, ended = len(states), batch.done.copy()  # a state may be over already, and is not begun anew
    for number in range(_MAX_STEPS):
        batch.step(batch.sample_actions(chance.randrange(1000)))
        ended |= batch.done
        if number < 40:
            batch.resample_hidden(chance.randrange(batch.game.num_players), chance.randrange(1000))
            batch.load(batch.clone())  # what follows from a state that was taken is taken too
        elif ended.all():
            return
    raise AssertionError(f"of {running} states that were taken, {running - ended.sum()} do not end")


def _write(batch: Batch, chance: random.Random) -> None:
    """Write anything to the states: after a refusal nothing plays on, until the states of before are restored."""
    before, raw = batch.snapshot(), batch.games.view(np.uint8).reshape(batch.num_games, -1)
    for _ in range(chance.choice((1, 1, 8))):
        raw[chance.randrange(len(raw)), chance.randrange(raw.shape[1])] = chance.randrange(256)
    try:
        batch.refresh()
    except W51Error:
        for name in sorted({*CALLS} - {"restore", "reset", "reset some", "load", "play on", "write", "float"}):
            try:
                CALLS[name](batch, chance)
            except REFUSALS:
                continue
            raise AssertionError(f"{name} is done with states that were refused") from None
    finally:
        batch.restore(before)


def _damaged(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    if chance.random() < 0.7:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data) if chance.random() < 0.8 else bytes(data[: chance.randrange(len(data))])


def _index(batch: Batch, chance: random.Random) -> Any:
    return chance.choice((0, batch.num_games - 1, -1, batch.num_games, 2**40, 0.0, "0", None))


CALLS: dict[str, Call] = {
    "step": _step,
    "step again": _step,
    "reset": lambda batch, chance: batch.reset(*([strange(chance, batch.num_games)] if chance.random() < 0.5 else [])),
    "reset some": lambda batch, chance: batch.reset(which=strange(chance, batch.num_games)),
    "sample": lambda batch, chance: batch.sample_actions(strange(chance, batch.num_games)),
    "observe": lambda batch, chance: batch.observe(chance.choice((0, 1, 7, strange(chance, batch.num_games)))),
    "observe into": lambda batch, chance: batch.observe(0, out=strange(chance, batch.num_games)),
    "float": lambda batch, chance: batch.observation_float(*([strange(chance, 4)] if chance.random() < 0.5 else [])),
    "load": _load,
    "play on": _play_on,
    "write": _write,
    "bytes": lambda batch, chance: batch.load_bytes(0, _damaged(batch.state_bytes(0), chance)),
    "restore": lambda batch, chance: batch.restore(_damaged(batch.snapshot(), chance)),
    "load bytes": lambda batch, chance: batch.load_bytes(_index(batch, chance), strange(chance, 4)),
    "redraw": lambda batch, chance: batch.resample_hidden(strange(chance, batch.num_games), chance.randrange(-3, 99)),
    "redraw for one": lambda batch, chance: batch.resample_hidden(chance.randrange(-1, 6), chance.randrange(99)),
    "events": lambda batch, chance: list(batch.events(_index(batch, chance), viewer=chance.choice((None, 0, 9)))),
    "view": lambda batch, chance: batch.view(_index(batch, chance), strange(chance, 4)),
    "rows": lambda batch, chance: batch.event_rows(),
    "history": lambda batch, chance: batch.history(
        viewer=strange(chance, batch.num_games), final=chance.random() < 0.3
    ),
    "past": lambda batch, chance: batch.load(batch.clone(), past=batch.past(_index(batch, chance), viewer=0)),
    "strange past": lambda batch, chance: batch.load(batch.clone(), past=strange(chance, batch.num_games)),
    "redraw one game": lambda batch, chance: batch.determinizer(_index(batch, chance)),
    "clone": lambda batch, chance: batch.clone(strange(chance, batch.num_games)),
}


def fuzz_batches(total: int, minutes: float | None, seed: int) -> dict[str, Any]:
    """Sequences of calls, each sequence in a fork.

    Raises:
        ProofError: A call failed with another error than `REFUSALS`, a refused call changed the batch, or the process
            died or did not end.
    """
    counts: Counter[str] = Counter()
    for number in range(len(GAMES)):  # compiled code is loaded before the forks
        batch = _begin(number)
        batch.step(batch.sample_actions())
        batch.load(batch.clone())
        batch.resample_hidden(0, 1)
        batch.determinizer(0)
        batch.view(0, 0)
        batch.observe(0)
    budget = Budget("batches", minutes, total, "calls")
    while not budget.over:
        calls, error = reported(partial(_sequence, seed), _CALLS, MAX_SECONDS)
        if error:
            raise ProofError(f"seed {seed}, call {len(calls)}: {error}")
        counts.update(calls)
        seed += 1
        budget.advance(_CALLS)
    return {"calls": budget.done, "done": counts["d"], "refused": counts["r"]}


def _begin(seed: int) -> Batch:
    game_id, options = GAMES[seed % len(GAMES)]
    batch = Batch(make_game(game_id, **options), 1 + seed % 4, seed=seed, events=True, history=seed % 3 * 8)
    batch.reset()
    return batch


def _sequence(seed: int, report: Callable[[str], object]) -> None:
    """A letter for each call: done or refused."""
    chance = random.Random(seed)
    batch = _begin(seed)
    for _ in range(_CALLS):
        name = chance.choice(sorted(CALLS))
        before = batch.snapshot()
        try:
            CALLS[name](batch, chance)
            report("d")
        except REFUSALS as error:
            if str(error) == _OUT_OF_BOUNDS:
                raise ProofError(f"{name}: compiled code used an index that is out of bounds") from error
            if name != "play on" and batch.snapshot() != before:
                raise ProofError(f"{name} was refused ({error!r}) but changed the batch") from error
            report("r")
