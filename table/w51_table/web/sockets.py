"""One connection of a browser to a table: messages in, messages out."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from w51_agents.named.explanation import Explanation
from w51_env.engine.errors import W51Error
from w51_env.views.language import LANGUAGES, Words
from w51_lab.replay_viewer.frames import Frame
from w51_table.play.agent_pool import hint_agent
from w51_table.play.table import PlayerError, error_text
from w51_table.web.limits import Allowance, ServerLimits, visitor_of
from w51_table.web.message_types import Sent
from w51_table.web.messages import MAX_BYTES, Act, AskHint, Hello, Hurry, Ping, StandIn, hint_data, parse, state_message
from w51_table.web.outgoing import as_json
from w51_table.web.presence import Client
from w51_table.web.registry import TableRegistry
from w51_table.web.session import TableSession

HELLO_SECONDS = 10.0
MALFORMED, NOT_FOUND, TOO_MANY = 4400, 4404, 4429  # codes with which a connection is closed
# What the coach advises at a decision, from the frame and the seed of the game; a server also asks for which visitor.
Advise = Callable[[Frame, int], Future[Explanation]]
AdviseVisitor = Callable[[str, Frame, int], Future[Explanation]]
_LOG = logging.getLogger("uvicorn.error")
_PER_SECOND, _BURST = 20.0, 60.0  # messages from a page
_CLOSED = "Unexpected ASGI message"  # uvicorn has closed the connection, and its message of that is not read yet


class ClientSockets:
    """The clients of a server, a limited number of all and of each visitor."""

    def __init__(self, tables: TableRegistry, limits: ServerLimits, advise: AdviseVisitor):
        self._tables = tables
        self._advise = advise
        self._limits = limits
        self._counts: Counter[str] = Counter()

    async def serve(self, socket: WebSocket) -> None:
        """Serve one connection to its end."""
        visitor, most = visitor_of(socket.client.host if socket.client else ""), self._limits.clients
        self._counts[visitor] += 1
        try:
            with suppress(WebSocketDisconnect):
                await accept(socket)
                if self._counts.total() > most or self._counts[visitor] > self._limits.of_visitor(most):
                    await socket.close(TOO_MANY)
                else:
                    await self._serve_table(socket, partial(self._advise, visitor))
        finally:
            self._counts -= Counter([visitor])

    async def _serve_table(self, socket: WebSocket, advise: Advise) -> None:
        try:
            hello = parse(await asyncio.wait_for(receive(socket), HELLO_SECONDS))
        except TimeoutError:
            hello = None
        if not isinstance(hello, Hello) or hello.language not in LANGUAGES:
            await socket.close(MALFORMED)
            return
        try:
            session = await self._tables.get(hello.table)
        except PlayerError as error:  # while all tables are in use the page tries again
            await socket.close(TOO_MANY if error.key == "too_many_tables" else NOT_FOUND)
            return
        except W51Error as error:
            _LOG.warning("%s", error)
            session = None
        seat = session.keys.seat_of(hello.token) if session is not None and hello.token else None
        if session is None or not session.has_people or (hello.token and seat is None):
            await socket.close(NOT_FOUND)
            return
        client = Client(seat, Words(hello.language, session.table.setup.names), hello.form)
        session.enter(client)
        sender = asyncio.create_task(_send_states(socket, session, client))
        hints: set[asyncio.Task[None]] = set()
        receiver = asyncio.create_task(_receive(socket, session, client, advise, hints))
        ended: set[asyncio.Task[None]] = set()
        try:
            ended, _ = await asyncio.wait({sender, receiver}, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()  # what fails in either ends the connection, and is said
        finally:
            session.leave(client)
            for task in (sender, receiver, *hints):  # a hint that nobody waits for is not computed
                task.cancel()
            ended.clear()  # a task holds its error, that holds this frame, and this frame the table
            del sender, receiver, task


async def accept(socket: WebSocket) -> None:
    """Accept a connection; WebSocketDisconnect if it is gone."""
    try:
        await socket.accept()
    except OSError:
        raise WebSocketDisconnect(1006) from None


async def receive(socket: WebSocket) -> str:
    """The text of the next message; empty for a message of bytes."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return message.get("text") or ""


async def send(socket: WebSocket, message: Sent) -> None:
    """Send a message; one that would be too long goes without its table in words, then also without its picture.

    Raises:
        WebSocketDisconnect: The connection is gone.
    """
    text = as_json(message)
    if message["type"] == "state" and len(text.encode()) > MAX_BYTES:
        message = {**message, "text": ""}
        text = as_json(message)
    if message["type"] == "state" and len(text.encode()) > MAX_BYTES:
        text = as_json({**message, "picture": ""})
    if WebSocketState.DISCONNECTED in (socket.client_state, socket.application_state):
        raise WebSocketDisconnect(1006)
    try:
        await socket.send_text(text)
    except RuntimeError as error:
        if _CLOSED not in str(error):
            raise
        raise WebSocketDisconnect(1006) from None


async def _send_states(socket: WebSocket, session: TableSession, client: Client) -> None:
    """Send the table whenever it has changed. A slow connection skips states, but no events."""
    with suppress(WebSocketDisconnect):
        while True:
            await client.changed.wait()
            client.changed.clear()
            if client.dismissed:
                await socket.close(TOO_MANY)
                return
            message = state_message(session, client)
            client.sent = session.table.decision
            await send(socket, message)


async def _receive(
    socket: WebSocket, session: TableSession, client: Client, advise: Advise, hints: set[asyncio.Task[None]]
) -> None:
    """Handle the messages of a page until it leaves or sends something that no page sends; a hint is one of `hints`."""
    messages = Allowance(_BURST, _PER_SECOND)
    hint: asyncio.Task[None] | None = None
    while True:
        received = parse(await receive(socket))
        if received is None or isinstance(received, Hello) or not messages.take():
            await socket.close(MALFORMED if received is None or isinstance(received, Hello) else TOO_MANY)
            return
        if isinstance(received, Act):
            if received.action is None:
                session.undo(client, received.decision)
            else:
                session.act(client, received.decision, received.action)
            client.changed.set()  # so that a page that was late gets the table as it is
        elif isinstance(received, AskHint):
            if (hint is None or hint.done()) and received.decision == session.table.decision:
                hint = asyncio.create_task(_send_hint(socket, session, client, None if received.first else advise))
                hints.add(hint)
                hint.add_done_callback(hints.discard)
        elif isinstance(received, StandIn):
            session.set_stand_in(client, received.seat, received.on)
        elif isinstance(received, Hurry):
            session.hurry(client)
        elif isinstance(received, Ping):
            await send(socket, {"type": "pong"})
        else:
            session.set_delay(client, received.pace)


async def _send_hint(socket: WebSocket, session: TableSession, client: Client, advise: Advise | None) -> None:
    """Send what the coach advises, to the seat to move only: first what the agent of hints would do, which is there
    at once, then what the coach found in playouts, if that is asked for, again and again while it becomes surer and
    nobody decides, or that it has too much to do.
    """
    table = session.table
    if client.seat is None or client.seat != table.seat:
        return
    view, frame = table.view(client.seat, client.words, table.decision), table.frame()
    playing: asyncio.Future[Explanation] | None = None

    def play_on() -> asyncio.Future[Explanation] | None:
        return None if advise is None else asyncio.wrap_future(advise(frame, table.setup.seed))

    try:
        with suppress(WebSocketDisconnect):
            busy = ""
            try:
                playing = play_on()
            except PlayerError as error:
                busy = error_text(error, client.words)
            first = (await session.ask(hint_agent(table.game), explain=True)).explanation
            if first is not None:
                await send(socket, hint_data(first.likeliest(), view, frame.number, first=True))
            if busy:
                await send(socket, {"type": "busy", "decision": frame.number, "text": busy})
            while playing is not None:
                advice = await playing
                await send(socket, hint_data(advice, view, frame.number))
                if advice.is_whole or table.decision != frame.number:
                    return
                with suppress(PlayerError):  # what is said stays
                    playing = None
                    playing = play_on()
    finally:
        if playing is not None:
            playing.cancel()
