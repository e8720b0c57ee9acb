"""Who may speak to a server: checks of Host, Origin and Sec-Fetch-Site, and headers that keep other sites away."""

import ipaddress
import re
import socket
from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from w51_env.engine.errors import OptionError

_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?")
_MAX_PATH = 200
SOCKET = "/ws"  # the only path of WebSockets
_PAGE = "/"  # what a link of another site may open
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
    """The name and port of a proxy in lower case; OptionError unless it is like `example.org` or `example.org:8443`."""
    if not _HOST.fullmatch(name.lower()):
        raise OptionError(f"--allow-host {name!r}: but a name is needed, as example.org or example.org:8443")
    return name.lower()


class RequestChecks:
    """Middleware that refuses requests of other sites, and adds headers to every answer.

    A page of another site could reach a server on 127.0.0.1 through the user's browser. Its requests carry its own
    Origin, or, after a change of its DNS entry, its own Host; what it embeds, such as a picture, carries no Origin, but
    the browser marks it (Sec-Fetch-Site). All are refused; a link may open the page.

    Args:
        app: The application.
        host: The address that the server listens on.
        allowed_hosts: Names of proxies, with the port where it is no usual one, as browsers show them.
        programs: Whether programs speak to it, which send no Origin. Browsers send one with all that changes something.
    """

    def __init__(self, app: ASGIApp, host: str, allowed_hosts: Collection[str] = (), *, programs: bool = False):
        self._app = app
        self._programs = programs
        self._headers = [] if programs else _ENCODED
        self._allowed_hosts = {check_allowed_host(name) for name in allowed_hosts}
        self._proxies = {_name_of(name) for name in self._allowed_hosts}
        self._shared = not is_loopback(host)
        own = {socket.gethostname().lower()} if self._shared else set()
        self._names = {*LOOPBACK, host.lower(), *self._proxies, *own}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        is_request = scope["type"] in ("http", "websocket")
        allowed = not is_request or self._allowed(scope)
        if is_request and self._proxies and (sent := Headers(scope=scope).getlist("x-forwarded-for")):
            scope = {**scope, "client": (sent[-1].rpartition(",")[2].strip(), 0)}  # what the nearest proxy has added
        app = self._app if allowed else PlainTextResponse("This server answers its own page only.\n", 403)
        await app(scope, receive, send_with_headers)

    def _allowed(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if scope["type"] == "websocket" and scope["path"] != SOCKET and not self._programs:
            return False
        if len(hosts) != 1 or len(origins) > 1 or not self._is_own(hosts[0]) or len(scope["path"]) > _MAX_PATH:
            return False
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and scope["path"] != _PAGE:
            return False
        if origins:
            return self._is_own_origin(origins[0], hosts[0])
        return self._programs or (scope["type"] == "http" and scope["method"] in ("GET", "HEAD"))

    def _is_own(self, host: str) -> bool:
        """Whether it is a name of this server, or an IP address: a name of another site is none."""
        name = _name_of(host)
        try:
            return name in self._names or (self._shared and bool(ipaddress.ip_address(name)))
        except ValueError:
            return False

    def _is_own_origin(self, origin: str, host: str) -> bool:
        """Whether the page is this server's. That of a proxy may be encrypted, and the proxy may name another Host."""
        scheme, _, place = origin.partition("://")
        if scheme == "http" and place == host:
            return True
        is_proxied = place in self._allowed_hosts or (place == host and _name_of(host) in self._proxies)
        return scheme in ("http", "https") and is_proxied


def _name_of(host: str) -> str:
    """A Host without its port; empty if it is malformed."""
    match = _HOST.fullmatch(host.lower())
    return (match[1] or match[2]) if match else ""
