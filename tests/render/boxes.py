"""The texts of a picture as rectangles, to check that none overlaps another or leaves its block."""

from typing import NamedTuple
from xml.etree import ElementTree

from w51_env.render.shapes import NORMAL, text_width

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
    found: list[Box] = []
    _collect(ElementTree.fromstring(svg), 0, 0, found)
    return found


def _collect(element: ElementTree.Element, x: float, y: float, found: list[Box]) -> None:
    transform = element.get("transform", "")
    if "scale" in transform:
        return
    if transform:
        left, top = transform.removeprefix("translate(").removesuffix(")").split()
        x, y = x + float(left), y + float(top)
    if element.tag == f"{SVG}text":
        found.append(_box(element, x, y))
    for child in element:
        _collect(child, x, y, found)


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
        if one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom
    ]
