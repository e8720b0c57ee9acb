"""All connections of the server: a cap on them, and deadlines for requests and for those who do not read answers.

uvicorn's own limits begin with a whole request. A connection that sends nothing, or a byte now and then, has none.
"""

import asyncio
import json
import logging
import time
from collections import Counter
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from w51_table.web.limits import visitor_of

HEAD_SECONDS = 10.0  # from the connection, or the answer before, to the end of the head of a request
BODY_SECONDS = 30.0  # from there to the end of the request
READ_SECONDS = 30.0  # until what was sent has been read
_SWEEP_EVERY = 1.0  # seconds
_REFUSED_SECONDS, _MAX_REFUSED = 1.0, 32  # how long connections over the cap stay to read why, and how many of them
_LOG = logging.getLogger("uvicorn.error")


class Connections:
    """The open connections of a server, each with what it waits for and since when.

    Args:
        limit: Their maximum number at a time. Those over it are told so, and closed.
        each: That of one address.
    """

    def __init__(self, limit: int, each: int):
        self._limit = limit
        self._each = each
        self._waiting: dict[asyncio.Transport, tuple[object, float]] = {}
        self._visitors: Counter[str] = Counter()
        self.refused = 0

    def enter(self, transport: asyncio.Transport) -> bool:
        """Whether there is room for a new connection; else it is refused."""
        visitor = _visitor(transport)
        is_full = len(self._waiting) >= self._limit
        if not is_full and self._visitors[visitor] < self._each:
            self._visitors[visitor] += 1
            self._waiting[transport] = None, time.monotonic()
            return True
        limit, whose = (self._limit, "") if is_full else (self._each, "of one address ")
        _LOG.warning("a connection was refused: the server takes %d %sat a time", limit, whose)
        self.refused += 1
        transport.set_protocol(_Refused(self))
        if self.refused > _MAX_REFUSED:
            transport.abort()
        else:
            transport.write(_refusal(limit, whose))
            transport.write_eof()  # and wait: to close at once would reset the connection before the answer is read
            asyncio.get_running_loop().call_later(_REFUSED_SECONDS, transport.abort)
        return False

    def leave(self, transport: asyncio.Transport) -> None:
        """A connection is gone."""
        if self._waiting.pop(transport, None):
            self._visitors -= Counter([_visitor(transport)])  # which leaves out those that have none

    async def keep(self) -> None:
        """Close connections that are late, for as long as the server runs."""
        while True:
            await asyncio.sleep(_SWEEP_EVERY)
            now = time.monotonic()
            for transport, (before, since) in list(self._waiting.items()):
                waits_for, seconds = _waits_for(transport)
                if waits_for != before:
                    self._waiting[transport] = waits_for, now
                elif seconds is not None and now - since > seconds:
                    transport.abort()


def _waits_for(transport: asyncio.Transport) -> tuple[object, float | None]:
    """What a connection waits for, different for each request, and how many seconds it may; None: it may wait."""
    protocol = transport.get_protocol()
    if transport.get_write_buffer_size():
        return "reader", READ_SECONDS
    if isinstance(protocol, Http):
        state, request = protocol.conn.their_state, id(protocol.cycle)
        if state is h11.IDLE:
            return ("head", request), HEAD_SECONDS
        if state is h11.SEND_BODY:
            return ("body", request), BODY_SECONDS
    if isinstance(protocol, Socket) and not protocol.handshake_complete:  # never, where the request has a body
        return "handshake", HEAD_SECONDS
    return None, None


def _visitor(transport: asyncio.Transport) -> str:
    return visitor_of((transport.get_extra_info("peername") or ("",))[0])


def _refusal(limit: int, whose: str) -> bytes:
    content = json.dumps({"error": f"The server takes {limit} connections {whose}at a time. Try again later."}).encode()
    head = f"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: {len(content)}\r\n"
    return f"{head}retry-after: 10\r\nconnection: close\r\n\r\n".encode() + content


class Config(uvicorn.Config):
    """uvicorn's settings, with the connections of the server."""

    def __init__(self, app: Any, connections: Connections, **settings: Any):
        super().__init__(app, http=Http, ws=Socket, **settings)
        self.connections = connections


class _Refused(asyncio.Protocol):
    """A connection over the cap."""

    def __init__(self, connections: Connections):
        self._connections = connections

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.refused -= 1


class _Counted(asyncio.Protocol):
    """A connection that is counted, and closed if what it sends cannot be read."""

    config: Any  # a `Config`
    transport: asyncio.Transport

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except Exception as error:  # noqa: BLE001 - asyncio would write a traceback for untrusted data
            _LOG.warning("a connection was closed: what it sent cannot be read (%s)", type(error).__name__)
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.config.connections.leave(self.transport)
        super().connection_lost(exc)


class Http(_Counted, H11Protocol):
    """A connection that there may be no room for."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if self.config.connections.enter(transport):
            super().connection_made(transport)


class Socket(_Counted, WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket."""
