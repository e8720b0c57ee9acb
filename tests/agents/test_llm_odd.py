"""Servers and programs that answer late, without end, or with what is no answer; real sockets and processes."""

import gc
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.chat_servers import GAME, Stub, ask, serving, speaking
from w51_agents import AgentError, make_agent
from w51_agents.language.llm import chat_server

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def named(stub: Stub) -> str:
    return f"{stub.name},retries=0"


def drip(head: bytes, body: bytes) -> Callable[..., None]:
    """A byte each tenth of a second, after some at once."""

    def talk(write: Callable[[bytes], object], *request: object) -> None:
        write(head)
        for byte in body:
            write(bytes([byte]))
            time.sleep(0.1)

    return talk


def flood(write: Callable[[bytes], object], *request: object) -> None:
    write(HEAD + b"Content-Length: 400000000\r\n\r\n")
    for _ in range(400):
        write(b" " * 1_000_000)


def complete(content: str, **usage: object) -> bytes:
    data = json.dumps({"choices": [{"message": {"content": content}}], "usage": usage}).encode()
    return HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(data) + data


@pytest.mark.parametrize(
    "talk",
    [
        drip(b"", HEAD * 50),
        drip(HEAD, b"X-Header: a\r\n" * 50),
        drip(HEAD + b"Content-Length: 1000\r\n\r\n", b" " * 1000),
        drip(b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 50),
    ],
    ids=["status", "headers", "body", "informational"],
)
def test_the_deadline_is_for_the_whole_answer(talk):
    with speaking(talk) as stub:
        begun = time.monotonic()
        with pytest.raises(AgentError, match=r"no answer within 0\.3 s"):
            ask(make_agent(f"{named(stub)},timeout=0.3", GAME))
        assert time.monotonic() - begun < 2


def test_an_answer_is_read_up_to_a_limit_of_bytes(caplog):
    with speaking(flood) as stub:
        agent = make_agent(named(stub), GAME)
        tracemalloc.start()
        with pytest.raises(AgentError, match="an answer of more than 1,000,000 bytes"):
            ask(agent)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    gc.collect()
    assert not caplog.text  # asyncio tells of tasks that nobody ended
    assert peak < 40_000_000  # of 400; the first request imports modules too


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b", "not a chat completion"),
        (HEAD + b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000, "not a chat completion"),
        (HEAD + b"Content-Length: 5\r\n\r\n\xff\xfe\x00\xd8\x00", "not a chat completion"),
        (complete("[pass]", prompt_tokens=10**400, completion_tokens=1), "more than 20 digits tokens"),
        (complete("[pass]", prompt_tokens=1, completion_tokens=-5), "-5 tokens, but 0 to 1,000,000,000 are possible"),
        (complete("[\ud800]"), "a lone surrogate"),
        (complete('{"action": ' + "[" * 1900 + "]" * 1900 + "}"), "no action found"),
        (b"nonsense\r\n\r\n", "RemoteProtocolError"),
        (b"", "RemoteProtocolError"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 300_000 + b"\r\n\r\n", "RemoteProtocolError"),
        (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", "status 302"),
    ],
    ids=range(11),
)
def test_what_is_no_answer_is_an_error_in_words(answer: bytes, message: str):
    with speaking(lambda write, *request: write(answer)) as stub, pytest.raises(AgentError) as failure:
        ask(make_agent(named(stub), GAME))
    assert message in str(failure.value)
    assert len(str(failure.value)) < 1000


@pytest.mark.parametrize(
    "address",
    [
        *("http://127.0.0.1:99999/v1", "http://127.0.0.1:x/v1", "http://127.0.0.1:0/v1", "http://[::1/v1"),
        *("http:///v1", "http:/v1", "http:v1", "HTTPS://", "http://\u2100/v1", "http://a b/v1", "http://\udcff/v1"),
        *("http://127.0.0.1:1/\x00", "http://" + "a." * 200 + "b", "http://xn--/v1", "http://999.1.1.1/v1"),
    ],
)
def test_an_odd_address_is_an_agent_error(address: str):
    with pytest.raises(AgentError, match=r"llm:|http"):
        ask(make_agent(f"llm:{address},model=x,retries=0,timeout=5", GAME))


def test_a_proxy_that_is_no_url_is_an_agent_error(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "ftp://me:hunter2@127.0.0.1:1")
    with pytest.raises(AgentError) as failure:
        make_agent("llm:http://127.0.0.1:1/v1,model=x", GAME)
    assert "hunter2" not in str(failure.value)


# ---- programs


def command(code: str, **settings: object) -> str:
    """The name of an agent that is a Python program."""
    quoted = code.replace("'", "'\"'\"'")
    return f"llm:{sys.executable} -c '{quoted}'," + ",".join(f"{key}={value}" for key, value in settings.items())


def alive(marker: str) -> bool:
    """Whether a process has this word in its arguments."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                return True
        except OSError:
            continue
    return False


@pytest.mark.parametrize("end", ["time.sleep(60)", "sys.exit(0)", "os._exit(3)", "print('x' * 10**7)"])
def test_a_command_ends_with_its_whole_process_group(end: str):
    marker = f"w51_{os.getpid()}_{abs(hash(end))}"
    waiting = f"[sys.executable, '-c', 'import time; time.sleep(60)', '{marker}']"
    child = f"import subprocess, sys, os, time; subprocess.Popen({waiting}); "
    begun = time.monotonic()
    with pytest.raises(AgentError):
        ask(make_agent(command(child + end, timeout=1.5, retries=0), GAME))
    assert time.monotonic() - begun < 10
    until = time.monotonic() + 0.2
    while alive(marker) and time.monotonic() < until:
        time.sleep(0.01)
    assert not alive(marker)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.stdout.write('y' * 10**7)", "an answer of more than 1,000,000 bytes"),
        ("import sys; sys.stderr.write('y' * 10**7); sys.exit(2)", "exit status 2: yyyy"),
        ("import sys; sys.exit('broken model')", "exit status 1: broken model"),
        ("import os; os.kill(os.getpid(), 35)", "signal 35"),
        ("import os; os.close(1); import time; time.sleep(60)", "no answer within 1 s"),
        ("import os; os.write(1, b'[' + bytes(range(256)) * 99)", "no action found"),
    ],
    ids=range(6),
)
def test_a_command_that_writes_without_end_or_dies_is_an_agent_error(code: str, message: str):
    with pytest.raises(AgentError) as failure:
        ask(make_agent(command(code, timeout=1 if "within" in message else 30, retries=0), GAME))
    assert message in str(failure.value)
    assert len(str(failure.value)) < 1000


def test_a_command_that_does_not_read_its_prompt_may_answer():
    assert ask(make_agent(command("print('choose_deck_red')", timeout=30), GAME)).shape == (1,)


def test_no_answer_is_longer_than_the_reader_reads(monkeypatch):
    """A conversation of retries does not grow by a megabyte each."""
    monkeypatch.setattr(chat_server, "MAX_BYTES", 2_000_000)
    with serving(lambda messages, number: "x" * 900_000) as stub, pytest.raises(AgentError):
        ask(make_agent(f"{stub.name},retries=3", GAME))
    assert max(len(message["content"]) for request in stub.requests for message in request["messages"][2:]) <= 20_000
