"""Primitives of the pictures: pieces of SVG as strings, and text of known width.

Text is measured in the font of `pictures/fonts`. Each longer text carries its width, so that another font is squeezed
into the same place.
"""

import json
import re
import tomllib
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from w51_env.pictures.paint import PAINT

FONTS = Path(__file__).parent / "fonts"
FONT_FAMILY = "Barlow Semi Condensed"
NORMAL, BOLD = 500, 700
FONT_FILES = {NORMAL: FONTS / "BarlowSemiCondensed-Medium.ttf", BOLD: FONTS / "BarlowSemiCondensed-Bold.ttf"}
WIDTHS_FILE = FONTS / "widths.json"  # for each weight: characters by width in thousandths of the size

_UNKNOWN, _UNKNOWN_WIDE = 0.6, 1.0  # width of a character that the font lacks
_NARROWEST = 0.1  # no letter has less
_SQUEEZED_FROM = 4  # characters of a text that carries its width

_NOT_XML = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")

Shapes = Sequence[Sequence[Any]]  # of a drawing: (paint, path) or (paint, path, width of the line)


class Piece(NamedTuple):
    """A part of a picture that no other part overlaps."""

    x: float
    y: float
    width: float
    height: float
    body: str  # SVG, relative to (x, y)


class Sheet(NamedTuple):
    """A picture: its size and its blocks, on an empty floor; what is above `fold` is what a phone shows first."""

    width: int
    height: int
    blocks: list[Piece]
    fold: float = 0  # 0: everything


@cache
def _widths(weight: int) -> dict[str, float]:
    table = json.loads(WIDTHS_FILE.read_text("utf-8"))[str(weight)]
    return {character: int(width) / 1000 for width, characters in table.items() for character in characters}


@lru_cache(maxsize=16384)
def text_width(text: str, size: float, weight: int = NORMAL) -> float:
    """Width of a text in the units of the picture."""
    widths, wide = _widths(weight), unicodedata.east_asian_width
    return size * sum(widths.get(letter) or (_UNKNOWN_WIDE if wide(letter) in "WF" else _UNKNOWN) for letter in text)


def fit(text: str, size: float, width: float, weight: int = NORMAL) -> str:
    """The text, cut with an ellipsis if it is wider than `width`."""
    return _fit(text[: int(width / size / _NARROWEST) + 2], size, width, weight)  # more letters have no room


@lru_cache(maxsize=16384)
def _fit(text: str, size: float, width: float, weight: int) -> str:
    if text_width(text, size, weight) <= width:
        return text
    while text and text_width(text + "…", size, weight) > width:
        text = text[:-1]
    return text.rstrip() + "…"


@lru_cache(maxsize=4096)
def wrap(text: str, size: float, width: float, lines: int) -> tuple[str, ...]:
    """The text in at most `lines` lines of `width`; the last one ends with an ellipsis if there is more."""
    words = [word for word in text.split(" ") if word]  # a no-break space stays inside a word
    wrapped: list[str] = []
    while words and len(wrapped) < lines:
        count = 1
        while count < len(words) and text_width(" ".join(words[: count + 1]), size) <= width:
            count += 1
        if len(wrapped) == lines - 1:
            count = len(words)
        wrapped.append(fit(" ".join(words[:count]), size, width))
        words = words[count:]
    return tuple(wrapped)


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    fill: str,
    *,
    weight: int = NORMAL,
    anchor: str = "start",
    width: float | None = None,
) -> str:
    """A line of text with its base line at `y`; cut to `width` if given."""
    if width is not None:
        words = fit(words, size, width, weight)
    attributes = f'x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"'
    if weight != NORMAL:
        attributes += f' font-weight="{weight}"'
    if anchor != "start":
        attributes += f' text-anchor="{anchor}"'
    if len(words) >= _SQUEEZED_FROM:
        attributes += f' textLength="{text_width(words, size, weight):.0f}"'
    return f"<text {attributes}>{clean(words)}</text>"


@lru_cache(maxsize=16384)
def clean(words: str, *, lines: bool = False) -> str:
    """Text for XML: escaped, without characters that XML does not allow, and in one line unless `lines`."""
    split = words.split("\n") if lines else [words]
    return "&#10;".join(escape(_NOT_XML.sub("", line), quote=False) for line in split)


def rect(
    x: float, y: float, width: float, height: float, fill: str, *, r: float = 0, stroke: str = "", line: float = 1
) -> str:
    """A rectangle with round corners of radius `r`, and a border if `stroke` is given."""
    border = f' stroke="{stroke}" stroke-width="{line:g}"' if stroke else ""
    corners = f' rx="{r:g}"' if r else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"{corners} fill="{fill}"{border}/>'


def circle(x: float, y: float, r: float, fill: str, *, stroke: str = "", line: float = 1) -> str:
    border = f' stroke="{stroke}" stroke-width="{line:g}"' if stroke else ""
    return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}"{border}/>'


def path(d: str, fill: str) -> str:
    return f'<path d="{d}" fill="{fill}"/>'


def stroke(d: str, colour: str, line: float) -> str:
    return f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{line:g}"/>'


def drawing(shapes: Shapes) -> str:
    """A drawing from its shapes, in the paints of `PAINT`."""
    return "".join(
        path(shape[1], PAINT[shape[0]]) if len(shape) == 2 else stroke(shape[1], PAINT[shape[0]], shape[2])
        for shape in shapes
    )


@cache
def drawings_in(file: Path, table: str) -> dict[str, str]:
    """Each drawing of a table of a TOML file by its name."""
    return {name: drawing(shapes) for name, shapes in tomllib.loads(file.read_text("utf-8"))[table].items()}


def at(x: float, y: float, body: str, scale: float = 1) -> str:
    """The body moved to (x, y)."""
    size = "" if scale == 1 else f" scale({scale:g})"
    return f'<g transform="translate({x:g} {y:g}){size}">{body}</g>'


def titled(title: str, body: str) -> str:
    """The body with a title, which browsers show under the pointer."""
    return f"<g><title>{clean(title)}</title>{body}</g>"


def card(description: str, body: str, part: str = "") -> str:
    """The body of a card, whose title is what a page shows of it on a click: several lines, the first its name.

    `part` names the actions that it stands for, as in `area`.
    """
    parts = f' data-part="{clean(part)}"' if part else ""
    return f'<g data-card=""{parts}><title>{clean(description, lines=True)}</title>{body}</g>'


def money(holder: int | str, amount: int, body: str) -> str:
    """The drawing of somebody's money: a page moves it from one holder to the other when the amounts change."""
    return f'<g data-money="{clean(str(holder))} {amount}">{body}</g>'


def fist(seat: int, body: str) -> str:
    """The drawing of a secret bid: a page opens it when the bid is shown."""
    return f'<g data-fist="{seat}">{body}</g>'


def area(part: str, body: str, width: float, height: float) -> str:
    """The body as an area of a page: clicked, it stands for the actions that name this part.

    Args:
        part: As `gap:2`: a field of an action in a view, and its value. `lot` stands for actions that name nothing.
        body: Drawing from (0, 0).
        width: Of the area.
        height: Of the area.
    """
    ground = f'<rect width="{width:g}" height="{height:g}" fill="none" pointer-events="all"/>'
    return f'<g data-part="{clean(part)}">{ground}{body}</g>'
