"""The same rules, seed and actions give the same states: for any batch, threads and platform."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.env.compiler.fingerprints import fingerprints
from w51_env import warehouse51
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.batch import Batch

ROOT = Path(__file__).resolve().parents[3]
NUM_GAMES = 64

# A change of these numbers is a change of behaviour: the game's VERSION must be raised, and old replays break.
GOLDEN_DECISIONS = 200
GOLDEN_HASH = "80eba2c3743ff42c30993dd26c18111ca3c1f6ce8006e8f57d46495895c188a3"


@pytest.fixture(scope="module")
def game():
    return warehouse51.make(4)


@pytest.fixture(scope="module")
def recorded(game) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """(64,) seeds, (steps, 64) actions, and the 64 states after the reset and after each step."""
    batch = Batch(game, NUM_GAMES, seed=51, autoreset="disabled")
    batch.reset()
    seeds, actions, states = batch.seeds, [], [batch.clone()]
    while (batch.seat >= 0).any():
        actions.append(batch.sample_actions(seed=len(actions)))
        batch.step(actions[-1])
        states.append(batch.clone())
    assert len(actions) > 80
    return seeds, np.array(actions), states


@pytest.mark.parametrize(
    ("num_games", "threads", "first"),
    [(1, 1, 0), (1, 1, 63), (7, 1, 0), (64, 2, 0), (1000, 1, 0), (1000, 2, 0), (1000, 3, 0)],
)
def test_batch_size_and_threads_change_nothing(game, recorded, num_games: int, threads: int, first: int):
    seeds, actions, states = recorded
    which = (first + np.arange(num_games) * 5) % NUM_GAMES
    batch = Batch(game, num_games, seed=0, autoreset="disabled", threads=threads)
    batch.reset(seed=seeds[which])
    assert batch.games.tobytes() == states[0][which].tobytes()
    for chosen, after in zip(actions, states[1:], strict=True):
        batch.step(chosen[which])
        assert batch.games.tobytes() == after[which].tobytes()
    np.testing.assert_array_equal(batch.seat, -1)
    batch.close()


def test_a_later_episode_can_be_played_again_alone(game):
    batch = Batch(game, 8, seed=3, autoreset="same_step")
    batch.reset()
    episodes = np.zeros(8, int)
    while episodes.min() < 2:
        batch.step(batch.sample_actions())
        episodes += batch.done
    again = Batch(game, 8, seed=0, autoreset="same_step")
    again.reset(seed=batch.seeds)
    while (again.games["decisions"] < batch.games["decisions"]).any():
        behind = again.games["decisions"] < batch.games["decisions"]
        again.step(again.sample_actions())
        np.testing.assert_array_less(batch.games["decisions"][~behind], again.games["decisions"][~behind])
        reached = again.games["decisions"] == batch.games["decisions"]
        assert again.games[behind & reached].tobytes() == batch.games[behind & reached].tobytes()


def test_a_game_that_an_illegal_action_ended_stays_over_when_another_is_loaded(game):
    batch = Batch(game, 2, seed=1, autoreset="disabled", illegal_action="lose")
    batch.reset()
    saved = batch.state_bytes(1)
    actions = batch.sample_actions()
    actions[0] = len(game.actions) - 1
    batch.step(actions)
    assert batch.seat[0] == -1
    batch.load_bytes(1, saved)
    assert batch.seat[0] == -1
    assert not batch.action_mask[0].any()


def test_the_global_random_generator_is_left_alone(game):
    np.random.seed(1)  # noqa: NPY002
    expected = np.random.random(3)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    batch = Batch(game, 4)
    batch.reset()
    batch.step(batch.sample_actions())
    batch.resample_hidden(0, seed=1)
    np.testing.assert_array_equal(np.random.random(3), expected)  # noqa: NPY002


def test_a_playthrough_is_the_same_on_every_platform():
    batch = Batch(warehouse51.make(5, "hu"), 1, seed=2**63 + 51, autoreset="disabled")
    batch.reset()
    digest = hashlib.sha256()
    while batch.seat[0] >= 0:
        batch.step(batch.sample_actions())
        digest.update(batch.games.tobytes())
    assert (int(batch.games["decisions"][0]), digest.hexdigest()) == (GOLDEN_DECISIONS, GOLDEN_HASH)


@pytest.mark.skipif(JIT_DISABLED, reason="compares with the JIT on")
def test_plain_python_plays_the_same_games_as_compiled_code():
    """Every preset, with and without bots; no integer overflows (warnings are errors)."""
    command = [sys.executable, "-W", "error", "-m", "tests.env.compiler.fingerprints"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    plain = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert plain.returncode == 0, plain.stderr
    assert json.loads(plain.stdout) == fingerprints()
