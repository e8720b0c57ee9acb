"""The option `history` of the adapters: the same rows as a batch gives, in the form of each library."""

import numpy as np
import pytest

from tests.env.adapters.test_opponents import Heuristic
from tests.env.history_reader import Reader
from w51_env import make_game
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.warehouse51.actions import BID
from w51_env.warehouse51.state import BLIND_AUCTION

ROWS = 24
GAME = make_game("warehouse51_v1", num_players=3)
GAMES = [GAME, make_game("alles_futsch_v1", preset="short")]


def legal(mask: np.ndarray, step: int) -> int:
    actions = np.flatnonzero(mask)
    return int(actions[step * 7919 % len(actions)]) if len(actions) else -1


@pytest.mark.parametrize("game", GAMES, ids=["warehouse51", "alles_futsch"])
@pytest.mark.parametrize("opponents", ["heuristic", "agent"])
def test_gymnasium_has_the_events_of_its_infos(game, opponents: str):
    env = LearnerEnv(game, opponents=Heuristic(game) if opponents == "agent" else opponents, events=True, history=ROWS)
    for seed in range(4):
        observation, info = env.reset(seed=seed)
        reader, over, bid = Reader(game, env.seat), False, 0
        for step in range(400):
            reader.add(info["events"], bid)
            assert env.observation_space.contains(observation)
            assert observation["history"].tobytes() == reader.last(ROWS)[0].tobytes()
            if over:
                break
            action = legal(info["action_mask"], step)
            blind = game is GAME and env._games.batch.games["phase"][0] == BLIND_AUCTION
            bid = action - BID if blind else 0
            observation, _, over, _, info = env.step(action)
        assert over


def histories_of_single_games(count: int, steps: int, opponents: str) -> list[list[tuple]]:
    """For each game (history, last observation's history or None) after each step; a new episode follows at once."""
    games = []
    for seed in range(count):
        env = LearnerEnv(GAME, opponents=opponents, history=ROWS)
        observation, info = env.reset(seed=seed)
        seen = [(observation["history"], None)]
        for step in range(steps):
            observation, _, over, _, info = env.step(legal(info["action_mask"], step))
            last = observation["history"] if over else None
            if over:
                observation, info = env.reset()
            seen.append((observation["history"], last))
        games.append(seen)
    return games


@pytest.mark.parametrize("opponents", ["heuristic", "agent"])
def test_vectors_of_gymnasium_and_stable_baselines3_have_the_histories_of_single_games(opponents: str):
    pytest.importorskip("stable_baselines3", reason="needs the extra 'sb3'")
    from w51_env.adapters.sb3_vec_env import LearnerVecEnv

    expected = histories_of_single_games(5, 70, "heuristic")
    against = {"opponents": Heuristic() if opponents == "agent" else opponents, "history": ROWS}
    vector = LearnerVectorEnv(GAME, 5, autoreset_mode="SameStep", **against)
    sb3 = LearnerVecEnv(GAME, 5, seed=0, **against)
    observations, infos = vector.reset(seed=0)
    of_sb3 = sb3.reset()
    ended = 0
    for step in range(70):
        for index in range(5):
            np.testing.assert_array_equal(observations["history"][index], expected[index][step][0])
        np.testing.assert_array_equal(of_sb3["history"], observations["history"])
        assert vector.observation_space.contains(observations)
        actions = np.array([legal(mask, step) for mask in infos["action_mask"]])
        observations, _, done, _, infos = vector.step(actions)
        of_sb3, _, _, infos_of_sb3 = sb3.step(actions)
        for index in np.flatnonzero(done):
            ended += 1
            last = expected[index][step + 1][1]
            np.testing.assert_array_equal(infos["final_obs"][index]["history"], last)
            np.testing.assert_array_equal(infos_of_sb3[index]["terminal_observation"]["history"], last)
    assert ended


def test_stable_baselines3_learns_from_observations_with_history(one_thread):
    ppo = pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'").MaskablePPO
    from w51_env.adapters.sb3_vec_env import LearnerVecEnv

    envs = LearnerVecEnv(GAME, 8, seed=0, history=ROWS)
    ppo("MultiInputPolicy", envs, n_steps=16, batch_size=64, n_epochs=1, seed=1, device="cpu").learn(100)


@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_a_finished_game_of_a_vector_keeps_its_history_until_it_is_reset(mode: str):
    env = LearnerVectorEnv(GAME, 3, autoreset_mode=mode, history=ROWS)
    observations, infos = env.reset(seed=0)
    kept = {}
    for step in range(120):
        for index, history in kept.items():
            np.testing.assert_array_equal(observations["history"][index], history)
        actions = np.array([legal(mask, step) for mask in infos["action_mask"]])
        observations, _, done, _, infos = env.step(actions)
        kept = {index: history for index, history in kept.items() if mode == "Disabled"}
        kept |= {index: observations["history"][index].copy() for index in np.flatnonzero(done)}
        assert all(history[:, 0].all() for history in kept.values())
    assert kept or mode == "NextStep"


def test_pettingzoo_has_the_history_of_each_agent():
    env = TurnBasedEnv(GAME, history=ROWS)
    env.reset(seed=3)
    for step in range(300):
        for seat, agent in enumerate(env.possible_agents):
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            np.testing.assert_array_equal(observation["history"], env.batch.history(viewer=seat)[0][0])
        if env.terminations[env.agent_selection]:
            break
        env.step(legal(env.observe(env.agent_selection)["action_mask"], step))
    assert env.terminations[env.agent_selection]
