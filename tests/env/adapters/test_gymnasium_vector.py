"""Many games as a vector environment of Gymnasium: every autoreset mode, and what bad input leaves behind."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from tests.env.adapters.playing import choose
from tests.env.adapters.test_opponents import Heuristic
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.engine.errors import OptionError

ID = "w51_env/Warehouse51-v1"


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize(
    "options",
    [
        {"learner_seat": "random"},
        {"learner_seat": "rotate", "max_episode_steps": -1},
        {"max_episode_steps": 20},
        {"max_episode_steps": 1, "opponents": ["heuristic", Heuristic()]},
    ],
    ids=["random seats", "rotated seats", "limit", "limit of one beside an agent"],
)
def test_the_batch_gives_what_gymnasiums_own_vector_of_single_games_gives(mode, options):
    options = {"num_players": 3, **options}
    ours = gymnasium.make_vec(ID, 6, vectorization_mode="vector_entry_point", autoreset_mode=mode, **options)
    theirs = gymnasium.make_vec(ID, 6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options)
    assert type(ours) is LearnerVectorEnv
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    given, expected = ours.reset(seed=20), theirs.reset(seed=20)
    assert data_equivalence(given, expected, exact=True)
    finished = 0
    for _ in range(150):
        actions = choose(given[0], given[-1]["action_mask"])
        given, expected = ours.step(actions), theirs.step(actions)
        assert data_equivalence(given, expected, exact=True)
        finished += int((given[2] | given[3]).sum())
    assert finished > 12
    given, expected = ours.reset(seed=[4, None, 4, 5, None, 6]), theirs.reset(seed=[4, None, 4, 5, None, 6])
    assert data_equivalence(given, expected, exact=True)


def test_games_that_wait_for_a_reset_stay_over_and_pay_once():
    envs = LearnerVectorEnv("warehouse51_v1", 8, autoreset_mode="Disabled")
    observations, infos = envs.reset(seed=3)
    returns, done, resets = np.zeros(8), np.zeros(8, bool), 0
    for _ in range(150):
        observations, rewards, ended, _, infos = envs.step(choose(observations, infos["action_mask"]))
        assert not (ended & done).any()
        np.testing.assert_array_equal(rewards[done], 0)
        returns += rewards
        done |= ended
        if done.sum() > 4:
            kept, seats = observations[~done].copy(), infos["seat"][~done].copy()
            observations, infos = envs.reset(options={"reset_mask": done})
            np.testing.assert_array_equal(infos["_seat"], done)
            np.testing.assert_array_equal(observations[~done], kept)
            masks = envs.action_masks().astype(np.int8)
            infos = {"action_mask": masks}
            np.testing.assert_array_equal(envs._games.current_seat[~done], seats)
            done[:] = False
            resets += 1
    assert resets > 2


def test_a_given_mode_may_be_named_by_its_value_and_no_other():
    envs = LearnerVectorEnv("warehouse51_v1", 2, autoreset_mode="SameStep")
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    with pytest.raises(OptionError, match="autoreset_mode: 'same', but allowed are NextStep, SameStep, Disabled"):
        LearnerVectorEnv("warehouse51_v1", 2, autoreset_mode="same")


def test_wrappers_of_gymnasium_see_the_returns():
    envs = RecordEpisodeStatistics(gymnasium.make_vec(ID, 16, autoreset_mode=AutoresetMode.NEXT_STEP))
    observations, infos = envs.reset(seed=0)
    seen = 0
    for _ in range(60):
        observations, _, done, _, infos = envs.step(choose(observations, infos["action_mask"]))
        for index in np.flatnonzero(done):
            assert infos["episode"]["r"][index] == pytest.approx(infos["rewards"][index, infos["seat"][index]])
            seen += 1
    assert seen > 16


def test_arrays_given_stay_as_they_were_and_threads_change_nothing():
    envs, threaded = LearnerVectorEnv("warehouse51_v1", 300), LearnerVectorEnv("warehouse51_v1", 300, threads=2)
    given, twin = envs.reset(seed=1), threaded.reset(seed=1)
    for _ in range(40):
        before = copy.deepcopy(given)
        actions = choose(given[0], given[-1]["action_mask"])
        following, twin = envs.step(actions), threaded.step(actions)
        assert data_equivalence(given, before, exact=True)
        assert data_equivalence(following, twin, exact=True)
        given = following


def test_seeds_and_masks_that_do_not_fit_are_errors_and_change_nothing():
    envs = LearnerVectorEnv("warehouse51_v1", 3)
    envs.reset(seed=1)
    before = envs._games.batch.games.tobytes()
    for seed, message in (
        ([1, 2], r"seed: shape \(2,\), but \(3,\) is needed"),
        ([None, 1.5, 2], r"seed\[1\]: 1.5, but an integer from 0 to 2\*\*64-1 is allowed"),
        (np.array([1.0, 2.0, 3.0]), r"seed\[0\]: np.float64\(1.0\)"),
    ):
        with pytest.raises(OptionError, match=message):
            envs.reset(seed=seed)
    for mask in ([True, False, True], np.zeros(3, bool), np.ones(2, bool)):
        with pytest.raises(OptionError, match=r"reset_mask: .* are needed"):
            envs.reset(options={"reset_mask": mask})
    assert envs._games.batch.games.tobytes() == before
    expected = envs.reset(seed=[3, 2**64 - 1, 0])[0]
    np.testing.assert_array_equal(envs.reset(seed=np.array([3, 2**64 - 1, 0], np.uint64))[0], expected)


def test_render_gives_each_game_as_its_learner_sees_it():
    envs = LearnerVectorEnv("warehouse51_v1", 3, render_mode="ansi", learner_seat="rotate")
    envs.reset(seed=0)
    assert [text.count("you") > 0 for text in envs.render()] == [True] * 3
