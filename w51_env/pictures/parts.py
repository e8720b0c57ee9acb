"""Parts that the pictures of several games have in common: headline, a player's name, a bid, the news."""

from collections.abc import Sequence

from w51_env.pictures.paint import Palette
from w51_env.pictures.seating import BAR, MARGIN, NARROW_WIDTH
from w51_env.pictures.shapes import BOLD, Piece, at, circle, drawing, path, rect, stroke, text, text_width, wrap
from w51_env.views.view import View

HEADER = 36  # height of the line with a player's name
NEWS_LINE = 19
_WORDS = 14.5  # size of small text
_NARROW_NEWS = 4  # lines

INGOT = drawing([("gold", "M1 12L5 4h12l4 8z"), ("straw", "M5 4h12l1.5 3h-15z"), ("amber", "M1 12h20v3H1z")])  # 22 x 18

PADDLE = drawing(  # 40 x 40: of a bidder
    [
        ("wood", "M17 24h6v14h-6z"),
        ("wine", "M12 3h16a6 6 0 0 1 6 6v11a6 6 0 0 1-6 6H12a6 6 0 0 1-6-6V9a6 6 0 0 1 6-6z"),
        ("bone", "M13 18l7-7 7 7z"),
    ]
)
_CROWBAR = "M3 17L13 7M13 7c-1-4 3-6 6-4l-3 4zM3 17l-2 1 1-2z"
_MAX_CARD = 88  # height of a card on a shelf
_MIN_SHARE = 0.72  # of the height that a card has where there is room


def bar(view: View, palette: Palette, width: int) -> Piece:
    """The line along the top: the game, and what is going on."""
    title = text(MARGIN, 26, view.title.upper(), 17, palette.muted, weight=BOLD)
    start = MARGIN + text_width(view.title.upper(), 17, BOLD) + 16
    headline = text(start, 26, sentence(view.headline), 19, palette.ink, weight=BOLD, width=width - start - 80)
    count = text(width - MARGIN, 26, f"#{view.decision}", 14.5, palette.muted, anchor="end")
    return Piece(0, 0, width, BAR, title + headline + count)


def narrow_headline(view: View, palette: Palette) -> Piece:
    """What `bar` shows, in up to three lines for a narrow picture."""
    title = text(MARGIN, 20, view.title.upper(), 13, palette.muted, weight=BOLD)
    count = text(NARROW_WIDTH - MARGIN, 20, f"#{view.decision}", 13, palette.muted, anchor="end")
    width = NARROW_WIDTH - 2 * MARGIN
    body, end = paragraph(MARGIN, 42, sentence(view.headline), 18, palette.ink, width, 2)
    return Piece(0, 0, NARROW_WIDTH, end - 8, title + count + body)


def seat_badge(x: float, y: float, seat: int, palette: Palette, active: bool) -> str:
    """The number of a seat in a circle, from 1; that of the seat to move is filled."""
    fill, ink = (palette.accent, palette.on_accent) if active else (palette.line, palette.ink)
    return circle(x, y, 11, fill) + text(x, y + 5, str(seat + 1), 15, ink, weight=BOLD, anchor="middle")


def place_frame(width: float, height: float, palette: Palette, active: bool) -> str:
    """The ground of a player's place, with a strong border for the seat to move."""
    if active:
        return rect(1.5, 1.5, width - 3, height - 3, palette.panel, r=9, stroke=palette.accent, line=3)
    return rect(0.5, 0.5, width - 1, height - 1, palette.panel, r=10, stroke=palette.line)


def paddle(x: float, y: float, words: str, palette: Palette, *, strong: bool = False, weak: bool = False) -> str:
    """A bidder's paddle, with its handle down, ending at `x` on the right; `strong`: the highest bid; `weak`: out."""
    width = paddle_width(words)
    left = x - width
    if weak:
        said = text(x - width / 2, y + 17, words, _WORDS, palette.muted, anchor="middle")
        return rect(left + 0.5, y + 0.5, width - 1, 23, "none", r=6, stroke=palette.line) + said
    fill, ink = (palette.accent, palette.on_accent) if strong else (palette.ink, palette.panel)
    return (
        path(f"M{x - width / 2 - 3:g} {y + 23:g}h6v7h-6z", fill)
        + rect(left, y, width, 24, fill, r=6)
        + text(x - width / 2, y + 18, words, 17, ink, weight=BOLD, anchor="middle")
    )


def paddle_width(words: str) -> float:
    """Width of a paddle with these words."""
    return round(max(34, text_width(words, 17, BOLD) + 16))


def news_lines(
    view: View, x: float, y: float, width: float, lines: int, palette: Palette, *, skip: Sequence[str] = ()
) -> str:
    """The latest news in this number of lines from `y` down, the newest in the last line; a long one takes two.

    event types in `skip` are left out.
    """
    latest = _latest(view, width, lines, skip)
    return _lines(latest, x, y + NEWS_LINE * (lines - len(latest)), palette)


def narrow_news(view: View, y: float, palette: Palette, *, skip: Sequence[str] = ()) -> tuple[list[Piece], float]:
    """The latest news at the end of a narrow picture in up to four lines, and where the picture ends."""
    latest = _latest(view, NARROW_WIDTH - 2 * MARGIN, _NARROW_NEWS, skip)
    if not latest:
        return [], y
    height = NEWS_LINE * len(latest) + 8
    return [Piece(0, y, NARROW_WIDTH, height, _lines(latest, MARGIN, 0, palette))], y + height


def _latest(view: View, width: float, limit: int, skip: Sequence[str]) -> list[tuple[str, bool]]:
    """Lines of the latest news, and whether they are of the last one."""
    latest: list[tuple[str, bool]] = []
    for entry in reversed([entry["text"] for entry in view.news if entry["event"] not in skip]):
        whole = wrap(entry, 15, width, min(2, limit))
        if len(latest) + len(whole) > limit:
            break
        is_last = not latest
        latest = [*((line, is_last) for line in whole), *latest]
    return latest


def _lines(lines: Sequence[tuple[str, bool]], x: float, y: float, palette: Palette) -> str:
    return "".join(
        text(x, y + 15 + NEWS_LINE * index, line, 15, palette.ink if is_last else palette.muted)
        for index, (line, is_last) in enumerate(lines)
    )


def line_height(size: float) -> int:
    """The distance between the base lines of wrapped text."""
    return round(size * 1.25)


def paragraph(x: float, y: float, words: str, size: float, fill: str, width: float, lines: int) -> tuple[str, float]:
    """Wrapped text whose first base line is at `y`, and the base line of the line after it."""
    step = line_height(size)
    wrapped = wrap(words, size, width, lines)
    body = "".join(text(x, y + step * index, line, size, fill) for index, line in enumerate(wrapped))
    return body, y + step * len(wrapped)


def points_badge(x: float, y: float, points: int, palette: Palette) -> str:
    """The points of a seat if the game ended now, in an outlined badge 26 x 20 that ends at `x` on the right."""
    body = rect(x - 25.5, y + 0.5, 25, 19, "none", r=9, stroke=palette.muted)
    return body + text(x - 13, y + 15, str(points), 14.5, palette.ink, weight=BOLD, anchor="middle")


def crowbar(palette: Palette) -> str:
    """20 x 20: the sign of the player who opens the next lot."""
    return stroke(_CROWBAR, palette.muted, 2.5)


def shelf(
    x: float,
    width: float,
    height: float,
    card: tuple[float, float],
    cards: Sequence[str],
    palette: Palette,
    slots: int = 1,
) -> str:
    """Cards of this width and height side by side on a shelf from `x` to `width`.

    Cards are enlarged to the height of the shelf; where room is short they are smaller, then they overlap. Up to
    `slots` places are outlined where there is no card.
    """
    largest = min(height - 6, _MAX_CARD, ((width - x + 4) / slots - 4) * card[1] / card[0])
    fitting = ((width - x + 4) / max(1, len(cards)) - 4) * card[1] / card[0]
    size = min(largest, max(fitting, _MIN_SHARE * largest))
    scale = round(size / card[1], 3)
    across = card[0] * scale
    step = min(across + 4, (width - x - across) / max(1, len(cards) - 1, slots - 1))
    low = (height + largest) / 2
    top = round(low - size, 1)
    body = rect(x - 4, round(low - 1, 1), width - x + 4, 3, palette.line, r=1.5)
    for index in range(len(cards), slots):
        body += (
            f'<rect x="{x + step * index + 0.5:.1f}" y="{top + 0.5:.1f}" width="{across - 1:.1f}" '
            f'height="{size - 5:.1f}" rx="5" fill="none" stroke="{palette.line}" stroke-dasharray="4 5"/>'
        )
    return body + "".join(at(round(x + step * index, 1), top, face, scale) for index, face in enumerate(cards))


def sentence(words: str) -> str:
    """The words with a capital letter first."""
    return words[:1].upper() + words[1:]
