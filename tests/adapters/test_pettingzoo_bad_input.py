"""PettingZoo: what bad input is answered with, and that it leaves nothing behind."""

import re

import numpy as np
import pytest

from tests.adapters.turns import first_legal, play, play_out, snapshot
from w51_env import warehouse51, warehouse51_v0
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.core.errors import GameOverError, IllegalActionError, OptionError


@pytest.mark.parametrize(
    "wrong", ["illegal", 185, -1, -2, 2**40, 2**70, 1.5, True, np.True_, "pass", None, np.array([1, 2])]
)
@pytest.mark.parametrize("make", [warehouse51_v0.env, warehouse51_v0.raw_env])
def test_a_wrong_action_is_an_error_and_nothing_has_changed(make, wrong):
    env = make()
    env.reset(seed=1)
    play(env, 7)
    before = snapshot(env)
    if isinstance(wrong, str) and wrong == "illegal":
        wrong = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    with pytest.raises(
        IllegalActionError, match=r"is not legal for seat|ids go from 0 to 184|an integer from 0 to 184 is needed"
    ):
        env.step(wrong)
    assert snapshot(env) == before
    play_out(env)


def test_an_illegal_action_may_lose_the_game_instead():
    env = warehouse51_v0.env(num_players=4, illegal_action="lose")
    env.reset(seed=1)
    loser = env.agent_selection
    env.step(184)
    assert env.terminations == dict.fromkeys(env.agents, True)
    assert env.rewards == {agent: pytest.approx(-1 if agent == loser else 1 / 3) for agent in env.agents}
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []


def test_after_the_end_none_is_the_only_action_and_then_there_is_none():
    env = warehouse51_v0.raw_env()
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(first_legal(env))
    before = snapshot(env)
    with pytest.raises(GameOverError, match="action 4, but the game is over: only None can be played"):
        env.step(4)
    assert snapshot(env) == before
    for _ in env.agent_iter():
        env.step(None)
    with pytest.raises(GameOverError, match="the game is over: reset it"):
        env.step(4)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_players": "4"}, "num_players: '4', but allowed are 3, 4, 5$"),
        ({"events": "no"}, "events: 'no', but True or False is needed"),
        ({"num_players": 6}, "num_players: 6, but allowed are 3, 4, 5"),
        ({"preset": "english"}, "preset: 'english' is unknown"),
        ({"start_ingot": 5}, "option 'start_ingot' is unknown.*did you mean 'start_ingots'"),
        ({"render_mode": "rgb_array"}, "render_mode: 'rgb_array', but allowed are None, 'human', 'ansi'"),
        ({"render_seat": 4}, "render_seat: 4, but allowed are None, 0, 1, 2, 3"),
        ({"observation_dtype": "float64"}, "observation_dtype: 'float64', but allowed are 'int8', 'float32'"),
        ({"illegal_action": "ignore"}, "illegal_action: 'ignore', but allowed are raise, lose"),
    ],
)
def test_what_is_not_allowed_is_named_with_what_is(wrong, message):
    with pytest.raises(OptionError, match=message):
        warehouse51_v0.env(**wrong)


@pytest.mark.parametrize("seed", [1.5, -1, 2**64, True, "a", float("nan"), np.array([1])])
@pytest.mark.parametrize("make", [warehouse51_v0.env, warehouse51_v0.raw_env])
def test_what_is_no_seed_is_refused_and_nothing_has_changed(make, seed):
    env = make()
    env.reset(seed=1)
    play(env, 7)
    before = snapshot(env)
    with pytest.raises(OptionError, match=re.escape(f"seed: {seed!r}, but an integer from 0 to 2**64-1 is allowed")):
        env.reset(seed=seed)
    assert snapshot(env) == before


@pytest.mark.parametrize("call", ["render", "observe", "state", "last", "step", "agent_iter"])
def test_before_the_first_reset_there_is_no_game(call):
    raw, arguments = warehouse51_v0.raw_env(render_mode="ansi"), {"observe": ["player_0"], "step": [0]}.get(call, [])
    with pytest.raises(GameOverError, match=f"{call}: the games have not begun; call reset first"):
        getattr(raw, call)(*arguments)
    env = warehouse51_v0.env(render_mode="ansi")
    with pytest.raises((AssertionError, AttributeError), match="before"):  # PettingZoo's own order check
        getattr(env, call)(*arguments)
    with pytest.raises(OptionError):
        env.reset(seed=-1)  # PettingZoo takes it for a reset
    with pytest.raises((GameOverError, AttributeError)):
        next(iter(env.agent_iter())) if call == "agent_iter" else getattr(env, call)(*arguments)
    env.reset(seed=1)
    getattr(env, call)(*arguments)


def test_a_game_that_is_made_takes_no_more_options():
    assert TurnBasedEnv(warehouse51.make(3)).possible_agents == ["player_0", "player_1", "player_2"]
    with pytest.raises(OptionError, match="options preset: the game warehouse51_v0 is made already"):
        TurnBasedEnv(warehouse51.make(3), preset="de")
