"""The files of the page: its scripts and styles, the fonts, and the colours of the pictures."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from w51_env.render.paint import theme_css
from w51_env.render.shapes import FONT_FAMILY, FONT_FILES

STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
}


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
