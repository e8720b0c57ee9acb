"""One connection of a browser to a table: messages in, messages out."""

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from w51_env.core.errors import W51Error
from w51_env.play.agent_pool import hint_agent
from w51_env.play.table import PlayerError
from w51_env.play.web.limits import Allowance
from w51_env.play.web.live import LiveTable, Visitor
from w51_env.play.web.messages import MOST_BYTES, Act, AskHint, hint_data, parse, parse_hello, state_message
from w51_env.play.web.tables import LiveTables
from w51_env.views.language import LANGUAGES, Words

HELLO_SECONDS = 10.0
MALFORMED, NOT_FOUND, TOO_MANY = 4400, 4404, 4429  # codes with which a connection is closed
_LOG = logging.getLogger("uvicorn.error")
_PER_SECOND, _BURST = 20.0, 60.0  # messages from a page


class Visits:
    """The visitors of a server.

    Args:
        tables: What they visit.
        most: The most of them at a time.
    """

    def __init__(self, tables: LiveTables, most: int):
        self._tables = tables
        self._most = most
        self._count = 0

    async def serve(self, socket: WebSocket) -> None:
        """Serve one connection to its end."""
        self._count += 1
        try:
            await socket.accept()
            if self._count > self._most:
                await socket.close(TOO_MANY)
                return
            await self._visit(socket)
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass  # the connection is gone
        finally:
            self._count -= 1

    async def _visit(self, socket: WebSocket) -> None:
        try:
            hello = parse_hello(await asyncio.wait_for(receive(socket), HELLO_SECONDS))
        except TimeoutError:
            hello = None
        if hello is None or hello.language not in LANGUAGES:
            await socket.close(MALFORMED)
            return
        try:
            live = await self._tables.get(hello.table)
        except PlayerError as error:  # while all tables are in use the page tries again
            await socket.close(TOO_MANY if error.key == "too_many_tables" else NOT_FOUND)
            return
        except W51Error as error:
            _LOG.warning("%s", error)
            live = None
        seat = live.seat_of(hello.token) if live is not None and hello.token else None
        if live is None or not live.has_people or (hello.token and seat is None):
            await socket.close(NOT_FOUND)
            return
        visitor = Visitor(seat, Words(hello.language, live.table.setup.names), hello.form)
        live.enter(visitor)
        sender = asyncio.create_task(_send_states(socket, live, visitor))
        try:
            await _receive(socket, live, visitor)
        finally:
            live.leave(visitor)
            sender.cancel()


async def receive(socket: WebSocket) -> str:
    """The text of the next message; empty for a message of bytes."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return message.get("text") or ""


async def send(socket: WebSocket, message: dict[str, Any]) -> None:
    """Send a message; one that would be too long goes without its table in words, then also without its picture."""
    text = as_json(message)
    for left_out in ("text", "picture"):
        if len(text.encode()) > MOST_BYTES:
            message = {**message, left_out: ""}
            text = as_json(message)
    await socket.send_text(text)


def as_json(message: dict[str, Any]) -> str:
    """A message as compact JSON."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


async def _send_states(socket: WebSocket, live: LiveTable, visitor: Visitor) -> None:
    """Send the table whenever it has changed. A slow connection skips states, but no events."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        while True:
            await visitor.changed.wait()
            visitor.changed.clear()
            message = state_message(live, visitor)
            visitor.sent = live.table.decision
            await send(socket, message)


async def _receive(socket: WebSocket, live: LiveTable, visitor: Visitor) -> None:
    """Handle the messages of a page until it leaves or sends something that no page sends."""
    messages = Allowance(_BURST, _PER_SECOND)
    hint: asyncio.Task[None] | None = None
    while True:
        received = parse(await receive(socket))
        if received is None or not messages.take():
            await socket.close(MALFORMED if received is None else TOO_MANY)
            return
        if isinstance(received, Act):
            live.act(visitor, received.decision, received.action)
            visitor.changed.set()  # so that a page that was late gets the table as it is
        elif isinstance(received, AskHint):
            if hint is None or hint.done():
                hint = asyncio.create_task(_send_hint(socket, live, visitor, received.decision))
        else:
            live.set_pace(visitor, received.pace)


async def _send_hint(socket: WebSocket, live: LiveTable, visitor: Visitor, decision: int) -> None:
    """Send what the hint agent would do, to the seat to move only."""
    table = live.table
    if visitor.seat is None or visitor.seat != table.seat or decision != table.decision:
        return
    view = table.view(visitor.seat, visitor.words, decision)
    question = live.question(hint_agent(table.game), explain=True)
    answer = await asyncio.wrap_future(live.pool.ask(question))
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        await send(socket, {"type": "hint", "decision": decision, **hint_data(question, answer, view)})
