"""Scripted models: they take the first legal action of a prompt, or say what is no action."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

LEGAL = re.compile(r"^- ([a-z_0-9]+)(?: \.\.\. [a-z_0-9]+)?: ", re.MULTILINE)
NONSENSE = "I do not know"


def first_legal(prompt: str) -> str:
    """An answer that names the first legal action of a prompt."""
    return f"It is my turn.\n[{LEGAL.findall(prompt.rpartition('Your legal actions:')[2])[0]}]"


@contextmanager
def server(answer: Callable[[str], str]) -> Iterator[tuple[str, list[list[dict]]]]:
    """The address of a server of chat completions, and the messages of its requests."""
    asked: list[list[dict]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"])
            message = {"role": "assistant", "content": answer(asked[-1][-1]["content"])}
            choice = {"index": 0, "finish_reason": "stop", "message": message}
            reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
            content = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}/v1", asked
        made.shutdown()
