"""What the pictures of games with players round a table have in common: the places in both forms, money and bids."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from w51_env.pictures.paint import Palette
from w51_env.pictures.parts import bar, narrow_headline, narrow_news, paddle, paddle_width, points_badge
from w51_env.pictures.seating import NARROW_WIDTH, WIDE_SIZE, Box, Circle, circle_of
from w51_env.pictures.shapes import BOLD, Piece, Sheet, at, fist, money, path, rect, text, text_width
from w51_env.views.view import View

SPACE = 8  # between the blocks of a narrow picture
COLUMN = NARROW_WIDTH - 2 * SPACE  # their width
LAST = 99  # number of the last line of a score sheet
_CORNER = 14  # radius of the corners of the table

Place = Callable[[View, int, Box, int, Palette], Piece]  # (view, seat, box, columns, palette) -> a player's place
_HEIGHT = 62
_SIZE = 13
_ICON = 0.72


def wide_sheet(view: View, palette: Palette, middle: Callable[[Circle], list[Piece]], place: Place) -> Sheet:
    """The wide picture: the headline, the blocks in the middle, and the places in a circle."""
    circle = circle_of(view.num_players, _seat_at_the_bottom(view))
    blocks = [bar(view, palette, WIDE_SIZE[0]), *middle(circle)]
    for seat, box in enumerate(circle.places):
        columns = 4 if box.width > 700 else 2 if box.width > 400 else 1
        blocks.append(place(view, seat, box, columns, palette))
    return Sheet(*WIDE_SIZE, blocks)


def bands(box: Box, palette: Palette, parts: Sequence[tuple[float, str]]) -> list[Piece]:
    """The middle of a wide table from the top down, in bands: only those that change are drawn again.

    Args:
        box: The middle.
        palette: Its colours.
        parts: The height of each band and what is in it, as SVG relative to the band. The last
            band goes down to the end of the box.
    """
    blocks = []
    y = 0.0
    for index, (height, body) in enumerate(parts):
        is_last = index == len(parts) - 1
        height = box.height - y if is_last else height
        ground = _ground(box.width, height + (not is_last), index == 0, is_last, palette)  # no seam where it is scaled
        blocks.append(Piece(box.x, box.y + y, box.width, height, ground + body))
        y += height
    return blocks


def marked(mark: str, body: str, number: int = 0) -> str:
    """A part that a page hides for a while: the `lot`, or a `line` of the score sheet, shown in order of numbers."""
    return f'<g data-{mark}="{number}">{body}</g>'


def _ground(width: float, height: float, is_first: bool, is_last: bool, palette: Palette) -> str:
    """The ground of a band, with round corners where the table ends."""
    top, low = _CORNER * is_first, _CORNER * is_last
    return path(
        f"M0 {top:g}A{top:g} {top:g} 0 0 1 {top:g} 0H{width - top:g}A{top:g} {top:g} 0 0 1 {width:g} {top:g}"
        f"V{height - low:g}A{low:g} {low:g} 0 0 1 {width - low:g} {height:g}H{low:g}"
        f"A{low:g} {low:g} 0 0 1 0 {height - low:g}z",
        palette.block,
    )


def narrow_sheet(
    view: View, palette: Palette, first: Sequence[Piece], rest: Sequence[Piece], unsaid: Sequence[str]
) -> Sheet:
    """The narrow picture: the headline, what a phone shows first, all else, and the news.

    Args:
        view: What the picture shows.
        palette: Its colours.
        first: Blocks from the top down, wherever they were laid out.
        rest: The blocks below them.
        unsaid: event types that the news leave out.
    """
    blocks = [narrow_headline(view, palette)]
    y = blocks[0].height
    for piece in (*first, *rest):
        blocks.append(piece._replace(y=y))
        y += piece.height + SPACE
    news, end = narrow_news(view, y, palette, skip=unsaid)
    below = blocks[len(first) + 1].y if rest else 0
    return Sheet(NARROW_WIDTH, round(end), [*blocks, *news], below)


def narrow_block(height: float, body: str, palette: Palette) -> Piece:
    """A block of the narrow picture, on a ground of its own."""
    return Piece(SPACE, 0, COLUMN, height, rect(0, 0, COLUMN, height, palette.block, r=12) + body)


def narrow_places(view: View, palette: Palette, place: Place, height: float) -> list[Piece]:
    """The places of the narrow picture, that of the viewer first."""
    first, seats = _seat_at_the_bottom(view), view.num_players
    box = Box(SPACE, 0, COLUMN, height)
    return [place(view, (first + offset) % seats, box, 2, palette) for offset in range(seats)]


def _seat_at_the_bottom(view: View) -> int:
    """The viewer's seat, where there is one."""
    return view.viewer if isinstance(view.viewer, int) else 0


class StripEntry(NamedTuple):
    """What the strip says of a seat: its money and its bid; `strong`: the highest one; `weak`: it has passed;
    `secret`: a secret bid; `final`: the result, which is shown last; `points`: if the game ended now.
    """

    amount: int
    money: str
    bid: str = ""
    strong: bool = False
    weak: bool = False
    secret: bool = False
    final: bool = False
    points: int | None = None


def place_bid(entry: StripEntry, right: float, palette: Palette) -> tuple[float, str]:
    """The bid of a seat as a paddle in its place, from the right edge; and where the next part ends."""
    if not entry.bid:
        return right, ""
    drawing = paddle(right, 6, entry.bid, palette, strong=entry.strong, weak=entry.weak)
    return right - paddle_width(entry.bid) - 10, marked("line", drawing, LAST) if entry.final else drawing


def seat_strip(view: View, entry_of: Callable[[View, Any], StripEntry], icon: str, palette: Palette) -> Piece:
    """A column for each player; `icon` is a drawing of money, 24 x 18."""
    width = (COLUMN + 4) / view.num_players - 4
    columns = (
        at(round((width + 4) * seat, 1), 0, _column(view, seat, entry_of(view, player), icon, width, palette))
        for seat, player in enumerate(view.players)
    )
    return Piece(SPACE, 0, COLUMN, _HEIGHT, "".join(columns))


def _column(view: View, seat: int, entry: StripEntry, icon: str, width: float, palette: Palette) -> str:
    active = seat == view.seat
    edge, line = (palette.accent, 2) if active else (palette.line, 1)
    body = rect(line / 2, line / 2, width - line, _HEIGHT - line, palette.panel, r=7, stroke=edge, line=line)
    name = view.players[seat]["name"]
    body += text(6, 16, name, _SIZE, palette.accent if active else palette.ink, weight=BOLD, width=width - 10)
    start = 6.0
    badge = 0 if entry.points is None else 30
    has_icon = text_width(entry.money, 15, BOLD) + 34 + badge < width
    drawing = at(start, 22, icon, _ICON) if has_icon else ""
    start += 20 * has_icon
    shown = text(start, 35, entry.money, 15, palette.ink, weight=BOLD, width=width - start - 2 - badge)
    if entry.points is not None:  # they leave room for the money
        body += points_badge(width - 4, 20, entry.points, palette)
    body += money(seat, entry.amount, drawing or shown) + (shown if drawing else "")
    if not entry.bid:
        return body
    fill = "none" if entry.weak else palette.accent if entry.strong else palette.ink
    ink = palette.muted if entry.weak else palette.on_accent if entry.strong else palette.panel
    bid = rect(4.5, 40.5, width - 9, 17, fill, r=4, stroke=palette.line if entry.weak else "")
    bid += text(width / 2, 54, entry.bid, _SIZE, ink, weight=BOLD, anchor="middle", width=width - 10)
    return body + (fist(seat, bid) if entry.secret else marked("line", bid, LAST) if entry.final else bid)
