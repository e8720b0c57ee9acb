"""The web application: the page, new tables, replays, and the connections to tables."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from w51_env.agents.explanation import report_of
from w51_env.core.errors import OptionError, W51Error
from w51_env.core.game import ALL
from w51_env.core.registry import make_game, registered_games
from w51_env.play.agent_pool import AgentPool, Answer, Question, hint_agent, only_make
from w51_env.play.playback import Playback
from w51_env.play.table import PERSON, PlayerError, TableError, error_text, without_paths
from w51_env.play.web.cleaning import delete_old
from w51_env.play.web.limits import FULL, ServerLimits
from w51_env.play.web.new_game import agent_name, agents_of, new_game_options, parse_table
from w51_env.play.web.registry import TableRegistry
from w51_env.play.web.replays import MAX_BYTES as MAX_REPLAY
from w51_env.play.web.replays import Replays, about, check_form, check_step, decisions_of, question, review, step_data
from w51_env.play.web.request_checks import RequestChecks
from w51_env.play.web.rules import rules_data
from w51_env.play.web.sockets import ClientSockets
from w51_env.play.web.static_files import static_routes
from w51_env.render.seating import FORMS
from w51_env.views.language import ENGLISH, LANGUAGES, Words, locale_language

_MAX_FORM = 16 * 1024  # bytes
_UNLOAD_EVERY, _CLEAN_EVERY = 5.0, 3600.0  # seconds
_MAX_WAITING = 100  # questions about games that are stepped through


@dataclass(frozen=True)
class ServerSettings:
    """Settings of a server.

    Attributes:
        folder: Where tables and replays are kept.
        host: The address that it listens on.
        language: The first language of the page; None: that of the locale.
        agents: Names of agents that tables may have beside those of the game.
        trust: Load pickled models, which can run any code.
        limits: The most tables and clients at a time.
        idle: Seconds after which a table without clients is put away.
    """

    folder: Path
    host: str = "127.0.0.1"
    language: str | None = None
    agents: Sequence[str] = ()
    trust: bool = False
    limits: ServerLimits = FULL
    idle: float = 60.0


class Server:
    """What the handlers of requests share.

    Args:
        settings: The settings of the server.
    """

    def __init__(self, settings: ServerSettings):
        self.settings = settings
        self.pool = AgentPool(trust=settings.trust)
        self.tables = TableRegistry(settings.folder, self.pool, settings.limits.tables, settings.idle, settings.agents)
        self.replays = Replays(self.tables)
        self.sockets = ClientSockets(self.tables, settings.limits.clients)
        self.address: str | None = None  # for links that others open; None: the one that the browser uses
        self._waiting = 0

    def words(self, request: Request, names: Sequence[str] = ()) -> Words:
        """The language that a request asks for, else that of the settings, else that of the locale."""
        wanted = request.query_params.get("language") or self.settings.language or locale_language()
        return Words(wanted if wanted in LANGUAGES else ENGLISH, names)

    async def ask(self, question: Question) -> Answer:
        """The answer of an agent to somebody who steps through a game.

        Raises:
            PlayerError: Too many answers are awaited.
        """
        if self._waiting >= _MAX_WAITING:
            raise PlayerError("busy")
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self.pool.ask(question))
        finally:
            self._waiting -= 1

    def start_agents(self) -> None:
        """Begin to load the quick agents, so that no client waits for it."""
        for game_id in registered_games():
            game = make_game(game_id)
            for agent in sorted({*game.bots, hint_agent(game)}):
                self.pool.ask(only_make(agent, game))

    async def keep(self) -> None:
        """Put tables away, for as long as the server runs."""
        while True:
            await asyncio.sleep(_UNLOAD_EVERY)
            self.tables.unload()

    async def clean(self) -> None:
        """Delete the files of old tables, now and for as long as the server runs."""
        while True:
            await asyncio.to_thread(delete_old, self.settings.folder)
            await asyncio.sleep(_CLEAN_EVERY)


Handler = Callable[[Server, Request], Awaitable[dict[str, Any] | Response]]


def make_app(settings: ServerSettings) -> Starlette:
    """The application. Its processes of agents end with it."""
    server = Server(settings)
    routes: list[Any] = [
        *static_routes(),
        Route("/api/tables", _handler(server, _new_table), methods=["POST"]),
        Route("/api/replays", _handler(server, _new_replay), methods=["POST"]),
        Route("/api/replays/{name}/{step:int}/advance", _handler(server, _advance), methods=["POST"]),
        WebSocketRoute("/ws", server.sockets.serve),
    ]
    reading: dict[str, Handler] = {
        "/api/offer": _new_game_options,
        "/api/rules/{name}": _rules,
        "/api/review/{name}": _review,
        "/api/replays/{name}": _about,
        "/api/replays/{name}/file": _file,
        "/api/replays/{name}/{step:int}": _step,
        "/api/replays/{name}/{step:int}/thoughts": _explanation,
    }
    routes += [Route(path, _handler(server, handle)) for path, handle in reading.items()]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        keepers = [asyncio.create_task(keep()) for keep in (server.keep, server.clean)]
        try:
            yield
        finally:
            for keeper in keepers:
                keeper.cancel()
            server.tables.close()
            server.pool.close()

    app = Starlette(routes=routes, middleware=[Middleware(RequestChecks, host=settings.host)], lifespan=lifespan)
    app.state.server = server
    return app


def _handler(server: Server, handle: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler whose errors of input become an answer with a message."""

    async def answer(request: Request) -> Response:
        try:
            found = await handle(server, request)
        except W51Error as error:
            return JSONResponse({"error": error_text(error, server.words(request))}, 400)
        except ClientDisconnect:  # before the request was whole: nobody reads the answer
            return Response(status_code=400)
        return found if isinstance(found, Response) else JSONResponse(found)

    return answer


async def body_of(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        TableError: It is longer than `most` bytes.
    """
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > most:
            raise TableError(f"request: more than {most} bytes")
    return content


# ---- new tables


async def _new_game_options(server: Server, request: Request) -> dict[str, Any]:
    words = server.words(request)
    offered = await asyncio.to_thread(new_game_options, words.language, tuple(server.settings.agents))
    page = {"language": words.language, "languages": LANGUAGES, "words": words.section("page")}
    return {**page, "address": server.address, **offered}


async def _new_table(server: Server, request: Request) -> dict[str, Any]:
    form = await body_of(request, _MAX_FORM)
    try:
        setup, delay = await asyncio.to_thread(parse_table, form, server.settings.agents)
    except OptionError as error:
        raise PlayerError("options_unusable", reason=error) from None
    game = make_game(setup.game, **setup.options)
    for agent in sorted(set(setup.seats) - {PERSON, *game.bots}):
        answer = await server.ask(only_make(agent, game))
        if answer.failure is not None:
            raise PlayerError("agent_unusable", agent=agent, reason=without_paths(answer.failure))
    name, tokens = await server.tables.create(setup, delay)
    return {"table": name, "tokens": tokens, "names": setup.names}


async def _rules(server: Server, request: Request) -> dict[str, Any]:
    """The rules of a table, or of a replay; nothing of the game itself."""
    name = request.path_params["name"]
    session = await server.tables.get(name)
    game = session.table.game if session is not None else (await server.replays.get(name)).game
    form = check_form(request.query_params.get("form", FORMS[0]))
    return await asyncio.to_thread(rules_data, game, server.words(request).language, form)


# ---- replays


async def _new_replay(server: Server, request: Request) -> dict[str, Any]:
    content = await body_of(request, MAX_REPLAY)
    try:
        return {"replay": await asyncio.to_thread(server.replays.add, content)}
    except W51Error as error:
        raise PlayerError("replay_unusable", reason=error) from None


async def _playback(server: Server, request: Request) -> tuple[Playback, Words]:
    playback = await server.replays.get(request.path_params["name"])
    return playback, server.words(request, playback.names)


async def _about(server: Server, request: Request) -> dict[str, Any]:
    playback, words = await _playback(server, request)
    return {**about(playback, words), "agents": agents_of(playback.game, server.settings.agents)}


async def _advance(server: Server, request: Request) -> dict[str, Any]:
    """Let an agent make the decision of a step, if it is the next one of a table of agents; what there is then."""
    session = await server.tables.get(request.path_params["name"])
    if session is not None:
        await session.advance(request.path_params["step"])
    return about(*await _playback(server, request))


async def _step(server: Server, request: Request) -> dict[str, Any]:
    playback, words = await _playback(server, request)
    viewer = request.query_params.get("viewer", ALL)
    seen_by = int(viewer) if viewer.isdecimal() and len(viewer) < 3 else viewer
    form = request.query_params.get("form", FORMS[0])
    return await asyncio.to_thread(step_data, playback, request.path_params["step"], seen_by, words, form)


async def _explanation(server: Server, request: Request) -> dict[str, Any]:
    """What an agent reports of the decision of a step; without a name the agent that decided there."""
    playback, words = await _playback(server, request)
    step = request.path_params["step"]
    check_step(playback, step, len(playback.frames) - 1 if playback.complete else len(playback.frames))
    agent = request.query_params.get("agent") or playback.agent_at(step) or hint_agent(playback.game)
    allowed = [*agents_of(playback.game, server.settings.agents), *playback.agents]
    if agent not in allowed:
        raise TableError(f"agent: {agent!r}, but allowed are {', '.join(filter(None, dict.fromkeys(allowed)))}")
    if step == len(playback.frames) - 1 and agent == playback.agents[playback.frames[step].seat]:
        session = await server.tables.get(request.path_params["name"])
        if session is not None:
            await session.explain_next(step)
    if (step, agent) not in playback.explanations:
        answer = await server.ask(await asyncio.to_thread(question, playback, [step], agent, explain=True))
        if answer.explanation is None:
            raise PlayerError("agent_unusable", agent=agent, reason=without_paths(answer.failure))
        playback.explanations[step, agent] = answer.explanation
    found = replace(playback.explanations[step, agent], agent=agent_name(agent, words))
    return asdict(await asyncio.to_thread(report_of, found, playback.frames[step], words))


async def _file(server: Server, request: Request) -> Response:
    name = request.path_params["name"]
    content = await asyncio.to_thread(server.tables.replay, name)
    if content is None:
        session = await server.tables.get(name)
        if session is None or not session.table.over:
            raise PlayerError("no_table")
        if not session.save_replay() or (content := await asyncio.to_thread(server.tables.replay, name)) is None:
            raise PlayerError("not_written")
    return Response(content, media_type="application/json")


async def _review(server: Server, request: Request) -> dict[str, Any]:
    name = request.path_params["name"]
    session = await server.tables.get(name)
    if session is None or not session.table.over:
        raise PlayerError("no_table")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    seat = session.seat_of(token) if scheme == "Bearer" else None
    playback, words = await _playback(server, request)
    steps = decisions_of(playback, seat)
    agent = hint_agent(playback.game)
    hints = (await server.ask(question(playback, steps, agent))).actions if steps else np.zeros(0, np.int64)
    form = request.query_params.get("form", FORMS[0])
    return {"replay": name, "agent": agent, **await asyncio.to_thread(review, playback, steps, hints, words, form)}
