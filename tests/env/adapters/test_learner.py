"""The learner's view in every single-agent adapter: its own next observation, and the sum of its own rewards."""

from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.env.adapters.playing import Episode, choose, engine_episodes, learner_vec_env
from w51_env import warehouse51
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.learner_seats import consecutive_seeds

SEED = 1000
Played = tuple[list[Episode], np.ndarray]  # the first episode of each game, and the learner's seat in it


def through_gymnasium(count: int, **arguments) -> Played:
    env = LearnerEnv("warehouse51_v1", observation_dtype="int8", **arguments)
    episodes, seats = [], []
    for index in range(count):
        observation, info = env.reset(seed=SEED + index)
        episode, over = Episode(), False
        seats.append(info["seat"])
        while not over:
            episode.see(observation)
            action = choose(observation[None], info["action_mask"][None])[0]
            observation, reward, over, truncated, info = env.step(action)
            assert not truncated
            episode.reward += reward
        episode.see(observation)
        episode.scores, episode.ranks = tuple(info["scores"]), tuple(info["ranks"])
        episodes.append(episode)
    return episodes, np.array(seats)


def through_gymnasium_vector(mode: AutoresetMode) -> Callable[..., Played]:
    def play(count: int, **arguments) -> Played:
        envs = LearnerVectorEnv("warehouse51_v1", count, observation_dtype="int8", autoreset_mode=mode, **arguments)
        observations, infos = envs.reset(seed=SEED)
        seats = infos["seat"].copy()
        episodes, running = [Episode() for _ in range(count)], np.ones(count, bool)
        while running.any():
            for index in np.flatnonzero(running):
                episodes[index].see(observations[index])
            observations, rewards, done, _, infos = envs.step(choose(observations, infos["action_mask"]))
            final_info = infos.get("final_info", infos)
            for index in np.flatnonzero(running):
                episodes[index].reward += rewards[index]
                if done[index]:
                    episodes[index].see(
                        infos["final_obs"][index] if mode == AutoresetMode.SAME_STEP else observations[index]
                    )
                    episodes[index].scores, episodes[index].ranks = (
                        tuple(final_info["scores"][index]),
                        tuple(final_info["ranks"][index]),
                    )
            running &= ~done
        return episodes, seats

    return play


def through_sb3(count: int, **arguments) -> Played:
    envs = learner_vec_env("warehouse51_v1", count, observation_dtype="int8", seed=SEED, **arguments)
    observations, seats = envs.reset(), envs.seat.copy()
    episodes, running = [Episode() for _ in range(count)], np.ones(count, bool)
    while running.any():
        for index in np.flatnonzero(running):
            episodes[index].see(observations[index])
        observations, rewards, done, infos = envs.step(choose(observations, envs.action_masks()))
        for index in np.flatnonzero(running):
            episodes[index].reward += float(rewards[index])
            if done[index]:
                info = infos[index]
                episodes[index].see(info["terminal_observation"])
                episodes[index].scores, episodes[index].ranks = tuple(info["scores"]), tuple(info["ranks"])
                assert info["episode"]["r"] == episodes[index].reward
                assert info["episode"]["l"] == len(episodes[index].seen) - 1
        running &= ~done
    return episodes, seats


ADAPTERS = {
    "gymnasium": through_gymnasium,
    "vector, next step": through_gymnasium_vector(AutoresetMode.NEXT_STEP),
    "vector, same step": through_gymnasium_vector(AutoresetMode.SAME_STEP),
    "sb3": through_sb3,
}


@cache
def expected_episodes(options: tuple[tuple[str, Any], ...], seats: tuple[int, ...]) -> list[Episode]:
    return engine_episodes(warehouse51.make(**dict(options)), consecutive_seeds(SEED, len(seats)), np.array(seats))


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    ("num_players", "learner_seat", "reward"), [(3, "random", "win"), (4, 2, "rank"), (5, "rotate", "margin")]
)
def test_what_the_learner_gets_over_thousands_of_games_is_what_the_engine_gives_its_seat(
    adapter, num_players, learner_seat, reward
):
    count = 150 if adapter == "gymnasium" else 400  # one by one in Python
    options = {"num_players": num_players, "reward": reward}
    episodes, seats = ADAPTERS[adapter](count, learner_seat=learner_seat, **options)
    expected = expected_episodes(tuple(options.items()), tuple(seats.tolist()))
    for ours, engines in zip(episodes, expected, strict=True):
        assert ours.seen == engines.seen  # every observation, byte for byte, in order
        assert ours.reward == engines.reward
        assert (ours.scores, ours.ranks) == (engines.scores, engines.ranks)


# ---- the learner's seat


def learner_seats(learner_seat, episodes: int, seed: int = 0, num_players: int = 4) -> list[int]:
    env = LearnerEnv("warehouse51_v1", learner_seat=learner_seat, num_players=num_players)
    return [env.reset(seed=seed if episode == 0 else None)[1]["seat"] for episode in range(episodes)]


def test_a_given_seat_stays_the_learners():
    assert learner_seats(3, 5) == [3] * 5


def test_rotate_begins_at_the_seed_and_goes_on_clockwise():
    assert learner_seats("rotate", 6, seed=0) == [0, 1, 2, 3, 0, 1]
    assert learner_seats("rotate", 6, seed=7) == [3, 0, 1, 2, 3, 0]


def test_random_seats_come_evenly_from_the_first_episode_on():
    envs = LearnerVectorEnv("warehouse51_v1", 4000, learner_seat="random")
    first = np.bincount(envs.reset(seed=0)[1]["seat"], minlength=4)
    second = np.bincount(envs.reset()[1]["seat"], minlength=4)
    np.testing.assert_array_less(np.abs(first - 1000), 130)  # 4.7 standard deviations
    np.testing.assert_array_less(np.abs(second - 1000), 130)


def test_a_seed_gives_the_same_seat_and_the_same_later_seats_whatever_went_before():
    env = LearnerEnv("warehouse51_v1", learner_seat="random", num_players=5)
    alone = [env.reset(seed=7 if episode == 0 else None)[1]["seat"] for episode in range(8)]
    for _ in range(3):
        env.reset()
    assert [env.reset(seed=7 if episode == 0 else None)[1]["seat"] for episode in range(8)] == alone
    assert len(set(alone)) > 1


def test_opponents_sit_clockwise_from_the_learners_left():
    env = LearnerEnv("warehouse51_v1", learner_seat=1, opponents=["random", "heuristic", "random"], num_players=4)
    env.reset(seed=0)
    assert env._games.batch.controllers.tolist() == [[0, -1, 0, 1]]


def test_no_gymnasium_episode_is_truncated():
    spec = gymnasium.spec("w51_env/Warehouse51-v1")
    assert spec.max_episode_steps is None
    assert not spec.nondeterministic
