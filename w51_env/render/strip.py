"""Who has how much, who bids, who has passed: the strip of seats of a narrow picture, and the bids in places."""

from collections.abc import Callable
from typing import Any, NamedTuple

from w51_env.render.paint import Palette
from w51_env.render.parts import paddle, paddle_width
from w51_env.render.round_table import COLUMN, SPACE
from w51_env.render.shapes import BOLD, Piece, at, fist, money, rect, text, text_width
from w51_env.views.view import View

_HEIGHT = 62
_SIZE = 13
_ICON = 0.72


class StripEntry(NamedTuple):
    """What the strip says of a seat: its money and its bid; `strong`: the highest one; `weak`: it has passed;
    `secret`: a secret bid.
    """

    amount: int
    money: str
    bid: str = ""
    strong: bool = False
    weak: bool = False
    secret: bool = False


def place_bid(entry: StripEntry, right: float, palette: Palette) -> tuple[float, str]:
    """The bid of a seat as a paddle in its place, from the right edge; and where the next part ends."""
    if not entry.bid:
        return right, ""
    drawing = paddle(right, 6, entry.bid, palette, strong=entry.strong, weak=entry.weak)
    return right - paddle_width(entry.bid) - 10, drawing


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
    has_icon = text_width(entry.money, 15, BOLD) + 34 < width
    drawing = at(start, 22, icon, _ICON) if has_icon else ""
    start += 20 * has_icon
    shown = text(start, 35, entry.money, 15, palette.ink, weight=BOLD, width=width - start - 2)
    body += money(seat, entry.amount, drawing or shown) + (shown if drawing else "")
    if not entry.bid:
        return body
    fill = "none" if entry.weak else palette.accent if entry.strong else palette.ink
    ink = palette.muted if entry.weak else palette.on_accent if entry.strong else palette.panel
    bid = rect(4.5, 40.5, width - 9, 17, fill, r=4, stroke=palette.line if entry.weak else "")
    bid += text(width / 2, 54, entry.bid, _SIZE, ink, weight=BOLD, anchor="middle", width=width - 10)
    return body + (fist(seat, bid) if entry.secret else bid)
