"""Opponents that remember: each memory gets the decisions of one game and seat, whatever ends a game."""

import copy
import importlib
import threading

import numpy as np
import pytest

from tests.agents.remembering import HERE, Counts, Remembers
from w51_agents import BatchAgent
from w51_env import make_game
from w51_env.adapters.gymnasium_env import LearnerEnv
from w51_env.adapters.gymnasium_vector import LearnerVectorEnv
from w51_env.engine.errors import OptionError

MINI = {"preset": "mini", "num_players": 3}
GAME = make_game("warehouse51_v1", **MINI)


def opponents(kind: str) -> list:
    """Two opponents; as a list, so that one object has two seats."""
    one = {"name": f"{HERE}:Remembers", "object": Remembers(GAME), "recurrent": Counts()}[kind]
    return [one, one]


@pytest.mark.parametrize("kind", ["name", "object", "recurrent"])
@pytest.mark.parametrize("history", [0, 16])
def test_a_single_environment(kind: str, history: int):
    env = LearnerEnv(GAME, opponents=opponents(kind), history=history)
    for episode in range(6):
        observation, info = env.reset(seed=episode if episode % 3 == 0 else None)
        over, steps = False, 0
        while not over and (episode % 2 == 0 or steps < 4):  # some games are left unfinished
            observation, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            steps += 1
        if history:
            assert observation["history"].shape == (16, 6)


@pytest.mark.parametrize("kind", ["name", "object", "recurrent"])
@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_environments_with_each_kind_of_reset(kind: str, mode: str):
    envs = LearnerVectorEnv(GAME, num_envs=5, opponents=opponents(kind), autoreset_mode=mode)
    envs.reset(seed=3)
    for step in range(120):
        over = envs.step(envs.action_masks().argmax(axis=1))[2]
        if mode == "Disabled" and over.any():
            envs.reset(options={"reset_mask": over})
        elif step == 70:
            envs.reset(seed=9)
        elif step == 90:  # a copy goes on as the original does
            envs = copy.deepcopy(envs)


def test_a_part_of_the_games_begins_anew_and_the_others_are_remembered():
    envs = LearnerVectorEnv(GAME, num_envs=4, opponents=opponents("object"), autoreset_mode="Disabled")
    envs.reset(seed=3)
    for step in range(40):
        over = envs.step(envs.action_masks().argmax(axis=1))[2]
        if over.any() or step == 5:
            envs.reset(seed=step, options={"reset_mask": over | (np.arange(4) == step % 4)})


@pytest.mark.parametrize("kind", ["name", "object", "recurrent"])
def test_the_games_of_stable_baselines(kind: str):
    pytest.importorskip("stable_baselines3", reason="needs the extra 'sb3'")
    vec_env = importlib.import_module("w51_env.adapters.sb3_vec_env")
    envs = vec_env.LearnerVecEnv(GAME, 5, opponents=opponents(kind), seed=1, illegal_action="lose")
    envs.reset()
    for step in range(80):  # at some steps all learners lose by an illegal action
        envs.step(np.zeros(5, np.int64) if step % 20 == 9 else envs.action_masks().argmax(axis=1))


def test_environments_that_share_an_object_do_not_share_its_memory():
    counts = Counts()
    envs = [LearnerVectorEnv(GAME, num_envs=3, opponents=counts) for _ in range(2)]
    for seed, each in enumerate(envs):
        each.reset(seed=seed)
    for _ in range(40):
        for each in envs:
            each.step(each.action_masks().argmax(axis=1))


def test_an_opponent_that_remembers_and_has_no_copy_is_an_error():
    class Locked(BatchAgent):
        needs_memory, lock = True, None

        def reset(self, seed):
            pass

    locked = Locked()
    LearnerVectorEnv(GAME, num_envs=3, opponents=locked)
    locked.lock = threading.Lock()
    with pytest.raises(OptionError, match=r"Locked: remembers, and this object cannot be copied .*lock.*:Locked'"):
        LearnerVectorEnv(GAME, num_envs=3, opponents=locked)
