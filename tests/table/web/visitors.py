"""Visitors of the web table without a browser, and agents that decide in the same process."""

import json
import zlib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from tests.table.play.games import InProcessPool
from w51_table.web import server
from w51_table.web.app import make_app

ADDRESS = "http://127.0.0.1:5151"
SOCKET = "ws://127.0.0.1:5151/ws"
ORIGIN = {"origin": ADDRESS}


def new_table(client: TestClient, seats: list[str], game: str = "warehouse51_v1", **more: Any) -> Any:
    answer = client.post("/api/tables", json={"game": game, "seats": seats, "pace": 0.0, **more})
    assert answer.status_code == 200, answer.text
    return SimpleNamespace(**answer.json())


class Browser:
    """One connection, which keeps every message that it gets."""

    def __init__(self, session: WebSocketTestSession, table: str, token: str = "", form: str = "wide"):
        self.session = session
        self.received: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.send(type="hello", table=table, token=token, language="en", form=form)

    def send(self, **message: Any) -> None:
        self.session.send_text(json.dumps(message))

    def receive(self) -> dict[str, Any]:
        self.texts.append(self.session.receive_text())
        self.received.append(json.loads(self.texts[-1]))
        return self.received[-1]

    def until_closed(self) -> int:
        """The code with which the server closes the connection."""
        try:
            while True:
                self.receive()
        except WebSocketDisconnect as closed:
            return closed.code

    def until(self, decision: int) -> dict[str, Any]:
        """The state of this decision, or a later one."""
        while not self.received or self.received[-1].get("decision", -1) < decision:
            self.receive()
        return self.received[-1]


def unpack(packed: str) -> str:
    """The text that a message has packed."""
    return zlib.decompress(b64decode(packed)).decode()


@contextmanager
def visits(client: TestClient, table: Any, *seats: int | None) -> Iterator[list[Browser]]:
    """A browser at each of these seats of a table; None: one that only watches."""
    tokens = ["" if seat is None else table.tokens[seat] for seat in seats]
    with ExitStack() as stack:
        yield [Browser(stack.enter_context(client.websocket_connect(SOCKET)), table.table, one) for one in tokens]


def first_state(client: TestClient, table: Any, seat: int | None = 0) -> dict[str, Any]:
    """What a browser at a seat gets first."""
    with visits(client, table, seat) as [browser]:
        return browser.receive()


def bearer(token: str) -> dict[str, str]:
    """The headers of a request with a token."""
    return {"authorization": f"Bearer {token}"}


@contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[TestClient]:
    """A server in this process, in which agents decide at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "AgentPool", InProcessPool)
        app = make_app(server.ServerSettings(folder, **{"language": "en", **settings}))
        with TestClient(app, base_url=ADDRESS, headers=ORIGIN) as client:
            yield client


def play_out(session: Any) -> None:
    """Play a table in memory to its end, past its file."""
    while not session.table.over:
        session.table.play(int(session.table.action_mask.argmax()))


def live_table(client: TestClient, name: str) -> Any:
    """The table in memory; it is opened if it was put away."""
    return client.portal.call(client.app.state.server.tables.get, name)  # type: ignore[attr-defined, union-attr]


def ids_of(message: dict[str, Any]) -> list[int]:
    groups = message["actions"]
    return [group["id"] for group in groups if "id" in group] + [
        choice[1] for group in groups for choice in group.get("choices", ())
    ]


def play_to(client: TestClient, table: Any, browsers: list[Browser], last: int, seed: int = 0) -> None:
    """People play at random until `last` decisions are made or the game is over; every browser gets every state."""
    live, generator = live_table(client, table.table), np.random.default_rng(seed)
    while not live.table.over and live.table.decision < last:
        decision, seat = live.table.decision, live.table.seat
        mover = next(browser for browser in browsers if browser.until(decision)["seat"] == seat)
        mover.send(type="act", decision=decision, action=int(generator.choice(ids_of(mover.received[-1]))))
        mover.until(decision + 1)
    for browser in browsers:
        browser.until(live.table.decision)


def play_alone(browser: Browser, moves: int) -> None:
    """Play so many decisions of the only person, or to the end."""
    message = browser.received[-1] if browser.received else browser.receive()
    for number in range(moves):
        while not message["actions"] and not message["over"]:
            message = browser.receive()
        if message["over"]:
            return
        choices = ids_of(message)
        browser.send(type="act", decision=message["decision"], action=choices[number % len(choices)])
        message = browser.until(message["decision"] + 1)
