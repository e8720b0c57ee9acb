"""Language models as agents, against a stub of a server that answers well, badly, late and not at all."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.agents.chat_servers import GAME, ask, chooses_first, first_legal, serving
from w51_agents import AgentError, make_agent
from w51_agents.language.llm.llm_settings import LLMSettings, parse_settings
from w51_env import make_vec
from w51_lab.arena.matches import play_matches


def play(names: tuple[str, ...], games: int = 1):
    agents = [make_agent(name, GAME) for name in names]
    return agents, play_matches(GAME, list(zip(names, agents, strict=True)), games, seed=1)


def test_a_model_that_answers_well_plays_whole_games():
    with serving(chooses_first) as stub:
        (agent, _), results = play((stub.name, "random"))
    assert results.scores.shape[-1] == 3
    assert agent.usage.questions == len(stub.requests) > 5
    assert (agent.usage.input_tokens, agent.usage.output_tokens) == (100 * len(stub.requests), 10 * len(stub.requests))
    prompts = [request["messages"][-1]["content"] for request in stub.requests]
    assert max(map(len, prompts)) <= 32_000
    assert "WAREHOUSE 51: the rules" in stub.requests[0]["messages"][0]["content"]
    assert stub.requests[0]["model"] == "stub"


def test_an_answer_that_is_not_understood_is_asked_again_with_the_reason():
    def answer(messages, number):
        return "hm" if number == 1 else f"[{first_legal(messages[1]['content'])}]"

    with serving(answer) as stub:
        ask(make_agent(stub.name, GAME))
    assert [message["role"] for message in stub.requests[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert 'no action found in "hm"' in stub.requests[1]["messages"][-1]["content"]


def test_the_budget_ends_the_questions():
    message = "the budget of 100 tokens is spent"
    with serving(lambda messages, number: "hm") as stub, pytest.raises(AgentError, match=message):
        ask(make_agent(f"{stub.name},budget=100,retries=9", GAME))
    assert len(stub.requests) == 1


def test_prices_give_the_cost_and_missing_counts_are_estimated():
    with serving(chooses_first, usage=False) as stub:
        agent = make_agent(f"{stub.name},input_price=2,output_price=10", GAME)
        ask(agent)
    assert agent.usage.input_tokens > 500
    expected = 2e-6 * agent.usage.input_tokens + 1e-5 * agent.usage.output_tokens
    assert agent.usage.as_data()["cost"] == pytest.approx(expected)


def test_a_command_reads_the_prompt_and_writes_the_answer(tmp_path):
    script = tmp_path / "model.py"
    script.write_text(
        "import re, sys\n"
        "actions = re.findall(r'^- ([a-z_0-9]+)[^:]*: ', sys.stdin.read().rpartition('legal actions:')[2], re.M)\n"
        "print('I choose', actions[0])\n"
    )
    agent = make_agent(f"llm:{sys.executable} {script},timeout=30", GAME)
    assert agent.settings.timeout == 30
    assert ask(agent).shape == (1,)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("llm:", "address: ''"),
        ("llm:http://127.0.0.1:1/v1", "model=NAME"),
        ("llm:http:///v1,model=x", "a URL with a host"),
        ("llm:http://127.0.0.1:1/v1,model=x,modle=y", "key 'modle' is unknown"),
        ("llm:http://127.0.0.1:1/v1,model=x,timeout=0", "timeout: 0.0"),
        ("llm:http://127.0.0.1:1/v1,model=x,retries=-1", "retries: -1"),
        ("llm:cat,parallel=x", "an integer is needed"),
    ],
)
def test_settings_that_are_not_allowed_are_named(name, message):
    with pytest.raises(AgentError, match=re.escape(message)):
        make_agent(name, GAME)


def test_commas_of_a_command_are_its_own():
    assert parse_settings("llm:run --list a,b").address == "run --list a,b"
    assert parse_settings("llm:run a,b,timeout=5") == LLMSettings("run a,b", timeout=5.0)


def test_an_agent_without_a_view_says_what_it_needs():
    with pytest.raises(AgentError, match=r"info\['view'\]"):
        make_agent("llm:cat", GAME).act_batch(np.zeros((1, 1), np.int8), np.ones((1, 1), np.int8))


def test_after_one_failure_the_other_decisions_of_the_call_are_not_asked_again():
    batch = make_vec("warehouse51_v1", num_envs=8, seed=1, events=True, num_players=3, preset="mini")
    batch.reset()
    views = [batch.view(row, int(batch.seat[row])) for row in range(8)]
    infos = [{"view": replace(view, headline=f"row {row}"), "earlier": ()} for row, view in enumerate(views)]

    def answer(messages, number):
        prompt = messages[1]["content"]
        return "hm" if "row 3\n" in prompt else f"[{first_legal(prompt)}]"

    with serving(answer) as stub:
        agent = make_agent(f"{stub.name},retries=0", GAME)
        with pytest.raises(AgentError):
            agent.act_batch(batch.observation, batch.action_mask, infos)
        for row in (0, 1, 2, 4, 5, 6, 7):
            agent.act_batch(batch.observation[row : row + 1], batch.action_mask[row : row + 1], [infos[row]])
    assert len(stub.requests) == 9  # the bad one twice
