"""The web application: its routes."""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from w51_agents.system.request_checks import SOCKET, RequestChecks
from w51_env.engine.errors import W51Error
from w51_env.pictures.paint import theme_css
from w51_env.pictures.seating import NARROW_SCREENS
from w51_env.pictures.shapes import FONT_FAMILY, FONT_FILES, FONTS
from w51_lab.replay_viewer.game_page import PAGE
from w51_table.play.table import error_text
from w51_table.positions.position import PositionError
from w51_table.web.answer_types import Mistake
from w51_table.web.outgoing import json_response
from w51_table.web.page import Page
from w51_table.web.server import Server, ServerSettings

Handler = Callable[[Request], Awaitable[Mapping[str, object] | Response]]
STATIC = Path(__file__).parent / "static"
# Files alone: the length of a packed answer would tell of a secret beside what a request says.
_PACKED = Middleware(GZipMiddleware, compresslevel=6)
mimetypes.add_type("font/ttf", ".ttf")  # Python knows it from 3.14 on


def changing(server: Server) -> dict[str, Handler]:
    """What answers POST requests, by path."""
    return {
        "tables": server.table_requests.new_table,
        "tables/{name}/rematch": server.table_requests.rematch,
        "invitations/{name}/{seat:int}": server.table_requests.take_seat,
        "days/{game}": server.day_requests.play,
        "advice": server.advice_requests.table,
        "advice/answer": server.advice_requests.advice,
        "advice/replay": server.advice_requests.replay,
        "replays": server.replay_requests.new_replay,
        "replays/{name}/{step:int}/advance": server.replay_requests.advance,
        "replays/{name}/{step:int}/again": server.study_requests.again,
    }


def reading(server: Server) -> dict[str, Handler]:
    """What answers GET requests, by path."""
    return {
        "offer": server.table_requests.offer,
        "tables/{name}": server.table_requests.status,
        "tables/{name}/invitation": server.table_requests.invitation,
        "invitations/{name}": server.table_requests.invited,
        "advice/{game}": server.advice_requests.blank,
        "days/{game}": server.day_requests.day,
        "covers/{game}": server.rules_requests.cover_of,
        "lessons/{game}": server.rules_requests.lesson,
        "lessons/{game}/rules": server.rules_requests.lesson_rules,
        "exercises/{topic}": server.rules_requests.exercise,
        "exercises/{topic}/rules": server.rules_requests.exercise_rules,
        "rules/{name}": server.rules_requests.rules,
        "review/{name}": server.review_requests.review_of,
        "review/{name}/chances": server.review_requests.chances_of,
        "review/{name}/{seat:int}": server.review_requests.costs_of,
        "review/{name}/steps/{step:int}": server.review_requests.looked_at,
        "replays/{name}": server.replay_requests.about,
        "replays/{name}/file": server.replay_requests.replay_file,
        "replays/{name}/moves": server.study_requests.moves,
        "replays/{name}/export/{format}": server.review_requests.export_of,
        "replays/{name}/{step:int}": server.replay_requests.step,
        "replays/{name}/{step:int}/thoughts": server.replay_requests.explanation,
        "replays/{name}/{step:int}/beliefs": server.replay_requests.beliefs,
    }


def make_app(settings: ServerSettings) -> Starlette:
    """The application. Its processes of agents end with it."""
    server = Server(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        keepers = [asyncio.create_task(keep()) for keep in (server.keep, server.clean)]
        try:
            yield
        finally:
            for keeper in keepers:
                keeper.cancel()
            server.close()

    kinds = (("POST", changing(server)), ("GET", reading(server)))
    routes = [
        *(Route(f"/api/{path}", _answering(server.page, handle), methods=[method])
          for method, handlers in kinds for path, handle in handlers.items()),
        WebSocketRoute(SOCKET, server.sockets.serve),
        Route("/theme.css", lambda request: Response(theme_file(), media_type="text/css"), middleware=[_PACKED]),
        Mount("/fonts", StaticFiles(directory=FONTS), middleware=[_PACKED]),
        Mount("/", StaticFiles(directory=STATIC, packages=[("w51_lab.replay_viewer", PAGE.name)], html=True),
              middleware=[_PACKED]),
    ]  # fmt: skip
    checks = Middleware(RequestChecks, host=settings.host, allowed_hosts=settings.allowed_hosts)
    app = Starlette(routes=routes, middleware=[checks], lifespan=lifespan)
    app.state.server = server
    return app


def _answering(page: Page, handle: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler whose errors of input become an answer with a message."""

    async def answer(request: Request) -> Response:
        try:
            result = await handle(request)
        except W51Error as error:
            mistake: Mistake = {"error": error_text(error, page.words(request))}
            if isinstance(error, PositionError):
                mistake = {**mistake, "field": error.field, "most": error.high}
            return JSONResponse(mistake, 400)
        except ClientDisconnect:  # before the request was whole: nobody reads the answer
            return Response(status_code=400)
        return result if isinstance(result, Response) else json_response(handle, result)

    return answer


def theme_file() -> str:
    """The font of the pictures, and the colours of pictures and page as CSS variables, light and dark.

    `--w51-narrow` says which screens have narrow pictures.
    """
    light, dark = theme_css("light"), theme_css("dark")
    page, picture = ":root[data-theme={0}]", ":root[data-theme={0}] .w51-table"
    fonts = "".join(
        f"@font-face{{font-family:'{FONT_FAMILY}';font-weight:{weight};src:url(fonts/{file.name})}}\n"
        for weight, file in FONT_FILES.items()
    )
    return (
        f"{fonts}:root{{{light}--w51-narrow:{NARROW_SCREENS}}}\n@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        + "".join(
            f"{page.format(name)},{picture.format(name)}{{{css}}}\n" for name, css in (("light", light), ("dark", dark))
        )
    )
