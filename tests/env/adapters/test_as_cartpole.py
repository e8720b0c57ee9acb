"""What constructors and wrappers of other libraries take works for the games as it does for CartPole."""

import copy
import pickle
from functools import partial

import gymnasium
import numpy as np
import pettingzoo
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'")

from gymnasium import wrappers
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as vector_wrappers
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    SubprocVecEnv,
    VecCheckNan,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

from tests.env.adapters.playing import first_legal
from w51_env import warehouse51_v1
from w51_env.adapters.sb3_vec_env import LearnerVecEnv
from w51_env.engine.errors import OptionError

CARTPOLE, GAME = "CartPole-v1", "w51_env/Warehouse51-v1"
STEPS = 7  # no pole falls so early
LIMIT = {"max_episode_steps": 3}


def played(env) -> list:
    """What some steps look like from outside: kinds of results, and which episodes were cut off."""
    observation, info = env.reset(seed=1)
    seen = [env.observation_space.contains(observation)]
    for step in range(STEPS):
        masks = info.get("action_mask")
        action = env.action_space.sample() if masks is None else masks.argmax(axis=-1)
        observation, reward, ended, cut, info = env.step(action)
        ended, cut = np.array(ended), np.array(cut)
        rendered = env.render() if env.render_mode and step % 3 == 0 else None
        seen.append((np.shape(reward), ended.tolist(), cut.tolist(), env.observation_space.contains(observation)))
        seen.append(len(rendered) if isinstance(rendered, list | tuple) else type(rendered))
        if not ended.ndim and (ended or cut):
            observation, info = env.reset()
    env.close()
    return seen


def through_json(env_id: str) -> gymnasium.Env:
    spec = gymnasium.make(env_id, **LIMIT).spec
    assert spec.pprint(disable_print=True, print_all=True)
    return gymnasium.make(EnvSpec.from_json(spec.to_json()))


def vector_through_json(env_id: str) -> gymnasium.vector.VectorEnv:
    return gymnasium.make_vec(EnvSpec.from_json(gymnasium.make_vec(env_id, 2, **LIMIT).spec.to_json()))


def with_limit_in_spec(env_id: str) -> EnvSpec:
    spec = copy.deepcopy(gymnasium.spec(env_id))
    spec.max_episode_steps = 3
    return spec


SINGLE = {
    **{
        f"make, {arguments}": lambda env_id, arguments=arguments: gymnasium.make(env_id, **arguments)
        for arguments in (
            *({}, LIMIT, {"max_episode_steps": -1}, {"disable_env_checker": True}),
            *({"render_mode": mode} for mode in ("rgb_array", "rgb_array_list")),
        )
    },
    "module": lambda env_id: gymnasium.make(f"w51_env:{env_id}", **LIMIT),
    "spec": lambda env_id: gymnasium.spec(env_id).make(**LIMIT),
    "limit in spec": lambda env_id: gymnasium.make(with_limit_in_spec(env_id)),
    "spec of an environment": lambda env_id: gymnasium.make(gymnasium.make(env_id, **LIMIT).spec),
    "json": through_json,
    "pickled registry": lambda env_id: pickle.loads(pickle.dumps(gymnasium.registry[env_id])).make(**LIMIT),
    "pickle": lambda env_id: pickle.loads(pickle.dumps(gymnasium.make(env_id, **LIMIT))),
    "deepcopy": lambda env_id: copy.deepcopy(gymnasium.make(env_id, **LIMIT)),
    **{
        wrap.__name__: lambda env_id, wrap=wrap, arguments=arguments: wrap(gymnasium.make(env_id, **LIMIT), *arguments)
        for wrap, *arguments in (
            (wrappers.TimeLimit, 2),
            *((wrappers.RecordEpisodeStatistics,), (wrappers.FlattenObservation,), (wrappers.TimeAwareObservation,)),
            *((wrappers.FrameStackObservation, 3), (wrappers.NormalizeObservation,), (wrappers.NormalizeReward,)),
            *((wrappers.ClipReward, -1, 1), (wrappers.Autoreset,)),
        )
    },
}
VECTORS = {
    **{
        f"make_vec, {number}, {mode}, {arguments}": lambda env_id, number=number, mode=mode, arguments=arguments: (
            gymnasium.make_vec(env_id, number, mode, **arguments)
        )
        for number in (1, 3)
        for mode in (None, "sync", "vector_entry_point")
        for arguments in (LIMIT, {"render_mode": "rgb_array"})
    },
    **{
        f"{mode.value}": lambda env_id, mode=mode: gymnasium.make_vec(
            env_id, 2, "sync", {"autoreset_mode": mode}, [lambda env: wrappers.TimeLimit(env, 8)], **LIMIT
        )
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
    },
    **{
        f"async, {arguments}": lambda env_id, arguments=arguments: gymnasium.make_vec(
            env_id, 2, "async", arguments, **LIMIT
        )
        for arguments in ({"shared_memory": False}, {"copy": False, "daemon": False})
    },
    "limit in spec": lambda env_id: gymnasium.make_vec(with_limit_in_spec(env_id), 2),
    "json": vector_through_json,
    "deepcopy": lambda env_id: copy.deepcopy(gymnasium.make_vec(env_id, 2, **LIMIT)),
    **{
        wrap.__name__: lambda env_id, wrap=wrap: wrap(gymnasium.make_vec(env_id, 2, **LIMIT))
        for wrap in (vector_wrappers.RecordEpisodeStatistics, vector_wrappers.NormalizeObservation)
    },
}
EVERY = {**SINGLE, **{f"vector: {name}": make for name, make in VECTORS.items()}}


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # Gymnasium's own default
@pytest.mark.parametrize("make", EVERY.values(), ids=EVERY.keys())
def test_what_gymnasium_takes_for_cartpole_it_takes_for_a_game(make):
    assert played(make(GAME)) == played(make(CARTPOLE))


def played_by_sb3(envs) -> list:
    seen = [envs.observation_space.contains(envs.reset()[0]), envs.env_is_wrapped(Monitor, [0]), envs.has_attr("spam")]
    for _ in range(STEPS):
        masks = get_action_masks(envs) if is_masking_supported(envs) else np.ones((envs.num_envs, 2))
        _, rewards, dones, infos = envs.step(masks.argmax(axis=1))
        seen += [rewards.shape, dones.tolist(), [bool(info.get("TimeLimit.truncated")) for info in infos]]
    seen += [len(envs.get_attr("action_space", index)) for index in (None, 0, [1], range(2))]
    seen += [len(envs.seed(3)), envs.render().dtype if envs.render_mode else None]
    envs.close()
    return seen


@pytest.mark.parametrize(
    "arguments",
    [
        *({"seed": 2}, {"start_index": 5}, {"env_kwargs": LIMIT}, {"env_kwargs": {"render_mode": None}}),
        {"wrapper_class": wrappers.TimeLimit, "wrapper_kwargs": LIMIT},
        *({"vec_env_cls": SubprocVecEnv, "vec_env_kwargs": {"start_method": "fork"}}, {"monitor_dir": "monitor"}),
    ],
    ids=str,
)
def test_what_make_vec_env_takes_for_cartpole_it_takes_for_a_game(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert played_by_sb3(make_vec_env(GAME, 2, **arguments)) == played_by_sb3(make_vec_env(CARTPOLE, 2, **arguments))


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
@pytest.mark.parametrize("wrap", [VecNormalize, VecMonitor, VecCheckNan, partial(VecFrameStack, n_stack=3)])
def test_wrappers_of_sb3_take_a_batch_as_they_take_cartpole(wrap):
    ours = wrap(LearnerVecEnv("warehouse51_v1", 2, render_mode="rgb_array", seed=1))
    assert played_by_sb3(ours) == played_by_sb3(wrap(make_vec_env(CARTPOLE, 2, seed=1)))


@pytest.mark.parametrize("wrong", [0, -2, 1.5, "3", True])
def test_a_limit_of_steps_that_is_none_is_named(wrong):
    with pytest.raises(OptionError, match=f"max_episode_steps: {wrong!r}, but a positive integer is needed"):
        gymnasium.make_vec(GAME, 2, max_episode_steps=wrong)
    with pytest.raises(OptionError, match=f"max_cycles: {wrong!r}, but a positive integer is needed"):
        warehouse51_v1.env(max_cycles=wrong)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this version of PettingZoo has no registry")
def test_max_cycles_of_pettingzoo_truncates_a_game_for_all_agents():
    env = pettingzoo.make("aec", "w51_env/warehouse51_v1", max_cycles=2, num_players=3, events=True)
    for seed in (1, 2):
        env.reset(seed=seed)
        decisions = 0
        while not env.truncations[env.agent_selection]:
            assert not any(env.truncations.values())
            env.step(first_legal(env))
            decisions += 1
        assert decisions == 6
        assert set(env.truncations.values()) == {True}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            assert (reward, terminated, truncated) == (0, False, True)
            assert env.observation_space(agent).contains(observation)
            assert info["events"]
            env.step(None)
        assert env.agents == []
    free = pettingzoo.make("aec", "w51_env/warehouse51_v1", max_cycles=-1)
    free.reset(seed=1)
    assert not any(free.truncations.values())
