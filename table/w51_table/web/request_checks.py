"""Who may speak to the server: checks of Host and Origin, and headers that keep other sites and scripts away."""

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from starlette.responses import PlainTextResponse

from w51_table.play.table import TableError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?")
_MAX_PATH = 200
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
_ENCODED = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach a server at this address."""
    return host in LOOPBACK


def check_allowed_host(name: str) -> str:
    """The name and port of a proxy in lower case; TableError unless it is like `example.org` or `example.org:8443`."""
    if not _HOST.fullmatch(name.lower()):
        raise TableError(f"--allow-host {name!r}: but a name is needed, as example.org or example.org:8443")
    return name.lower()


class RequestChecks:
    """Middleware that refuses requests of other sites, and adds headers to every answer.

    A page of another site could reach a server on 127.0.0.1 through the user's browser. Its requests carry its own
    Origin, or, after a change of its DNS entry, its own Host. Both are refused.

    Args:
        app: The application.
        host: The address that the server listens on.
        allowed_hosts: Names of proxies, with the port where it is no usual one, as browsers show them.
    """

    def __init__(
        self, app: Callable[[Scope, Receive, Send], Awaitable[None]], host: str, allowed_hosts: Collection[str] = ()
    ):
        self._app = app
        self._allowed_hosts = {check_allowed_host(name) for name in allowed_hosts}
        self._proxies = {_name_of(name) for name in self._allowed_hosts}
        self._shared = not is_loopback(host)
        self._names = {
            *LOOPBACK,
            host.lower(),
            *self._proxies,
            *({socket.gethostname().lower()} if self._shared else ()),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif not self._allowed(scope):
            await self._refuse(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _allowed(self, scope: Scope) -> bool:
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or len(origins) > 1 or not self._is_own(hosts[0]) or len(scope["path"]) > _MAX_PATH:
            return False
        if origins:
            return self._is_own_origin(origins[0], hosts[0])
        return scope["type"] == "http" and scope["method"] in ("GET", "HEAD")

    def _is_own(self, host: str) -> bool:
        name = _name_of(host)
        return name in self._names or (self._shared and _is_address(name))

    def _is_own_origin(self, origin: str, host: str) -> bool:
        """Whether the page is this server's. That of a proxy may be encrypted, and the proxy may name another Host."""
        scheme, _, place = origin.partition("://")
        if scheme == "http" and place == host:
            return True
        is_proxied = place in self._allowed_hosts or (place == host and _name_of(host) in self._proxies)
        return scheme in ("http", "https") and is_proxied

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            answer = PlainTextResponse("This server answers its own page only.\n", 403)
            await answer(scope, receive, _with_headers(send))


def _name_of(host: str) -> str:
    """A Host without its port; empty if it is malformed."""
    match = _HOST.fullmatch(host.lower())
    return (match[1] or match[2]) if match else ""


def _is_address(name: str) -> bool:
    """Whether it is an IP address: a name of another site is none."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_ENCODED]
        await send(message)

    return send_with_headers
