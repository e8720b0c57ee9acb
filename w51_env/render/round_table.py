"""What the pictures of games with players round a table have in common: the places, in both forms."""

from collections.abc import Callable

from w51_env.core.view import View
from w51_env.render.paint import Palette
from w51_env.render.parts import bar
from w51_env.render.seating import NARROW_WIDTH, WIDE_SIZE, Box, Circle, circle_of
from w51_env.render.shapes import Block, Sheet

SPACE = 8  # between the blocks of a narrow picture

Place = Callable[[View, int, Box, int, Palette], Block]  # (view, seat, box, columns, palette) -> a player's place


def wide_sheet(view: View, palette: Palette, block: Callable[[Circle], Block], place: Place) -> Sheet:
    """The wide picture: the headline, the block in the middle, and the places in a circle."""
    circle = circle_of(view.num_players, _seat_at_the_bottom(view))
    blocks = [bar(view, palette, WIDE_SIZE[0]), block(circle)]
    for seat, box in enumerate(circle.places):
        columns = 4 if box.width > 700 else 2 if box.width > 400 else 1
        blocks.append(place(view, seat, box, columns, palette))
    return Sheet(*WIDE_SIZE, blocks)


def narrow_places(view: View, palette: Palette, place: Place, y: float, height: float) -> tuple[list[Block], float]:
    """The places of the narrow picture from `y` down, that of the viewer first, and where the next block begins."""
    blocks = []
    for offset in range(view.num_players):
        seat = (_seat_at_the_bottom(view) + offset) % view.num_players
        blocks.append(place(view, seat, Box(SPACE, y, NARROW_WIDTH - 2 * SPACE, height), 2, palette))
        y += height + SPACE
    return blocks, y


def _seat_at_the_bottom(view: View) -> int:
    """The viewer's seat, where there is one."""
    return view.viewer if isinstance(view.viewer, int) else 0
