"""`play.py assistant` as a process: lines of JSON on its standard input and output, and nothing else there."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ROOT
from tests.table.play.noisy import NOISE

pytest.importorskip("mcp", reason="needs the extra 'llm'")
pytestmark = pytest.mark.slow

ACTION = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)


class Client:
    """A client that writes any lines, and expects JSON in each line of the answer."""

    def __init__(self, process: subprocess.Popen):
        self.process, self.number = process, 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.result(self.send("initialize", hello))
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def send(self, method: str, parameters: dict[str, Any]) -> int:
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        return self.number

    def call(self, tool: str, **arguments: Any) -> int:
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def answers(self, count: int) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        while len(found) < count:
            answer = json.loads(self.process.stdout.readline())
            if "id" in answer:
                found[answer["id"]] = answer
        return found

    def result(self, number: int) -> dict[str, Any]:
        return self.answers(1)[number]["result"]

    def text(self, tool: str, **arguments: Any) -> str:
        return self.result(self.call(tool, **arguments))["content"][0]["text"]


@contextmanager
def assistant(errors: Path, *agents: str) -> Iterator[Client]:
    words = [*agents, "--preset", "mini", "--players", "3", "--seat", "0", "--seed", "3", "--language", "en"]
    with errors.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "play.py"), "assistant", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        late = threading.Timer(400, process.kill)  # a server that does not answer fails the test
        late.start()
        try:
            yield Client(process)
            process.stdin.close()
            assert process.stdout.read() == ""  # nothing is left to print at the end
            assert process.wait(60) == 0
        finally:
            late.cancel()
            process.kill()
            process.wait()
            process.stdout.close()


def test_what_agents_print_goes_to_the_standard_error_stream(tmp_path: Path):
    with assistant(tmp_path / "errors", "tests.table.play.noisy:Noisy") as client:
        page = client.text("look")
        while "the game is over" not in page:
            page = client.text("act", action=ACTION.findall(page)[0])
            assert NOISE not in page
    assert (tmp_path / "errors").read_text().count(NOISE) > 10


def test_calls_at_the_same_time_are_answered_one_after_the_other(tmp_path: Path):
    with assistant(tmp_path / "errors", "heuristic") as client:
        page = client.text("look")
        action = ACTION.findall(page)[0]
        numbers = [client.call(*call) for call in [("look",), ("rules",)] * 10] + [
            client.call("act", action=action) for _ in range(20)
        ]
        found = client.answers(len(numbers))
        texts = [found[number]["result"]["content"][0]["text"] for number in numbers]
        assert all(len(text) <= 32_000 for text in texts if "the rules" not in text)
        acted = [found[number]["result"] for number in numbers[20:]]
        assert any(not result.get("isError") for result in acted)
        for result in acted:  # each was played on the table as the one before had left it, or refused
            text = result["content"][0]["text"]
            assert not result.get("isError") or "is not legal now" in text or "the game is over" in text, text
        assert client.text("new_game", seed=3) == client.text("new_game", seed=3) != page


def test_errors_come_with_their_reason_and_change_nothing(tmp_path: Path):
    with assistant(tmp_path / "errors", "heuristic") as client:
        page = client.text("look")
        for tool, arguments, reason in [
            ("act", {"action": "choose_gap_0"}, "not legal now"),
            ("act", {"action": 7}, "valid string"),
            ("new_game", {"seed": -1}, "seed: -1, but an integer from 0 to 2**64-1 is allowed"),
            ("new_game", {"seed": 2**64}, "is allowed"),
            ("leave", {}, "leave"),
        ]:
            number = client.call(tool, **arguments)
            result = client.answers(1)[number]
            assert reason in json.dumps(result), result
        assert client.text("look") == page


def test_a_bid_that_is_too_high_is_answered_with_the_highest_one(tmp_path: Path):
    with assistant(tmp_path / "errors", "heuristic") as client:
        page = client.text("look")
        while not (bids := re.findall(r"\bbid_(\d+)\b", page.split("Your legal actions:")[1])):
            page = client.text("act", action=ACTION.findall(page)[0])
        number = client.call("act", action="bid 99")
        answer = json.dumps(client.answers(1)[number])
        assert f"is too high: the highest is {max(map(int, bids))}, bid_{max(map(int, bids))}" in answer
        assert client.text("look") == page


def test_an_agent_that_fails_is_named_and_its_reason_is_in_the_log(tmp_path: Path):
    with assistant(tmp_path / "errors", "tests.table.play.noisy:Failing") as client:
        page = client.text("look")
        while "the game is over" not in page and "failed, and a random action was played" not in page:
            page = client.text("act", action=ACTION.findall(page)[0])
    assert "tests.table.play.noisy:Failing failed, and a random action was played" in page
    assert len(page) <= 4000
    assert "reason-of-the-failure" not in page
    assert "ValueError: reason-of-the-failure" in (tmp_path / "errors").read_text()
