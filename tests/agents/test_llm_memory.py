"""What a language model remembers: nothing, its notes, or the conversation; no other seat or game ever sees it."""

import re
from collections import Counter
from types import SimpleNamespace

import pytest

from tests.agents.chat_servers import GAME, ask, chooses_first, first_legal, serving
from tests.agents.test_llm import play
from w51_agents import AgentError, make_agent
from w51_agents.language.llm.memory import Memories
from w51_env import make_vec

MODEL = "llm:http://127.0.0.1:1/v1,model=x"


def is_note_request(messages: list[dict]) -> bool:
    return "Write your notes" in messages[-1]["content"]


def seat_of(text: str) -> int:
    return int(re.search(r"You are Player (\d)", text)[1])


def test_without_a_memory_each_decision_is_a_fresh_pair_of_messages():
    with serving(chooses_first) as stub:
        play((stub.name, "random"))
    assert {len(request["messages"]) for request in stub.requests} == {2}


def test_notes_are_written_after_each_lot_and_seen_by_their_own_seat_alone():
    def answer(messages, number):
        prompt = messages[-1]["content"]
        if is_note_request(messages):
            return f"secret of seat {seat_of(prompt)} after {len(lots_of(prompt))} lots " + "x " * 500
        return f"[{first_legal(prompt)}]"

    with serving(answer) as stub:
        play((f"{stub.name},memory=notes,note_words=20",) * 3)
    prompts = [request["messages"][-1]["content"] for request in stub.requests]
    told = [prompt for prompt in prompts if "secret of seat" in prompt]
    assert told
    for prompt in told:
        notes = prompt.partition("Your notes:\n")[2].partition("\n\n")[0]
        assert notes.startswith(f"secret of seat {seat_of(prompt)} after")
        assert len(notes.split()) <= 20
        assert prompt.count("secret of seat") == 1
    asked = [(seat_of(prompt), len(lots_of(prompt))) for prompt in prompts if "Write your notes" in prompt]
    assert set(Counter(asked).values()) == {3}  # once for each seat and lot of three games
    assert {lots for _, lots in asked} >= {1, 2, 3}


def lots_of(prompt: str) -> list[str]:
    return re.findall(r"^\d+ \| ", prompt.partition("Past lots:")[2].partition("\n\n")[0], re.MULTILINE)


def test_a_conversation_grows_by_its_turns_and_says_what_it_leaves_out():
    with serving(chooses_first) as stub:
        play((f"{stub.name},memory=conversation,conversation_tokens=800", "random", "random"), games=3)
    lengths = [len(request["messages"]) for request in stub.requests]
    assert lengths[0] == 2
    assert max(lengths) >= 6
    assert any("older turns of this conversation are left out" in r["messages"][1]["content"] for r in stub.requests)
    asked = [request["messages"] for request in stub.requests]
    repeated = [messages for messages in asked if messages[:-2] in asked]  # which the cache of a server holds
    assert len(repeated) > len(asked) / 2
    assert sum(length == 2 for length in lengths) >= 3  # each game begins anew


def test_a_conversation_is_of_one_seat():
    with serving(chooses_first) as stub:
        play((f"{stub.name},memory=conversation",) * 3)
    for request in stub.requests:
        seats = {seat_of(one["content"]) for one in request["messages"] if one["role"] == "user"}
        assert len(seats) == 1


def test_a_memory_is_of_one_game_and_seat():
    def info(seat: int, *earlier: str, news: str = "", **more: object) -> dict:
        view = SimpleNamespace(viewer=seat, news=[{"text": news}])
        return {"view": view, "earlier": [{"text": text} for text in earlier], **more}

    memories = Memories()
    first = memories.of(info(0, news="a"))
    first.notes = "first"
    memories.decided(first, info(0, news="a"))
    assert memories.of(info(1, "a")).notes == ""
    assert memories.of(info(0, "a", game=1)).notes == ""
    assert memories.of(info(0, "a", "b")).notes == "first"  # also where another decision failed in between
    assert memories.of(info(0, "x", "b")).notes == ""
    memories.decided(again := memories.of(info(0, "a")), info(0, "a"))
    again.notes = "again"
    assert memories.of(info(0)).notes == ""  # the first decision of the next game


def test_a_memory_needs_to_know_which_game_it_is():
    batch = make_vec("warehouse51_v1", num_envs=2, seed=1, events=True, num_players=3, preset="mini")
    batch.reset()
    infos = [{"view": batch.view(row, int(batch.seat[row])), "earlier": ()} for row in range(2)]
    with pytest.raises(AgentError, match="needs one game at a time, or info"):
        make_agent(f"{MODEL},memory=notes", GAME).act_batch(batch.observation, batch.action_mask, infos)


def test_a_run_that_is_killed_takes_the_answers_that_it_had_from_its_journal(tmp_path):
    def answer(messages, number):
        return "hm" if number == 2 else f"[{first_legal(messages[1]['content'])}]"

    with serving(answer) as stub:
        name = f"{stub.name},journal={tmp_path / 'answers'},input_price=1"
        agent, costs = make_agent(name, GAME), []
        agent.reset(5)
        first, second = ask(agent, 0), ask(agent, 1)  # the second one after an answer that is refused
        costs.append(agent.usage.cost)
        path = next((tmp_path / "answers").glob("*.jsonl"))
        path.write_text(path.read_text() + '{"key": "half a li')
        agent = make_agent(name, GAME)
        agent.reset(5)
        assert (ask(agent, 0), ask(agent, 1)) == (first, second)
        costs.append(agent.usage.cost)
        assert len(stub.requests) == 3
        ask(agent, 0)  # each answer is given once
        assert len(stub.requests) == 4
        agent = make_agent(name, GAME)
        agent.reset(6)  # other games
        ask(agent, 0)
        assert len(stub.requests) == 5
    assert costs[0] == costs[1] > 0
