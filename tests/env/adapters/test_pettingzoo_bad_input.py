"""PettingZoo: what bad input is answered with, and that it leaves nothing behind."""

from contextlib import contextmanager

import pytest
from pettingzoo.utils.env_logger import EnvLogger

from tests.env.adapters.turns import first_legal, play, snapshot
from w51_env import warehouse51, warehouse51_v1
from w51_env.engine.errors import GameOverError, OptionError


def in_a_game(make):
    env = make()
    env.reset(seed=1)
    play(env, 7)
    return env


@contextmanager
def unchanged(env):
    before = snapshot(env)
    yield
    assert snapshot(env) == before


@pytest.mark.parametrize(("reward", "least"), [("win", -1), ("rank", -1), ("margin", -warehouse51.game.MAX_POINTS)])
def test_an_illegal_action_ends_the_game_in_env_as_in_pettingzoos_classic_games(reward, least):
    EnvLogger.flush()
    env = warehouse51_v1.env(num_players=4, reward=reward)
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(184)
    assert EnvLogger.mqueue[0].startswith("[WARNING]: Illegal move made, game terminating with current player losing.")
    assert env.terminations == dict.fromkeys(env.agents, True)
    assert env.rewards == {agent: pytest.approx(least if agent == loser else -least / 3) for agent in env.agents}
    for agent in env.agent_iter():
        assert env.last()[1] == pytest.approx(least if agent == loser else -least / 3)
        env.step(None)
    assert env.agents == []


def test_after_the_end_none_is_the_only_action_and_then_there_is_none():
    env = warehouse51_v1.raw_env()
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(first_legal(env))
    with unchanged(env), pytest.raises(GameOverError, match="action 4, but the game is over: only None can be played"):
        env.step(4)
    for _ in env.agent_iter():
        env.step(None)
    with pytest.raises(GameOverError, match="the game is over: reset it"):
        env.step(4)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"events": "no"}, "events: 'no', but True or False is needed"),
        ({"render_seat": 4}, "render_seat: 4, but allowed are None, 0, 1, 2, 3"),
    ],
)
def test_what_is_not_allowed_is_named_with_what_is(wrong, message):
    with pytest.raises(OptionError, match=message):
        warehouse51_v1.env(**wrong)


@pytest.mark.parametrize("call", ["render", "observe", "events", "state", "last", "step", "agent_iter"])
def test_before_the_first_reset_there_is_no_game(call):
    env = warehouse51_v1.env(render_mode="ansi")
    arguments = {"observe": ["player_0"], "events": ["player_0"], "step": [0]}.get(call, [])
    with pytest.raises(GameOverError, match=f"{call}: the games have not begun; call reset first"):
        getattr(env, call)(*arguments)
    with pytest.raises(OptionError):
        env.reset(seed=-1)
    with pytest.raises(GameOverError):
        getattr(env, call)(*arguments)
    env.reset(seed=1)
    getattr(env, call)(*arguments)


@pytest.mark.parametrize(
    "name", ["agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]
)
def test_before_the_first_reset_attributes_of_the_game_are_missing(name):
    env = warehouse51_v1.env()
    with pytest.raises(AttributeError, match=f"'{name}' before the first reset"):
        getattr(env, name)
    env.reset()
    getattr(env, name)


def test_a_loop_that_does_not_step_is_an_error():
    env = warehouse51_v1.env()
    env.reset(seed=1)
    agents = env.agent_iter()
    next(agents)
    with pytest.raises(GameOverError, match="agent_iter: step or reset was not called in the loop"):
        next(agents)
    assert len(list(zip(env.agent_iter(max_iter=1), [1, 2], strict=False))) == 1
