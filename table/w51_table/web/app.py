"""The web application: its routes."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from w51_env.engine.errors import W51Error
from w51_env.views.language import LANGUAGES
from w51_table.pictures.paint import theme_css
from w51_table.pictures.shapes import FONT_FAMILY, FONT_FILES
from w51_table.play.table import error_text
from w51_table.web.new_game import new_game_options
from w51_table.web.replay_requests import (
    advance,
    beliefs,
    explanation,
    new_replay,
    replay_about,
    replay_file,
    step,
    values,
)
from w51_table.web.request_checks import RequestChecks, is_loopback
from w51_table.web.review_requests import chances_of, export_of, grades_of, review_of
from w51_table.web.rules import cover_of, lesson, lesson_rules, rules
from w51_table.web.server import Server, ServerSettings
from w51_table.web.table_requests import invitation, invited, new_table, rematch, status, take_seat

Handler = Callable[[Server, Request], Awaitable[dict[str, Any] | Response]]
STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}


def make_app(settings: ServerSettings) -> Starlette:
    """The application. Its processes of agents end with it."""
    server = Server(settings)
    routes: list[Any] = [
        *static_routes(),
        Route("/api/tables", _handler(server, new_table), methods=["POST"]),
        Route("/api/tables/{name}/rematch", _handler(server, rematch), methods=["POST"]),
        Route("/api/invitations/{name}/{seat:int}", _handler(server, take_seat), methods=["POST"]),
        Route("/api/replays", _handler(server, new_replay), methods=["POST"]),
        Route("/api/replays/{name}/{step:int}/advance", _handler(server, advance), methods=["POST"]),
        WebSocketRoute("/ws", server.sockets.serve),
    ]
    reading: dict[str, Handler] = {
        "/api/offer": offer,
        "/api/tables/{name}": status,
        "/api/tables/{name}/invitation": invitation,
        "/api/invitations/{name}": invited,
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
            server.close()

    checks = Middleware(RequestChecks, host=settings.host, allowed_hosts=settings.allowed_hosts)
    app = Starlette(routes=routes, middleware=[checks], lifespan=lifespan)
    app.state.server = server
    return app


def _handler(server: Server, handle: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler whose errors of input become an answer with a message."""

    async def answer(request: Request) -> Response:
        try:
            result = await handle(server, request)
        except W51Error as error:
            return JSONResponse({"error": error_text(error, server.words(request))}, 400)
        except ClientDisconnect:  # before the request was whole: nobody reads the answer
            return Response(status_code=400)
        return result if isinstance(result, Response) else JSONResponse(result)

    return answer


async def offer(server: Server, request: Request) -> dict[str, Any]:
    words = server.words(request)
    offered = await asyncio.to_thread(new_game_options, words.language, server.extras)
    page = {"language": words.language, "languages": LANGUAGES, "words": words.section("page")}
    address = server.address if is_loopback(request.url.hostname or "") else None  # others cannot open that one
    return {**page, "address": address, **offered}


def static_routes() -> list[Route]:
    """A route for each file."""
    files = [*(file for file in sorted(STATIC.iterdir()) if file.suffix in _TYPES), *FONT_FILES.values()]
    routes = [Route(f"/{file.name}", _served(file.read_bytes(), _TYPES[file.suffix])) for file in files]
    index = Route("/", _served((STATIC / "index.html").read_bytes(), _TYPES[".html"]))
    return [index, Route("/theme.css", _served(theme_file().encode(), _TYPES[".css"])), *routes]


def _served(content: bytes, kind: str) -> Callable[[Request], Response]:
    """A handler that answers with the content, or only that it has not changed since the browser got it."""
    headers = {"etag": f'"{hashlib.sha256(content).hexdigest()[:16]}"'}

    def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == headers["etag"]:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    return answer


def theme_file() -> str:
    """The font of the pictures, and the colours of pictures and page as CSS variables, light and dark."""
    light, dark = theme_css("light"), theme_css("dark")
    page, picture = ":root[data-theme={0}]", ":root[data-theme={0}] .w51-table"
    fonts = "".join(
        f"@font-face{{font-family:'{FONT_FAMILY}';font-weight:{weight};src:url({file.name})}}\n"
        for weight, file in FONT_FILES.items()
    )
    return f"{fonts}:root{{{light}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n" + "".join(
        f"{page.format(name)},{picture.format(name)}{{{css}}}\n" for name, css in (("light", light), ("dark", dark))
    )
