"""The texts and cards of a picture as rectangles, to check that none overlaps another or leaves the picture."""

import re
from functools import lru_cache
from typing import NamedTuple
from xml.etree import ElementTree

from w51_env.pictures.shapes import NORMAL, text_width

CARD = "(card)"
SVG = "{http://www.w3.org/2000/svg}"
_RISE, _FALL = 0.72, 0.05  # of a text above and below its base line, in parts of its size; descenders may touch


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    words: str


def texts_of(svg: str) -> list[Box]:
    """The texts outside cards: cards may overlap each other, and are scaled."""
    return [box for box in _boxes(svg) if box.words != CARD]


def cards_of(svg: str) -> list[Box]:
    """The small cards of Warehouse 51, which are 36 x 44 before they are scaled."""
    return [box for box in _boxes(svg) if box.words == CARD]


@lru_cache(maxsize=1)
def _boxes(svg: str) -> list[Box]:
    found: list[Box] = []
    _collect(ElementTree.fromstring(svg), 0, 0, 1, found)
    return found


def _collect(element: ElementTree.Element, x: float, y: float, scale: float, found: list[Box]) -> None:
    transform = element.get("transform")
    if transform and (move := re.fullmatch(r"translate\((\S+) (\S+?)\)(?: scale\((\S+)\))?", transform)):
        x, y = x + scale * float(move[1]), y + scale * float(move[2])
        scale *= float(move[3] or 1)
    if element.tag == f"{SVG}rect" and (element.get("width"), element.get("height")) in (("35", "43"), ("34", "42")):
        found.append(Box(x, y, x + 36 * scale, y + 44 * scale, CARD))
    if element.tag == f"{SVG}text" and scale == 1 and not (found and _is_inside(x, y, found[-1])):
        found.append(_box(element, x, y))
    for child in element:
        _collect(child, x, y, scale, found)


def _is_inside(x: float, y: float, card: Box) -> bool:
    return card.words == CARD and (x, y) == card[:2]


def _box(element: ElementTree.Element, x: float, y: float) -> Box:
    words, size = element.text or "", float(element.attrib["font-size"])
    width = text_width(words, size, int(element.get("font-weight", NORMAL)))
    left = (
        x
        + float(element.attrib["x"])
        - {"start": 0, "middle": 0.5, "end": 1}[element.get("text-anchor", "start")] * width
    )
    line = y + float(element.attrib["y"])
    return Box(left, line - _RISE * size, left + width, line + _FALL * size, words)


def overlaps(boxes: list[Box]) -> list[tuple[str, str]]:
    """Pairs of texts that overlap."""
    return [
        (one.words, other.words)
        for index, one in enumerate(boxes)
        for other in boxes[index + 1 :]
        if _overlap(one, other)
    ]


def hidden_texts(svg: str) -> list[str]:
    """Texts that overlap a card."""
    cards = cards_of(svg)
    return [box.words for box in texts_of(svg) if any(_overlap(box, card) for card in cards)]


def _overlap(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
