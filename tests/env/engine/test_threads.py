"""A batch called from two threads, and batches after a fork: an error, and never a crash or a wait without end."""

import copy
import threading

import numpy as np
import pytest

from tests.env.engine.scripts import in_a_fork
from w51_env import make_vec
from w51_env.compiler import machine_code
from w51_env.engine.batch import Batch
from w51_env.engine.errors import BatchInUseError


def begun(num_games: int = 20_000, threads: int = 1) -> Batch:
    batch = make_vec("warehouse51_v1", num_games, seed=3, controllers=["random"] * 3 + ["external"], threads=threads)
    batch.reset()
    return batch


def play(batch: Batch, steps: int, errors: list[Exception]) -> None:
    for _ in range(steps):
        try:
            batch.step(batch.sample_actions())
        except ValueError as error:  # also an illegal action, as the other thread has stepped since
            errors.append(error)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_called_from_two_threads_is_an_error_and_no_crash(threads: int):
    batch = begun(threads=threads)
    errors: list[Exception] = []
    others = [threading.Thread(target=play, args=(batch, 20, errors)) for _ in range(3)]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
        assert not other.is_alive()
    assert any(isinstance(error, BatchInUseError) for error in errors)
    assert "in use by another thread" in str(next(error for error in errors if isinstance(error, BatchInUseError)))
    batch.reset(seed=1)
    batch.step(batch.sample_actions())  # it works on


CALLS = {
    **{name: lambda batch: () for name in ("reset", "refresh", "sample_actions", "clone", "snapshot", "__reduce__")},
    "observe": lambda batch: (0,),
    "resample_hidden": lambda batch: (0, 1),
    "step": lambda batch: (batch.sample_actions(),),
    "load": lambda batch: (running(batch).clone(),),
    "load_bytes": lambda batch: (0, running(batch).state_bytes(0)),
    "restore": lambda batch: (running(batch).snapshot(),),
    "state_bytes": lambda batch: (0,),
    "view": lambda batch: (0, "public"),
    "determinizer": lambda batch: (0,),
}


def running(batch: Batch) -> Batch:
    """A copy of the batch, some steps later."""
    later = copy.deepcopy(batch)
    for _ in range(5):
        later.step(later.sample_actions())
    return later


@pytest.mark.parametrize("call", CALLS)
def test_every_call_is_refused_while_another_runs(call: str):
    batch = begun(4)
    arguments, before = CALLS[call](batch), batch.snapshot()
    with batch.gate, pytest.raises(BatchInUseError):
        getattr(batch, call)(*arguments)
    assert batch.snapshot() == before
    getattr(batch, call)(*arguments)


def test_separate_batches_in_separate_threads_play_as_in_one():
    expected = begun(300)
    play(expected, 30, [])
    batches = [begun(300, threads=2) for _ in range(3)]
    errors: list[Exception] = []
    others = [threading.Thread(target=play, args=(batch, 30, errors)) for batch in batches]
    for other in others:
        other.start()
    for other in others:
        other.join(60)
    assert not errors
    for batch in batches:
        np.testing.assert_array_equal(batch.games, expected.games)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_with_live_worker_threads_plays_on():
    batch, expected = begun(600, threads=3), begun(600, threads=3)
    play(batch, 5, [])  # the workers are awake for a while
    play(expected, 15, [])

    def play_on() -> bool:
        play(batch, 10, [])
        return bool((batch.games == expected.games).all())

    assert in_a_fork(play_on) == 0
    play(batch, 10, [])
    np.testing.assert_array_equal(batch.games, expected.games)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_while_a_thread_compiles_leaves_no_lock_to_the_child():
    compiles, ends = threading.Event(), threading.Event()

    def compile_for_a_while() -> None:
        with machine_code.lock:
            compiles.set()
            ends.wait(0.2)

    thread = threading.Thread(target=compile_for_a_while)
    thread.start()
    compiles.wait()
    assert in_a_fork(lambda: machine_code.lock.acquire(timeout=2)) == 0
    thread.join()
    with machine_code.lock:  # the parent has its lock as before
        pass


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_fork_during_a_call_is_an_error_in_the_child():
    batch = begun(4)

    def is_refused() -> bool:
        try:
            batch.step(np.zeros(4, np.int64))
        except BatchInUseError as error:
            return "forked" in str(error)
        return False

    with batch.gate:
        assert in_a_fork(is_refused) == 0
