"""The key of a server is in no message, no file and no output, whatever the server does with it."""

import base64
import html
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.agents.chat_servers import GAME, ask, chooses_first, serving
from w51_agents import AgentError, make_agent
from w51_agents.isolation.process import traceback_of
from w51_agents.language.llm import chat_server
from w51_agents.system import secrets
from w51_agents.system.secrets import hidden, keep_secret
from w51_lab.arena.plan import Plan
from w51_lab.arena.spec import TournamentSpec

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-Ab/C+d=9&<x>%41\"q\\z'Ü".replace("Ü", "u")

FORMS = {
    "whole": KEY,
    "url": quote(KEY, safe=""),
    "url, small": quote(KEY, safe="").lower(),
    "url, twice": quote(quote(KEY, safe=""), safe=""),
    "json": json.dumps(KEY),
    "json, twice": json.dumps(json.dumps(KEY)),
    "json, all escaped": "".join(f"\\u{ord(letter):04X}" for letter in KEY),
    "python": repr(KEY),
    "html": html.escape(KEY),
    "html, all escaped": "".join(f"&#{ord(letter)};" for letter in KEY),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "basic": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "basic, a longer user": base64.b64encode(f"user2:{KEY}".encode()).decode(),
    "basic, without a user": base64.b64encode(f":{KEY}".encode()).decode(),
    "base64, url": base64.urlsafe_b64encode(f"me:{KEY} ".encode()).decode(),
    "hex": KEY.encode().hex(),
    "other case": KEY.upper(),
}


def traces_of(key: str) -> list[str]:
    """Parts of a key that a text without it does not have: six letters, six of its base64 and of its hex."""
    texts = [key, *(base64.b64encode(bytes(before) + key.encode()).decode()[4:-4] for before in range(3))]
    return [text[at : at + 8] for text in (*texts, key.encode().hex()) for at in range(len(text) - 7)]


@pytest.fixture(autouse=True)
def _no_secrets_of_other_tests(monkeypatch):
    monkeypatch.setattr(secrets, "_secrets", {})


@pytest.mark.parametrize("form", FORMS)
def test_a_key_is_hidden_in_every_form(form: str):
    keep_secret(KEY)
    found = hidden(f"the server says {FORMS[form]}, and more")
    assert secrets.HIDDEN in found
    assert found.startswith("the server says ")
    assert found.endswith(", and more")
    assert not [trace for trace in traces_of(KEY) if trace in found]


@pytest.mark.parametrize("key", ["deck", "none"])
def test_what_is_shorter_than_a_key_stays_in_answers_so_that_a_killed_run_asks_nothing_twice(
    key: str, monkeypatch, tmp_path: Path
):
    monkeypatch.setenv("TEST_KEY", key)
    with serving(chooses_first) as stub:
        made = [make_agent(f"{stub.name},key=TEST_KEY,journal={tmp_path}", GAME)]
        played = [ask(made[0])]
        made.append(make_agent(f"{stub.name},key=TEST_KEY,journal={tmp_path}", GAME))
        assert ask(made[1]) == played[0]
        assert [headers["Authorization"] for headers in stub.headers] == [f"Bearer {key}"]


@pytest.mark.parametrize(("status", "form"), [(200, "whole"), (401, "json"), (500, "basic")])
def test_a_server_that_echoes_the_key_puts_it_into_no_message(form: str, status: int, monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    for before in ("", "x" * 70, "y" * 190):  # what a message quotes is cut inside the key

        def answer(messages, number, text=before + FORMS[form]):
            return text if status == 200 else (status, text)

        with serving(answer) as stub, pytest.raises(AgentError) as failure:
            ask(make_agent(f"{stub.name},key=TEST_KEY,retries=0", GAME))
        said = str(failure.value) + "".join(traceback.format_exception(failure.value)) + traceback_of(failure.value)
        assert not [trace for trace in traces_of(KEY) if trace in said]


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("sk-first\nsecond-part", "a line break at place 9 of 20"),
        ("sk-first\r\nX-Header: second-part", "a line break at place 9"),
        ("sk-first second-part", "a space at place 9"),
        ("sk-first\x07second-part", "a control character at place 9"),
        ("sk-firstésecond-part", "a letter that is not ASCII at place 9"),
        ("sk-first\udcffsecond-part", "a letter that is not ASCII at place 9"),
        ("sk-first-second-part" * 3, "has 60 characters; 50 at most"),
    ],
)
def test_a_key_that_no_header_can_have_is_refused_when_the_agent_is_made(value: str, what: str, monkeypatch):
    monkeypatch.setenv("TEST_KEY", value)
    monkeypatch.setattr(chat_server, "_MAX_KEY", 50)
    with pytest.raises(AgentError, match=f"environment variable TEST_KEY has {what}|TEST_KEY {what}") as failure:
        make_agent("llm:http://127.0.0.1:1/v1,model=x,key=TEST_KEY", GAME)
    said = "".join(traceback.format_exception(failure.value))
    assert "sk-first" not in said
    assert "second-part" not in said


def test_space_around_a_key_is_no_part_of_it(monkeypatch):
    monkeypatch.setenv("TEST_KEY", f"  {KEY}\r\n")
    with serving(lambda messages, number: 500) as stub, pytest.raises(AgentError):
        ask(make_agent(f"{stub.name},key=TEST_KEY,retries=0", GAME))
    assert stub.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "name",
    [
        *("llm:HTTP://user:hunter2@127.0.0.1/v1,model=x", "llm:hTTps://user:hunter2@127.0.0.1/v1,model=x"),
        *("llm: http://user:hunter2@127.0.0.1/v1,model=x", "llm:http:///user:hunter2@127.0.0.1,model=x"),
        *("llm:http:user:hunter2@127.0.0.1,model=x", "llm:http:\\\\user:hunter2@127.0.0.1,model=x"),
        *("llm:http://user:hunter2@127.0.0.1:bad/v1,model=x", "llm:http://user:hunter2@[::1/v1,model=x"),
        *("llm:http://user:hun,ter2hunter2@127.0.0.1/v1,model=x", "llm:http://user:hunter2@127.0.0.1/v1,modle=x"),
        *("llm:http://127.0.0.1/v1?key=hunter2,model=x,timeout=never", "llm:ftp://user:hunter2@127.0.0.1/v1"),
        *("llm:ask --url https://user:hunter2@127.0.0.1/ --brief", "llm:ask --url=HTTPS://user:hunter2@host"),
        *("LLM:http://user:hunter2@127.0.0.1/v1", "search:prior=llm:http://user:hunter2@127.0.0.1/v1"),
        "llm:http://127.0.0.1/v1,model=x,key=sk-hunter2",
    ],
)
def test_a_password_in_a_name_is_refused_and_not_repeated(name: str):
    for make in (lambda: make_agent(name, GAME), lambda: Plan(TournamentSpec(agents=(name, "random"), games=2))):
        with pytest.raises(AgentError, match=r"agent llm:\.\.\.: ") as failure:
            make()
        assert "hunter2" not in "".join(traceback.format_exception(failure.value))


def test_a_command_line_with_the_key_is_refused_and_not_repeated(monkeypatch):
    monkeypatch.setenv("TEST_KEY", "sk-hunter2-hunter2")
    with pytest.raises(AgentError, match="the address has the key of TEST_KEY") as failure:
        make_agent("llm:curl -H 'Authorization: Bearer sk-hunter2-hunter2' x,key=TEST_KEY", GAME)
    assert "hunter2" not in str(failure.value)


def test_a_command_that_prints_the_key_puts_it_into_no_message(monkeypatch):
    monkeypatch.setenv("TEST_KEY", KEY)
    code = 'import os, sys; sys.exit("x" * 190 + os.environ["TEST_KEY"])'
    with pytest.raises(AgentError, match="exit status 1: xxx") as failure:
        ask(make_agent(f"llm:{sys.executable} -c '{code}',key=TEST_KEY,retries=0", GAME))
    assert not [trace for trace in traces_of(KEY) if trace in str(failure.value)]


@pytest.mark.slow
def test_no_file_and_no_output_of_a_tournament_has_the_key(tmp_path: Path):
    """The documented command line, with a server that echoes the key in each form, in answers and in errors."""
    forms = list(FORMS.values())

    def answer(messages, number):
        text = forms[number % len(forms)]
        return (403, text) if number % 3 else text  # 401 would end the tournament

    environment = {**os.environ, "TEST_KEY": f"{KEY}\n", "PYTHONDONTWRITEBYTECODE": "1"}
    with serving(answer) as stub:
        name = f"{stub.name},key=TEST_KEY,retries=0,max_forfeits=1"
        words = [name, "random", "--games", "6", "--option", "preset=mini"]
        done = subprocess.run(
            [sys.executable, str(ROOT / "evaluate.py"), *words, "--replays", "1", "--out", str(tmp_path / "cup")],
            env=environment,
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"report.html", "summary.json", "failures.json", "tournament.json"} <= {path.name for path in files}
    texts = {"output": done.stdout, "errors": done.stderr, **{str(path): path.read_bytes() for path in files}}
    assert "***" in texts[str(next(path for path in files if path.name == "failures.json"))].decode()
    traces = traces_of(KEY)
    assert not {name for name, text in texts.items() if any(trace.encode() in text for trace in traces)}
