"""PettingZoo: what agents are given, illegal actions, rendering, and calls that are out of place."""

import subprocess
import sys

import numpy as np
import pettingzoo
import pytest
from pettingzoo.utils.env_logger import EnvLogger

from tests.commands import ROOT
from tests.env.adapters.playing import choose, first_legal, play, play_out
from w51_env import warehouse51, warehouse51_v1
from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, OptionError
from w51_env.engine.game import PUBLIC
from w51_env.views.text_table import table


# PettingZoo's max_cycles_test begins with `parallel_env`, so it does not apply.
def test_no_parallel_api_is_claimed():
    env = warehouse51_v1.env()
    assert env.metadata["is_parallelizable"] is False
    assert not hasattr(warehouse51_v1, "parallel_env")
    assert env.metadata["name"] == str(env) == "warehouse51_v1"


@pytest.mark.slow
def test_the_registry_of_pettingzoo_has_the_games_after_the_import_of_the_package_alone():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this version of PettingZoo has no registry")
    code = """
import pettingzoo
import w51_env
for name in ("warehouse51", "alles_futsch"):
    for id in (f"w51_env/{name}_v1", f"w51_env/{name}-v1", f"w51_env/{name}"):
        env = pettingzoo.make("aec", id, num_players=3)
        env.reset(seed=1)
        assert str(env) == f"{name}_v1" and env.agents == ["player_0", "player_1", "player_2"]
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, check=True)


def test_spaces_are_attributes_too():
    env = warehouse51_v1.env(num_players=3)
    assert env.observation_spaces == {agent: env.observation_space(agent) for agent in env.possible_agents}
    assert env.action_spaces == {agent: env.action_space(agent) for agent in env.possible_agents}


# ---- what agents are given


def test_observation_and_mask_are_those_of_the_engine_for_every_agent():
    env = warehouse51_v1.env(num_players=4, observation_dtype="int8")
    env.reset(seed=5)
    for _ in range(40):
        batch = env.unwrapped.batch
        for seat, agent in enumerate(env.agents):
            given = env.observe(agent)
            assert given["observation"].tobytes() == batch.observe(seat)[0].tobytes()
            assert given["observation"].dtype == given["action_mask"].dtype == np.int8
            assert given["action_mask"].any() == (agent == env.agent_selection)
            assert env.observation_space(agent).contains(given)
        np.testing.assert_array_equal(env.last()[0]["action_mask"], batch.action_mask[0])
        play(env, 1)


def test_arrays_and_infos_given_stay_as_they_were():
    env = warehouse51_v1.env(events=True)
    env.reset(seed=1)
    play(env, 3)
    observation, info = env.last()[0], env.last()[4]
    before, shown = {name: part.copy() for name, part in observation.items()}, repr(info)
    play(env, 10)
    np.testing.assert_equal(observation, before)
    assert repr(info) == shown


def test_observations_are_the_float_view_by_default():
    env, twin = warehouse51_v1.env(), warehouse51_v1.env(observation_dtype="int8")
    env.reset(seed=2)
    twin.reset(seed=2)
    play(env, 20)
    play(twin, 20)
    floats, integers = env.last()[0]["observation"], twin.last()[0]["observation"]
    assert floats.dtype == np.float32
    assert np.abs(floats).max() <= 1
    np.testing.assert_array_equal(floats, env.unwrapped.game.layout.to_float(integers))


def test_over_hundreds_of_games_each_agent_gets_the_rewards_of_its_seat_and_losers_see_their_loss():
    seeds = np.arange(400, dtype=np.uint64)
    game = warehouse51.make(3)
    batch = Batch(game, len(seeds), autoreset="disabled")
    batch.reset(seeds)
    paid, played = np.zeros((len(seeds), 3)), []
    while (batch.seat >= 0).any():
        played.append(choose(batch.observation, batch.action_mask))
        batch.step(played[-1])
        paid += np.where(batch.done[:, None], batch.rewards, 0)
    env = warehouse51_v1.env(num_players=3)
    losses = 0
    for seed, actions, expected, ranks in zip(
        seeds, np.transpose(played).tolist(), paid, batch.final_ranks, strict=True
    ):
        env.reset(seed=int(seed))
        returns = dict.fromkeys(env.agents, 0.0)
        for decision, agent in enumerate(env.agent_iter()):
            _, reward, terminated, _, _ = env.last(observe=False)
            returns[agent] += reward
            env.step(None if terminated else actions[decision])
        assert list(returns.values()) == expected.tolist()
        assert all(value < 0 for value, rank in zip(returns.values(), ranks, strict=True) if rank > 1)
        losses += sum(value < 0 for value in returns.values())
    assert losses > 760  # two of three lose, but for shared victories


def test_events_tell_each_agent_once_what_it_saw_since_its_last_turn():
    game = warehouse51.make(4)
    private = 0
    for seed in range(6):
        env = warehouse51_v1.env(num_players=4, events=True)
        env.reset(seed=seed)
        batch = Batch(game, 1, seed=seed, autoreset="disabled", events=True)
        batch.reset()
        happened = [list(batch.events(0, viewer=seat)) for seat in range(4)]
        received: dict[str, list] = {agent: [] for agent in env.agents}
        for agent in env.agent_iter():
            _, _, terminated, _, info = env.last()
            received[agent] += list(info["events"])
            assert env.unwrapped.events(agent) == env.events(agent) == info["events"]
            action = None if terminated else first_legal(env, -1)
            if not terminated:
                batch.step(np.array([action]))
                for seat in range(4):
                    happened[seat] += batch.events(0, viewer=seat)
            env.step(action)
        assert list(received.values()) == happened
        for agent, events in received.items():
            saw = [event for event in events if event["event"] == "saw"]
            assert all(event["seat"] == int(agent[-1]) for event in saw)
            private += len(saw)
    assert private > 0


def test_infos_are_empty_by_default_and_events_come_by_a_method():
    env = warehouse51_v1.env(num_players=3)
    env.reset(seed=0)
    assert env.events("player_2")[0]["event"] == "set_up"
    play(env, 30)
    assert env.infos == {agent: {} for agent in env.agents}
    assert env.last()[4] == {}
    assert all(event["seat"] == 0 for event in env.events("player_0") if event["event"] == "saw")
    play_out(env)
    env.reset(seed=0)
    assert [event["event"] for event in env.events("player_0")].count("set_up") == 1


def test_state_is_the_whole_state_and_fits_its_space():
    env = warehouse51_v1.env()
    env.reset(seed=4)
    play(env, 10)
    state = env.state()
    assert env.unwrapped.state_space.contains(state)
    assert state.tobytes() == env.unwrapped.batch.games[0].tobytes()
    assert "PRIVILEGED" in TurnBasedEnv.state.__doc__


def test_without_a_seed_two_environments_play_different_games():
    env, twin = warehouse51_v1.env(), warehouse51_v1.env()
    env.reset()
    twin.reset()
    assert env.state().tobytes() != twin.state().tobytes()


# ---- rendering


def test_ansi_shows_what_is_public_and_nothing_secret():
    env = warehouse51_v1.env(render_mode="ansi")
    env.reset(seed=8)
    seen_bid = False
    redrawn = 0
    for agent in env.agent_iter():
        if env.terminations[agent]:
            break
        text, batch = env.render(), env.unwrapped.batch
        games = batch.games.copy()
        for viewer in range(4):  # what one seat alone knows is secret to the public
            batch.resample_hidden(viewer, seed=viewer)
        redrawn += batch.games.tobytes() != games.tobytes()
        assert env.render() == text
        batch.games[:] = games
        batch.refresh()
        seen_bid = seen_bid or "has bid in secret" in text
        env.step(first_legal(env, -1))
    assert seen_bid
    assert redrawn > 20
    assert "Points:" in env.render()


def test_render_seat_adds_what_that_seat_knows():
    env = warehouse51_v1.env(render_mode="ansi", render_seat=1)
    env.reset(seed=8)
    assert "Counterfeits in the gap between Player 0 and Player 1:" in env.render()
    assert "Counterfeits in the gap between Player 2 and Player 3:" not in env.render()
    assert "Counterfeits" not in table(env.unwrapped.batch.view(0, PUBLIC))


# ---- illegal actions, and calls that are out of place


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


@pytest.mark.parametrize("call", ["render", "observe", "events", "state", "last", "step", "agent_iter"])
def test_before_the_first_reset_there_is_no_game(call):
    env = warehouse51_v1.env(render_mode="ansi")
    arguments = {"observe": ["player_0"], "events": ["player_0"], "step": [0]}.get(call, [])
    for _ in range(2):
        with pytest.raises(GameOverError, match=f"{call}: the games have not begun; call reset first"):
            getattr(env, call)(*arguments)
        with pytest.raises(OptionError):
            env.reset(seed=-1)
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
