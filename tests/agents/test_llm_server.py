"""Servers as they are: they limit, refuse fields, cut answers off, stream, and answer with parts and tool calls."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest

from tests.agents.chat_servers import GAME, Answer, ask, first_legal, responding
from w51_agents import AgentError, make_agent
from w51_agents.agent.interface import ForfeitsError, UnreachableError
from w51_env.engine.errors import MissingPackageError


@contextmanager
def server(respond: Callable[[dict, int], Answer]) -> Iterator[tuple[str, list[dict]]]:
    """The name of an agent at a server that answers a request and its number, and the requests."""
    with responding(respond) as stub:
        yield stub.name, stub.requests


def legal(body: dict) -> str:
    return first_legal(body["messages"][1]["content"])


def message(content: Any = None, finish: str = "stop", usage: dict | None = None, **fields: Any) -> Answer:
    choice = {"message": {"role": "assistant", "content": content, **fields}, "finish_reason": finish}
    usage = usage or {"prompt_tokens": 100, "completion_tokens": 10}
    return 200, {}, json.dumps({"choices": [choice], "usage": usage}).encode()


def error(status: int, text: str, param: str | None = None, **headers: str) -> Answer:
    return status, headers, json.dumps({"error": {"message": text, "param": param}}).encode()


def records_of(agent: Any) -> list[dict]:
    """The records of the agent's decisions, as they are made."""
    records: list[dict] = []
    agent.on_record = records.append
    return records


# ---- limits


def test_a_server_that_limits_is_asked_again_after_the_pause_that_it_names():
    times = []

    def respond(body, number):
        times.append(time.monotonic())
        return error(429, "slow down", **{"Retry-After": "1.1"}) if number == 1 else message(f"[{legal(body)}]")

    with server(respond) as (name, _):
        ask(make_agent(name, GAME))
    assert 1.1 <= times[1] - times[0] < 3  # by itself it would be half a second


def test_pauses_grow_where_a_server_names_none():
    times = []

    def respond(body, number):
        times.append(time.monotonic())
        return message(f"[{legal(body)}]") if number == 3 else error(503, "overloaded")

    with server(respond) as (name, _):
        ask(make_agent(f"{name},retries=2", GAME))
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert pauses[0] >= 0.3
    assert pauses[1] > 1.2 * pauses[0]


# ---- fields


def test_every_field_of_a_request_is_set_by_name_or_file_and_null_leaves_one_out(tmp_path):
    path = tmp_path / "fields.json"
    path.write_text(json.dumps({"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}, "temperature": 1}))
    with server(lambda body, number: message(f"[{legal(body)}]")) as (name, requests):
        settings = "temperature=0.5,reasoning_effort=low,max_tokens=null,flag=true"
        ask(make_agent(f"{name},fields={path},{settings},answer=text", GAME))
        ask(make_agent(name, GAME))
    sent = {key: value for key, value in requests[0].items() if key != "messages"}
    assert sent == {
        "model": "stub",
        "temperature": 0.5,
        "reasoning_effort": "low",
        "flag": True,
        "top_k": 20,
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert (requests[1]["max_tokens"], "temperature" in requests[1]) == (4000, False)


@pytest.mark.parametrize("content", ["[]", "nonsense", '{"messages": []}', '{"model": "x"}', None])
def test_a_file_of_fields_that_is_none_is_refused(content, tmp_path):
    path = tmp_path / "fields.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(AgentError, match="fields: "):
        make_agent(f"llm:http://127.0.0.1:1/v1,model=m,fields={path}", GAME)


REFUSALS = {
    "max_tokens": (
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_completion_tokens",
    ),
    "temperature": ("Unsupported value: 'temperature' does not support 0.5 with this model.", None),
    "response_format": ("This response_format type is unavailable now", None),
}


@pytest.mark.parametrize("with_param", [True, False])
def test_refused_fields_with_a_known_remedy_are_adapted_once_and_named(with_param: bool, caplog):
    def respond(body, number):
        for name, (text, _) in REFUSALS.items():
            if name in body:
                return error(400, text, name if with_param else None)
        return message(f"[{legal(body)}]")

    with server(respond) as (name, requests):
        agent = make_agent(f"{name},temperature=0.5,max_tokens=77", GAME)
        ask(agent)
        assert len(requests) == 4
        ask(agent)
    assert len(requests) == 5  # what is refused is not sent again
    assert requests[-1]["max_completion_tokens"] == 77
    assert not REFUSALS.keys() & requests[-1].keys()
    assert all(f"refuses {field}" in caplog.text for field in REFUSALS)


# ---- forms of answers


def test_legal_actions_are_an_enum_of_a_schema_or_of_a_tool():
    def respond(body, number):
        answer = json.dumps({"thoughts": "{[hm]}", "action": legal(body)})
        call = {"id": "1", "type": "function", "function": {"name": "decision", "arguments": answer}}
        return message("I use the tool.", tool_calls=[call]) if "tools" in body else message(answer)

    with server(respond) as (name, requests):
        actions = [ask(make_agent(f"{name},answer={form}", GAME)) for form in ("schema", "tool")]
    schema = requests[0]["response_format"]["json_schema"]["schema"]
    assert schema == requests[1]["tools"][0]["function"]["parameters"]
    assert legal(requests[0]) in schema["properties"]["action"]["enum"]
    assert requests[1]["tool_choice"]["function"]["name"] == "decision"
    assert actions[0] == actions[1]


def test_parts_reasoning_and_cached_tokens_are_read():
    def respond(body, number):
        parts = [{"type": "thinking", "thinking": "[pass]?"}, {"type": "text", "text": f"[{legal(body)}]"}]
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 60}}
        return message(parts, usage=usage, reasoning_content="It is cheap.")

    with server(respond) as (name, _):
        agent = make_agent(f"{name},input_price=10,cached_price=1,output_price=100", GAME)
        records = records_of(agent)
        ask(agent)
    assert records[0]["reasoning"] == "[pass]?\nIt is cheap."
    assert (agent.usage.input_tokens, agent.usage.cached_tokens) == (100, 60)
    assert agent.usage.cost == pytest.approx(1e-6 * (40 * 10 + 60 * 1 + 10 * 100))


def stream(*deltas: dict, ending: str | None = "stop", is_done: bool = True) -> Answer:
    events: list[dict] = [{"choices": [{"delta": delta}]} for delta in deltas]
    events += [{"choices": [{"delta": {}, "finish_reason": ending}]}] if ending else []
    events.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events] + (["data: [DONE]\n\n"] if is_done else [])
    return 200, {"Content-Type": "text/event-stream"}, "".join([": hello\n\n", *lines]).encode()


def test_a_stream_is_read_to_its_end():
    def respond(body, number):
        name = legal(body)
        if "tools" in body:
            arguments = json.dumps({"thoughts": "", "action": name})
            calls = [{"tool_calls": [{"index": 0, "function": {"arguments": part}}]} for part in arguments]
            return stream(*calls)
        return stream({"reasoning_content": "hm"}, {"content": f"[{name[:3]}"}, {"content": f"{name[3:]}]"})

    with server(respond) as (name, _):
        agents = [make_agent(f"{name},stream=true,answer={form}", GAME) for form in ("text", "tool")]
        records = records_of(agents[0])
        assert ask(agents[0]) == ask(agents[1])
    assert records[0]["reasoning"] == "hm"
    assert (agents[0].usage.input_tokens, agents[0].usage.output_tokens) == (7, 3)


def test_what_is_cut_off_is_no_answer():
    def respond(body, number):
        name = legal(body)
        whole = message(f"I could take [{name}]", finish="length")
        return whole if number <= 2 else stream({"content": f"[{name}]"}, ending=None, is_done=False)

    with server(respond) as (name, requests):
        with pytest.raises(AgentError, match="cut off at its most tokens"):
            ask(make_agent(name, GAME))
        with pytest.raises(AgentError, match="the stream ends before the answer does"):
            ask(make_agent(f"{name},retries=1", GAME))
    assert len(requests) == 4


def test_a_connection_that_ends_early_is_asked_again():
    def respond(body, number):
        status, headers, content = message(f"[{legal(body)}]")
        return (status, {"Content-Length": str(len(content) + 9), "Connection": "close"}, content) if number == 1 else (
            status, headers, content
        )  # fmt: skip

    with server(respond) as (name, requests):
        ask(make_agent(f"{name},retries=1", GAME))
    assert len(requests) == 2


# ---- two answers in one


def two_calls(names: list[str]) -> list[dict]:
    arguments = [json.dumps({"thoughts": "", "action": name}) for name in names]
    return [
        {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": "decision", "arguments": text}}
        for index, text in enumerate(arguments)
    ]


def streamed(calls: list[dict], place: Callable[[dict], dict]) -> Answer:
    """A stream of tool calls, letter by letter, each with the place that `place` gives it."""
    deltas = []
    for call in calls:
        letters = call["function"]["arguments"]
        deltas += [{"tool_calls": [{**place(call), "function": {"arguments": letter}}]} for letter in letters]
    return stream(*deltas)


def by_index(call: dict) -> dict:
    return {"index": call["index"]}


def by_id(call: dict) -> dict:
    return {"index": 0, "id": call["id"]}  # all in the place of the first one


@pytest.mark.parametrize("form", [None, by_index, by_id], ids=["whole", "streamed", "streamed to one place"])
def test_an_answer_with_two_tool_calls_is_refused_as_one_with_two_actions(form):
    def respond(body, number):
        names = body["tools"][0]["function"]["parameters"]["properties"]["action"]["enum"]
        calls = two_calls(names[:2] if number == 1 else names[1:2])
        return message(tool_calls=calls) if form is None else streamed(calls, form)

    with server(respond) as (name, requests):
        agent = make_agent(f"{name},answer=tool" + (",stream=true" if form else ""), GAME)
        records = records_of(agent)
        ask(agent)
    assert len(requests) == 2
    assert "has 2 tool calls, but one decision is asked for" in requests[1]["messages"][-1]["content"]
    assert records[0]["action"] == records[0]["legal"][1]


def test_a_model_is_asked_for_one_tool_call_where_the_server_knows_how():
    def respond(body, number):
        if "parallel_tool_calls" in body and number > 1:
            text = "Unsupported parameter: 'parallel_tool_calls' is not supported with this model."
            return error(400, text, "parallel_tool_calls")
        return message(tool_calls=two_calls([legal(body)])) if "tools" in body else message(f"[{legal(body)}]")

    with server(respond) as (name, requests):
        for settings in ("tool", "tool", "tool,parallel_tool_calls=null", "schema"):
            ask(make_agent(f"{name},answer={settings}", GAME))
    sent = [body.get("parallel_tool_calls") for body in requests]
    assert sent == [False, False, None, None, None]  # the second agent asks twice
    assert all("tools" in body for body in requests[:4])


def test_of_several_streamed_choices_the_first_is_the_answer():
    def respond(body, number):
        said = {0: f"[{legal(body)}]", 1: "[bid_1000]"}
        events = [
            {"choices": [{"index": index, "delta": {"content": letter}}]}
            for pair in zip(*(text.ljust(20) for text in said.values()), strict=True)
            for index, letter in enumerate(pair)
        ]
        return 200, {}, "".join(f"data: {one}\n\n" for one in [*map(json.dumps, events), "[DONE]"]).encode()

    with server(respond) as (name, requests):
        ask(make_agent(f"{name},stream=true,n=2,answer=text", GAME))
    assert len(requests) == 1


# ---- a status that says what the content does not

LIMIT = {"error": {"code": 429, "message": "Rate limit exceeded"}}
BUSY = {
    "an error": LIMIT,
    "an error by its text": {"error": {"code": "rate_limit_exceeded"}},
    "an error in a choice": {"choices": [{"message": {"content": ""}, "finish_reason": "error", **LIMIT}]},
    "an error of another form": {"object": "error", "code": 429},
    "choices null": {"choices": None},
    "no choices": {"choices": []},
    "no message": {"choices": [{"message": None, "finish_reason": "stop"}]},
    "nothing": b"",
    "HTML": b"<html><body><h1>429 Too Many Requests</h1></body></html>",
    "a BOM": b"\xef\xbb\xbf" + json.dumps(LIMIT).encode(),
    "a stream of an error": f"data: {json.dumps(LIMIT)}\n\ndata: [DONE]\n\n".encode(),
    "a stream with an error": b'data: {"choices": [{"delta": {"content": "[pa"}}]}\n\n'
    + f"data: {json.dumps({**LIMIT, 'choices': [{'delta': {}, 'finish_reason': 'error'}]})}\n\n".encode(),
    "a stream without choices": b'data: {"choices": []}\n\ndata: [DONE]\n\n',
    "a stream that ends": b'data: {"choices": [{"delta": {"content": "[pa"}}]}\n\n',
}


@pytest.mark.parametrize("content", BUSY.values(), ids=BUSY)
def test_a_limit_within_status_200_is_waited_for_as_with_status_429(content):
    times = []

    def respond(body, number):
        times.append(time.monotonic())
        sent = content if isinstance(content, bytes) else json.dumps(content).encode()
        return (200, {"Retry-After": "0.3"}, sent) if number == 1 else message(f"[{legal(body)}]")

    with server(respond) as (name, _):
        agent = make_agent(name, GAME)
        ask(agent)
    assert times[1] - times[0] >= 0.3
    assert agent.usage.questions == 1


def test_other_errors_within_status_200_are_those_of_their_status():
    said = {"error": {"code": 401, "message": "no key"}}
    expected = pytest.raises(UnreachableError, match=r"an error in the answer: .*no key.*variable NO_SUCH_KEY")
    with server(lambda body, number: (200, {}, json.dumps(said).encode())) as (name, requests), expected:
        ask(make_agent(f"{name},key=NO_SUCH_KEY", GAME))
    assert len(requests) == 1


def test_a_whole_answer_may_begin_with_a_bom():
    def respond(body, number):
        status, headers, content = message(f"[{legal(body)}]")
        return status, headers, b"\xef\xbb\xbf" + content

    with server(respond) as (name, requests):
        ask(make_agent(name, GAME))
    assert len(requests) == 1


# ---- what is no decision


def limits(body: dict, number: int) -> Answer:
    return error(429, "limit", **{"Retry-After": "0.01"})


def spent(body: dict, number: int) -> Answer:
    return error(429, "You exceeded your current quota (insufficient_quota)", **{"x-should-retry": "false"})


def refuses_both_names(body: dict, number: int) -> Answer:
    return error(400, f"unsupported: {next(name for name in body if 'max_' in name)}")


@pytest.mark.parametrize(
    ("answer", "settings", "kind", "said", "asked"),
    [
        (limits, "retries=2", AgentError, "status 429", 3),
        (spent, "", UnreachableError, "quota", 1),
        (refuses_both_names, "", UnreachableError, "unsupported", 2),
        ("Invalid value for 'effort': 'huge'", "effort=huge", UnreachableError, "refuses the field effort", 1),
        ("temperature must be between 0 and 2", "temperature=9", UnreachableError, "which temperature=null", 1),
        ("Unrecognized request argument supplied: top_k", "top_k=5", UnreachableError, "refuses the field top_k", 1),
        ("something is wrong", "max_tokens=5", UnreachableError, "status 400", 1),
        (error(500, ""), "retries=1", AgentError, "status 500", 2),
        (error(401, ""), "key=NO_SUCH_KEY", UnreachableError, "variable NO_SUCH_KEY, which is not set", 1),
        (message("gibberish"), "retries=2", AgentError, 'no action found in "gibberish"', 2),
        (message(""), "", AgentError, "the answer is empty", 2),
        (message(None), "", AgentError, "the answer is empty", 2),
        (message(refusal="I can't play."), "", AgentError, "no action found", 2),
        (message({"type": "image"}), "", AgentError, "the answer is empty", 2),
        (message(5), "retries=0", AgentError, "not a chat completion", 1),
        (message([5]), "retries=0", AgentError, "not a chat completion", 1),
    ],
    ids=range(16),
)
def test_what_is_no_decision_is_said_and_a_model_that_cannot_be_asked_ends_the_run(answer, settings, kind, said, asked):
    answer = error(400, answer) if isinstance(answer, str) else answer
    respond = answer if callable(answer) else lambda body, number: answer
    with server(respond) as (name, requests), pytest.raises(AgentError) as failure:
        ask(make_agent(f"{name},answer=text,{settings}".rstrip(","), GAME))
    assert said in str(failure.value)
    assert (type(failure.value), len(requests)) == (kind, asked)


def test_a_run_ends_where_the_model_fails_to_make_too_many_decisions():
    with server(lambda body, number: message("hm")) as (name, _):
        agent = make_agent(name, GAME)
        for _ in range(2):  # of the first 40 decisions
            with pytest.raises(AgentError) as failure:
                ask(agent)
            assert not isinstance(failure.value, ForfeitsError)
        with pytest.raises(ForfeitsError, match=r"failed to make 3 of 3 decisions, more than max_forfeits=0.05"):
            ask(agent)
        patient = make_agent(f"{name},max_forfeits=1", GAME)
        for _ in range(5):
            with pytest.raises(AgentError, match="no action found"):
                ask(patient)


def test_without_the_client_a_server_cannot_be_asked_and_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "w51_agents.language.llm.chat_server", raising=False)
    with pytest.raises(MissingPackageError, match=r"needs the client of OpenAI, which comes with.*llm"):
        make_agent("llm:http://127.0.0.1:1/v1,model=m", GAME)
    make_agent("llm:cat", GAME)  # a command needs no client
