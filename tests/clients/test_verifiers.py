"""verifiers' own loaders, environment and client on games of a scripted model behind a server."""

import asyncio

import pytest

from tests.agents.chat_servers import serving
from tests.clients.record import client
from tests.clients.scripted import NONSENSE, first_legal

pytestmark = client("verifiers", "the environment: whole games of one model and of several, rewards by seat")
vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed; bash bin/test --clients installs it")


def episode(answer, monkeypatch, settings=None, **taskset):
    """The first game of a taskset, and the messages of each question."""
    monkeypatch.setenv("SCRIPTED_KEY", "none")
    config = {"taskset": {"id": "w51_verifiers", "deals": 1, **taskset}, **(settings or {})}
    env = vf.load_environment(vf.resolve_env_config(config))

    async def play(url):
        asked_at = vf.EvalClientConfig(base_url=url, api_key_var="SCRIPTED_KEY")
        async with env.serving():
            return await env.run_episode(next(iter(env.taskset)), vf.ModelContext(model="m", client=asked_at))

    with serving(lambda messages, number: answer(messages[-1]["content"])) as stub:
        return asyncio.run(play(stub.url)), [request["messages"] for request in stub.requests]


def test_a_scripted_model_plays_a_whole_game_in_one_conversation(monkeypatch):
    done, asked = episode(
        first_legal, monkeypatch, players=["model", "random", "heuristic"], options={"preset": "mini"}
    )
    [trace] = done.traces
    assert done.ok, done.errors
    assert trace.metrics["finished"] == 1
    assert trace.reward == trace.rewards["reward"].score != 0
    assert trace.num_turns == len(asked)
    assert trace.num_branches == 1  # one conversation is one sample for training
    assert [len(messages) for messages in asked] == [2 * number + 2 for number in range(len(asked))]
    assert asked[-1][0]["role"] == "system"


def test_all_players_may_be_models_each_with_the_reward_of_its_seat(monkeypatch):
    done, _ = episode(first_legal, monkeypatch, game="alles_futsch_v1", players=["model", "model"])
    rewards = {trace.agent.name: trace.reward for trace in done.traces}
    assert set(rewards) == {"player_0", "player_1"}
    assert sum(rewards.values()) == pytest.approx(0)


def test_a_model_that_names_no_legal_action_is_asked_again_and_loses(monkeypatch):
    done, asked = episode(lambda prompt: NONSENSE, monkeypatch, players=["model", "random", "random"])
    [trace] = done.traces
    assert (trace.reward, trace.metrics["refused"], trace.metrics["forfeited"]) == (-1, 3, 1)
    assert "no action found" in asked[-1][-1]["content"]


def test_a_game_that_a_limit_stops_has_no_reward(monkeypatch):
    limit = {"player_0": {"max_turns": 3}}
    done, asked = episode(first_legal, monkeypatch, limit, players=["model", "random", "random"])
    [trace] = done.traces
    assert (len(asked), trace.stop_condition, trace.metrics["finished"]) == (3, "max_turns", 0)
    assert not trace.rewards
