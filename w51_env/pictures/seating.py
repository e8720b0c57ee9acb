"""Where the places of a table are in a picture: the players in a circle, the block in the middle.

Two forms: `wide`, 1280 x 720 with the viewer's place along the bottom, and `narrow`, 400 wide with everything in one
column.
"""

from typing import NamedTuple

WIDE, NARROW = "wide", "narrow"
FORMS = (WIDE, NARROW)
WIDE_SIZE = (1280, 720)
NARROW_WIDTH = 400
NARROW_SCREENS = "(max-width: 1019px)"  # a media query: a wide picture has legible text on the others

MARGIN = 12
BAR = 40  #             height of the headline
_SIDE = 308  #          width of a place at the side
_BOTTOM = 128  #        height of a place along the bottom or the top
_ACROSS = 196  #        height of a place across the table that does not have the whole width
_GAP = 8


class Box(NamedTuple):
    """A rectangle of the picture."""

    x: float
    y: float
    width: float
    height: float


class Circle(NamedTuple):
    """The places of a wide table.

    Attributes:
        places: The box of each seat.
        block: The middle.
        corners: For each gap, which lies between a seat and the next one, the point in the block next to both as
            (column, row): -1, 0, 1 for left or top, middle, right or bottom.
    """

    places: list[Box]
    block: Box
    corners: list[tuple[int, int]]


# By number of players, clockwise from the seat at the bottom: gaps (column, row).
_CORNERS = {
    2: [(-1, 0), (1, 0)],
    3: [(-1, 1), (0, -1), (1, 1)],
    4: [(-1, 1), (-1, -1), (1, -1), (1, 1)],
    5: [(-1, 1), (-1, 0), (0, -1), (1, 0), (1, 1)],
}


def circle_of(num_players: int, bottom: int) -> Circle:
    """The places of a wide table of 2 to 5 players, with the seat `bottom` along the bottom."""
    width, height = WIDE_SIZE
    top, low = BAR + _GAP, height - MARGIN - _BOTTOM
    middle = low - _GAP - top
    left, right = MARGIN, width - MARGIN - _SIDE
    inner = Box(left + _SIDE + _GAP, top, right - left - _SIDE - 2 * _GAP, middle)
    whole = width - 2 * MARGIN
    around = [Box(MARGIN, low, whole, _BOTTOM)]
    if num_players == 2:
        around.append(Box(MARGIN, top, whole, _BOTTOM))
        inner = Box(MARGIN, top + _BOTTOM + _GAP, whole, middle - _BOTTOM - _GAP)
    elif num_players == 5:
        half = (middle - _GAP) // 2
        rows = (top, top + half + _GAP)
        around += [Box(left, y, _SIDE, half) for y in reversed(rows)] + [Box(right, y, _SIDE, half) for y in rows]
    else:
        around.append(Box(left, top, _SIDE, middle))
        if num_players == 4:
            around.append(Box(inner.x, top, inner.width, _ACROSS))
            inner = Box(inner.x, top + _ACROSS + _GAP, inner.width, middle - _ACROSS - _GAP)
        around.append(Box(right, top, _SIDE, middle))
    order = [(seat - bottom) % num_players for seat in range(num_players)]
    return Circle([around[place] for place in order], inner, [_CORNERS[num_players][place] for place in order])
