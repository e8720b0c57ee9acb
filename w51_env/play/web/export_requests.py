"""Requests for a finished game as a file: a page, text, a picture, an animation or a video."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.requests import Request
from starlette.responses import Response

from w51_env.core.game import ALL
from w51_env.core.options import check_name
from w51_env.play.export import FORMATS, ExportOptions, export
from w51_env.play.web.review_requests import finished
from w51_env.play.web.server import Server
from w51_env.render.raster import RASTER_THEMES

TYPES = {
    ".html": "text/html",
    ".txt": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".gif": "image/gif",
    ".mp4": "video/mp4",
}


async def export_of(server: Server, request: Request) -> Response:
    """A finished game with everything that was hidden; one is written at a time."""
    playback = await finished(server, request)
    suffix, theme = f".{request.path_params['format']}", request.query_params.get("theme", RASTER_THEMES[0])
    check_name("format", suffix, FORMATS)
    check_name("theme", theme, RASTER_THEMES)
    options = ExportOptions(playback, ALL, server.words(request, playback.names), theme=theme)
    content = await server.one_at_a_time(partial(_written, options, suffix))
    name = f"{request.path_params['name']}{suffix}"
    return Response(
        content, media_type=TYPES[suffix], headers={"content-disposition": f'attachment; filename="{name}"'}
    )


def _written(options: ExportOptions, suffix: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"game{suffix}"
        export(options, path)
        return path.read_bytes()
