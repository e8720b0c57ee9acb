"""Servers of language models, and programs that ask them for one decision."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from w51_env import make_game, make_vec

GAME = make_game("warehouse51_v1", num_players=3, preset="mini")
LEGAL = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)

Answer = tuple[int, dict[str, str], bytes]  # status, headers, content


@dataclass
class Stub:
    """A server by its address and as an agent by its name, and what it was asked."""

    url: str = ""
    name: str = ""
    requests: list[dict] = field(default_factory=list)
    headers: list[dict] = field(default_factory=list)


@contextmanager
def speaking(talk: Callable[[Callable[[bytes], object], dict, int], None]) -> Iterator[Stub]:
    """A server that reads a request and then writes what `talk(write, request, its number)` writes."""
    stub = Stub()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append(body)
            stub.headers.append({name.title(): value for name, value in self.headers.items()})
            with suppress(OSError):  # the client has left
                talk(self.wfile.write, body, len(stub.requests))

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        stub.url = f"http://127.0.0.1:{server.server_port}/v1"
        stub.name = f"llm:{stub.url},model=stub"
        try:
            yield stub
        finally:
            server.shutdown()
            thread.join()


def responding(respond: Callable[[dict, int], Answer]):
    """A server that answers a request and its number."""

    def talk(write, body: dict, number: int) -> None:
        status, headers, content = respond(body, number)
        lines = [f"HTTP/1.0 {status} Said", *map(": ".join, {"Content-Length": str(len(content)), **headers}.items())]
        write("\r\n".join([*lines, "", ""]).encode() + content)

    return speaking(talk)


def serving(answer: Callable[[list[dict], int], str | int | tuple[int, str] | None], usage: bool = True):
    """A chat-completions server that says what `answer(messages, number of the question)` does, or a status."""
    counts = {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}} if usage else {}

    def respond(body: dict, number: int) -> Answer:
        found = answer(body["messages"], number)
        if isinstance(found, int | tuple):
            status, text = found if isinstance(found, tuple) else (found, "")
            return status, {}, text.encode()
        choices = [{"index": 0, "message": {"role": "assistant", "content": found}, "finish_reason": "stop"}]
        head = {"id": "1", "object": "chat.completion", "created": 1, "model": "stub"}
        return 200, {"Content-Type": "application/json"}, json.dumps({**head, "choices": choices, **counts}).encode()

    return responding(respond)


def first_legal(prompt: str) -> str:
    return LEGAL.findall(prompt.rpartition("Your legal actions:")[2])[0]


def chooses_first(messages: list[dict], number: int) -> str:
    """The answer of a model that takes its first legal action."""
    return f"[{first_legal(messages[-1]['content'])}]"


def ask(agent, seed: int = 1) -> np.ndarray:
    """The agent's action at the first decision of a game."""
    batch = make_vec("warehouse51_v1", num_envs=1, seed=seed, events=True, num_players=3, preset="mini")
    batch.reset()
    view = batch.view(0, int(batch.seat[0]))
    return agent.act_batch(batch.observation, batch.action_mask, [{"view": view, "earlier": ()}])
