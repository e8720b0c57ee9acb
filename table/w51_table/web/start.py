"""Starts the server of the web table."""

import asyncio
import errno
import gc
import logging
import os
import socket
import sys
import tempfile
from dataclasses import replace
from typing import NamedTuple

import uvicorn

from w51_agents.named.registry import make_agent
from w51_agents.system.errors import report_os_errors
from w51_agents.system.request_checks import check_allowed_host, is_loopback
from w51_env.engine.batch import Batch
from w51_env.engine.errors import W51Error
from w51_env.engine.game import PUBLIC, Game
from w51_env.engine.registry import make_game, registered_games
from w51_lab.replays.replay import Replay
from w51_table.play.table import Setup, TableError
from w51_table.web.app import make_app
from w51_table.web.connections import Config, Connections
from w51_table.web.limits import RateFilter, fit_limits
from w51_table.web.messages import MAX_RECEIVED
from w51_table.web.new_game import Extras
from w51_table.web.server import Server, ServerSettings

# Connections that one turn of the loop accepts, so that they are counted before the descriptors are used up, and those
# that may wait for it.
_ACCEPTED, _WAITING = 16, 512
_WARNING = (
    "anyone who can reach {address} can open tables and use this machine's processor, and the connection is not "
    "encrypted. Do not use it on a network that you do not trust."
)


class Watched(NamedTuple):
    """A game with which the page begins.

    Attributes:
        game: A finished one, or the set-up of one that agents play as far as it is watched.
        viewer: Whose knowledge is shown first.
        default_agent: Of a replay, name of the agent that is shown first, as of `Replays.keep`.
    """

    game: Replay | Setup
    viewer: int | str = PUBLIC
    default_agent: str | None = None


def serve(settings: ServerSettings, port: int, watched: Watched | None = None) -> None:
    """Serve the page until Ctrl-C, and print its address.

    Args:
        settings: The settings of the server.
        port: A free port; 0: any.
        watched: A game with which the page begins.

    Raises:
        W51Error: An agent of the settings cannot be made.
        TableError: The port is taken or not allowed, there is no such address, or the folder cannot be written.
    """
    with report_os_errors(f"folder {settings.folder}: cannot be written"):
        settings.folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=settings.folder).close()
    for name in settings.allowed_hosts:
        check_allowed_host(name)
    limits, fewer = fit_limits()
    settings = replace(settings, limits=limits)
    for agent in Extras.of(settings.agents, settings.options).agents.values():
        check_agent(agent, settings.trust)
    for game_id in registered_games():
        load_rules(make_game(game_id))
    listener = listen(settings.host, port)
    app = make_app(settings)
    path = "" if watched is None else _page_of(app.state.server, watched)
    app.state.server.advisers.start_agents()
    host, port = listener.getsockname()[:2]
    address = f"http://{shown_host(host)}:{port}"
    if not is_loopback(settings.host):
        print(f"warning: {_WARNING.format(address=address)}", file=sys.stderr, flush=True)
        app.state.server.page.address = address
    if fewer:
        print(f"warning: {fewer}", file=sys.stderr, flush=True)
    print(f"w51_env: {address}/{path}  (stop with Ctrl-C)", flush=True)
    _begin_log()
    gc.collect()
    gc.freeze()  # else each full collection goes through all modules: 100 ms in which nobody is answered
    most = limits.connections
    connections = Connections(most, most if settings.allowed_hosts else limits.of_visitor(most))  # a proxy is many
    config = Config(
        app,
        connections,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_ACCEPTED,
        ws_max_size=MAX_RECEIVED,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=2,
    )
    _UvicornServer(config).run(sockets=[listener])


def _page_of(server: Server, watched: Watched) -> str:
    """The part of the page's address that shows a game."""
    if isinstance(watched.game, Replay):
        name = server.replays.keep(watched.game, watched.default_agent)
    else:
        labels = server.extras.labels(watched.game.seats)
        name, _ = asyncio.run(server.tables.create(watched.game, {"pace": None, "labels": labels}))
    return f"#/replay/{name}/0/{watched.viewer}"


def _begin_log() -> None:
    """Log to the standard error stream at a rate; messages of asyncio are about connections that were not accepted."""
    handler = logging.StreamHandler()
    handler.addFilter(RateFilter())
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    for logger in map(logging.getLogger, ("uvicorn", "asyncio")):
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
        logger.propagate = False


class _UvicornServer(uvicorn.Server):
    """uvicorn's server, which keeps the deadlines of its connections."""

    config: Config

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_WAITING)  # what one turn accepts stays as it is
        self._keeper = asyncio.create_task(self.config.connections.keep())


def load_rules(game: Game) -> None:
    """Load the compiled rules of a game, or compile them, which takes some time: no client waits for it."""
    batch = Batch(game, 1, autoreset="disabled", keep_final=False, events=True)
    batch.reset()
    batch.view(0, PUBLIC)
    batch.determinizer(0)


def shown_host(host: str) -> str:
    """The host as it stands in an address of the web; of all addresses the one that other machines reach."""
    if host in ("0.0.0.0", "::"):
        family, anywhere = (socket.AF_INET, "192.0.2.1") if host == "0.0.0.0" else (socket.AF_INET6, "2001:db8::1")
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((anywhere, 9))  # sends nothing, but chooses the address
                host = probe.getsockname()[0]
        except OSError:
            return socket.gethostname()
    return f"[{host}]" if ":" in host else host


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; TableError if the port is taken or not allowed, or there is no such address."""
    if not 0 <= port <= 65535:
        raise TableError(f"port {port}: but 0 to 65535 is allowed; 0 takes a free one")
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise TableError(f"host {host!r}: {error.strerror or error}") from None
    try:
        return socket.create_server(address, family=family, backlog=256, dualstack_ipv6=family == socket.AF_INET6)
    except OSError as error:
        hint = "; another program uses it: take another one with --port" if error.errno == errno.EADDRINUSE else ""
        raise TableError(f"port {port} of {host}: {os.strerror(error.errno or 0)}{hint}") from None


def check_agent(name: str, trust: bool) -> None:
    """An error unless an agent of this name can be made for one of the games."""
    errors = []
    for game_id in registered_games():
        try:
            make_agent(name, make_game(game_id), trust=trust)
            return
        except W51Error as error:
            errors.append(error)
    raise errors[0]
