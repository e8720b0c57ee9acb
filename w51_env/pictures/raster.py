"""The picture of a view as pixels, drawn by ThorVG, with the font of `pictures/fonts` only: the same pixels everywhere.

A picture consists of blocks, and most blocks do not change from one decision to the next: their pixels are kept.
"""

import re
from functools import cache, lru_cache
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import Any

import numpy as np

from w51_env.engine.errors import W51Error
from w51_env.engine.options import check_choice
from w51_env.pictures.paint import palette_of
from w51_env.pictures.seating import WIDE
from w51_env.pictures.shapes import BOLD, FONT_FILES, NORMAL, Piece, rect, text_width
from w51_env.pictures.svg import lay_out
from w51_env.views.view import View

NEEDED = "rgb_array: needs thorvg-python, which comes with: pip install 'w51_env[render]'"

RASTER_THEMES = ("light", "dark")
_TEXT = re.compile(
    r'<text x="([^"]*)" y="([^"]*)" font-size="([^"]*)" fill="([^"]*)"'
    r'(?: font-weight="(\d+)")?(?: text-anchor="(\w+)")?[^>]*>([^<]*)</text>'
)
_TITLE = re.compile("<title>[^<]*</title>")
_LEFT = {None: 0.0, "start": 0.0, "middle": 0.5, "end": 1.0}  # part of a text's width left of its anchor


class RasterError(W51Error):
    """Pictures cannot be made: the package that draws them is missing or has failed."""


def has_raster() -> bool:
    """Whether the package that draws pixels is installed; it is not imported."""
    return find_spec("thorvg_python") is not None


def check_raster() -> None:
    """RasterError unless the package that draws pixels is installed."""
    _thorvg()


def rgb_array(view: View, *, theme: str = "light", form: str = WIDE) -> np.ndarray:
    """The picture of a view as (height, width, 3) uint8, new; (720, 1280, 3) in the form `wide`.

    Args:
        view: What the picture shows.
        theme: One of `RASTER_THEMES`.
        form: `wide` or `narrow`.

    Raises:
        RasterError: The package that draws pixels is not installed, or has failed.
        OptionError: An unknown theme or form.
    """
    check_choice("theme", theme, RASTER_THEMES)
    sheet = lay_out(view, theme, form)
    floor = palette_of(theme).floor
    image = _floor(sheet.width, sheet.height, floor).copy()
    for block in sheet.blocks:
        pixels = _pixels(block, floor)
        x, y = round(block.x), round(block.y)
        target = image[y : y + len(pixels), x : x + pixels.shape[1]]
        target[:] = pixels[: len(target), : target.shape[1]]
    return image


@lru_cache(maxsize=4)
def _floor(width: int, height: int, floor: str) -> np.ndarray:
    """An empty picture."""
    return np.full((height, width, 3), np.frombuffer(bytes.fromhex(floor[1:]), np.uint8))


_lock = Lock()


def _pixels(block: Piece, floor: str) -> np.ndarray:
    """(height, width, 3) uint8: one block on the floor, kept for the next pictures."""
    with _lock:
        return _rasterise(block.body, round(block.width), round(block.height), floor)


@lru_cache(maxsize=64)
def _rasterise(body: str, width: int, height: int, floor: str) -> np.ndarray:
    thorvg, engine = _thorvg()
    picture = thorvg.Picture(engine)
    canvas = thorvg.SwCanvas(engine)
    canvas.set_target(width, height, cs=thorvg.Colorspace.ABGR8888S)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'fill-rule="evenodd" stroke-linecap="round" stroke-linejoin="round">'
        f"{rect(0, 0, width, height, floor)}{_TITLE.sub('', _TEXT.sub(_placed, body))}</svg>"
    )
    results = [
        picture.load_data(svg.encode(), "svg", None, True),
        canvas.add(picture),
        canvas.draw(True),
        canvas.sync(),
    ]
    drawn = np.frombuffer(canvas.buffer_arr, np.uint8).reshape(height, width, 4)
    pixels = np.empty((height, width, 3), np.uint8)
    for channel in range(3):  # five times faster than the slice of all three
        pixels[:, :, channel] = drawn[:, :, channel]
    canvas.destroy()
    if any(results):
        raise RasterError(f"rgb_array: ThorVG failed: {', '.join(str(result) for result in results if result)}")
    pixels.flags.writeable = False
    return pixels


def _placed(match: re.Match[str]) -> str:
    """A text as ThorVG reads it: each weight is a family, and every text begins at `x`."""
    x, y, size, fill, weight, anchor, words = match.groups()
    bold = BOLD if weight == str(BOLD) else NORMAL
    left = float(x) - _LEFT[anchor] * text_width(unescape(words), float(size), bold)
    family = FONT_FILES[bold].stem
    return f'<text x="{left:.2f}" y="{y}" font-size="{size}" fill="{fill}" font-family="{family}">{words}</text>'


@cache
def _thorvg() -> tuple[Any, Any]:
    """The package and its engine with the fonts loaded; loaded at the first picture."""
    try:
        thorvg: Any = import_module("thorvg_python")
    except ImportError as error:
        raise RasterError(f"{NEEDED} ({error})") from None
    engine = thorvg.Engine()
    loader = thorvg.Text(engine)
    for file in FONT_FILES.values():
        if loader.font_load(str(file)):
            raise RasterError(f"rgb_array: the font {file} cannot be loaded")
    return thorvg, engine
