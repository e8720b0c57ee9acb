"""A game as one self-contained page: pictures to step through, what happened, what an agent reports. No network."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from w51_env.views.language import Words
from w51_table.pictures.paint import theme_css
from w51_table.pictures.shapes import FONT_FAMILY, FONT_FILES
from w51_table.replay_viewer.reports import Report

_TEMPLATE = Path(__file__).with_suffix(".html")
_TAG = re.compile(r"<(/?)[^<>]*?(/?)>")
_CUT_DEPTH = 4  # elements at most this deep in a picture are pieces, which equal pictures share
_LABELS = (
    "first",
    "back",
    "play",
    "forward",
    "last",
    "back_lot",
    "forward_lot",
    "position",
    "news",
    "slower",
    "faster",
)


class Step(NamedTuple):
    """One frame of the page.

    Attributes:
        picture: SVG.
        narrow: SVG for a phone.
        news: Sentences.
        lot: Whether a new lot begins.
        report: What an agent reports of the decision; None: nothing.
    """

    picture: str
    narrow: str
    news: Sequence[str] = ()
    lot: bool = False
    report: Report | None = None


def replay_page(title: str, steps: Sequence[Step], words: Words) -> str:
    """The page as HTML; the same steps give the same text.

    Args:
        title: Heading of the page.
        steps: At least one.
        words: Its language.
    """
    text, script = _template()
    data = {
        **_pictures({name: [getattr(step, name) for step in steps] for name in ("picture", "narrow")}),
        "steps": [[step.news, int(step.lot), step.report] for step in steps],
        "labels": {name: words(f"replay.{name}") for name in _LABELS},
    }
    packed = zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode(), 9)
    values = {
        "language": words.language,
        "light": theme_css("light"),
        "dark": theme_css("dark"),
        "font": FONT_FAMILY,
        **_fonts(),
        "title": escape(title),
        "digest": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        "needs_script": escape(words("replay.needs_script")),
        "data": base64.b64encode(packed).decode(),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)


@cache
def _fonts() -> dict[str, str]:
    """The fonts of the pictures, packed one after another, and the weight and the bytes of each."""
    fonts = {weight: file.read_bytes() for weight, file in FONT_FILES.items()}
    return {
        "fonts": base64.b64encode(zlib.compress(b"".join(fonts.values()), 9)).decode(),
        "sizes": " ".join(f"{weight}:{len(file)}" for weight, file in fonts.items()),
    }


@cache
def _template() -> tuple[str, str]:
    """The template, and the script in it."""
    text = _TEMPLATE.read_text("utf-8")
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert script is not None
    return text, script[1]


def _pictures(pictures: Mapping[str, Sequence[str]]) -> dict[str, list]:
    """`pieces`: each different piece of a picture once; under each name, for each picture the indices of its pieces."""
    index: dict[str, int] = {}
    composed = {
        name: [[index.setdefault(piece, len(index)) for piece in _pieces(picture)] for picture in each]
        for name, each in pictures.items()
    }
    return {"pieces": list(index), **composed}


def _pieces(picture: str) -> list[str]:
    """The text cut after each tag that opens or closes an element of little depth."""
    pieces, start, depth = [], 0, 0
    for tag in _TAG.finditer(picture):
        closing, alone = tag[1], tag[2]
        depth -= bool(closing)
        if depth < _CUT_DEPTH:
            pieces.append(picture[start : tag.end()])
            start = tag.end()
        depth += not closing and not alone
    return [*pieces, picture[start:]] if start < len(picture) else pieces
