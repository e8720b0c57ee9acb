"""The web application: its routes, and requests for new tables."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from w51_env.core.errors import OptionError, W51Error
from w51_env.core.registry import make_game
from w51_env.play.agent_pool import only_make
from w51_env.play.table import PERSON, PlayerError, error_text, without_paths
from w51_env.play.web.export_requests import export_of
from w51_env.play.web.new_game import new_game_options, parse_table
from w51_env.play.web.replay_requests import (
    advance,
    beliefs,
    explanation,
    new_replay,
    replay_about,
    replay_file,
    step,
    values,
)
from w51_env.play.web.request_checks import RequestChecks
from w51_env.play.web.review_requests import chances_of, grades_of, review_of
from w51_env.play.web.server import Server, ServerSettings, body_of
from w51_env.play.web.static_files import static_routes
from w51_env.play.web.teaching_requests import cover_of, lesson, lesson_rules, rules
from w51_env.views.language import LANGUAGES

_MAX_FORM = 16 * 1024  # bytes

Handler = Callable[[Server, Request], Awaitable[dict[str, Any] | Response]]


def make_app(settings: ServerSettings) -> Starlette:
    """The application. Its processes of agents end with it."""
    server = Server(settings)
    routes: list[Any] = [
        *static_routes(),
        Route("/api/tables", _handler(server, new_table), methods=["POST"]),
        Route("/api/tables/{name}/rematch", _handler(server, rematch), methods=["POST"]),
        Route("/api/replays", _handler(server, new_replay), methods=["POST"]),
        Route("/api/replays/{name}/{step:int}/advance", _handler(server, advance), methods=["POST"]),
        WebSocketRoute("/ws", server.sockets.serve),
    ]
    reading: dict[str, Handler] = {
        "/api/offer": offer,
        "/api/covers/{game}": cover_of,
        "/api/lessons/{game}": lesson,
        "/api/lessons/{game}/rules": lesson_rules,
        "/api/rules/{name}": rules,
        "/api/review/{name}": review_of,
        "/api/review/{name}/chances": chances_of,
        "/api/review/{name}/{seat:int}": grades_of,
        "/api/replays/{name}": replay_about,
        "/api/replays/{name}/file": replay_file,
        "/api/replays/{name}/values": values,
        "/api/replays/{name}/export/{format}": export_of,
        "/api/replays/{name}/{step:int}": step,
        "/api/replays/{name}/{step:int}/thoughts": explanation,
        "/api/replays/{name}/{step:int}/beliefs": beliefs,
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


async def offer(server: Server, request: Request) -> dict[str, Any]:
    words = server.words(request)
    offered = await asyncio.to_thread(new_game_options, words.language, tuple(server.settings.agents))
    page = {"language": words.language, "languages": LANGUAGES, "words": words.section("page")}
    return {**page, "address": server.address, **offered}


async def new_table(server: Server, request: Request) -> dict[str, Any]:
    form = await body_of(request, _MAX_FORM)
    try:
        setup, extra = await asyncio.to_thread(parse_table, form, server.settings.agents)
    except OptionError as error:
        raise PlayerError("options_unusable", reason=error) from None
    game = make_game(setup.game, **setup.options)
    for agent in sorted(set(setup.seats) - {PERSON, *game.bots}):
        answer = await server.ask(only_make(agent, game))
        if answer.failure is not None:
            raise PlayerError("agent_unusable", agent=agent, reason=without_paths(answer.failure))
    name, tokens = await server.tables.create(setup, extra)
    return {"table": name, "tokens": tokens, "names": setup.names}


async def rematch(server: Server, request: Request) -> dict[str, Any]:
    """A new table with the people, agents and rules of a finished one; all keep their tokens. For its people only."""
    session = await server.tables.get(request.path_params["name"])
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if session is None or scheme != "Bearer" or session.seat_of(token) is None:
        raise PlayerError("no_table")
    if not session.table.over:
        raise PlayerError("not_over")
    return {"table": await session.rematch(server.tables.create)}
