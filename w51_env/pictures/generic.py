"""The picture of a view without a drawing of its own: what the view says of each player and of the table, as text."""

from collections.abc import Sequence
from typing import Any

from w51_env.pictures.paint import Palette
from w51_env.pictures.parts import bar, narrow_news, news_lines, place_frame, seat_badge
from w51_env.pictures.seating import MARGIN, NARROW, NARROW_WIDTH, WIDE_SIZE
from w51_env.pictures.shapes import BOLD, Piece, Sheet, area, text, text_width, wrap
from w51_env.views.view import View

_Lines = list[tuple[str, str]]  # of label and value
_LINE = 17
_SIZE = 14.5


def picture(view: View, palette: Palette, form: str) -> Sheet:
    """The players' data in boxes, in the forms of `pictures.seating`, and the news."""
    return _narrow(view, palette) if form == NARROW else _wide(view, palette)


def _wide(view: View, palette: Palette) -> Sheet:
    width, height = WIDE_SIZE
    places = view.num_players + bool(view.table)
    columns = 1 if places == 1 else 2 if places <= 4 else 3
    rows = -(-places // columns)
    low = height - MARGIN - 4 * 19 - 8
    across, down = (width - MARGIN) / columns, (low - 44) / rows
    blocks = [bar(view, palette, width)]
    for index, (name, seat, lines) in enumerate(_parts(view)):
        x, y = MARGIN + across * (index % columns), 44 + down * (index // columns)
        blocks.append(
            _part(view, name, seat, lines, (round(x), round(y), round(across - MARGIN), round(down - 8)), palette)
        )
    blocks.append(Piece(0, low, width, height - low, news_lines(view, MARGIN, 0, width - 2 * MARGIN, 4, palette)))
    return Sheet(width, height, blocks)


def _narrow(view: View, palette: Palette) -> Sheet:
    blocks = [bar(view, palette, NARROW_WIDTH)]
    y = 44
    for name, seat, lines in _parts(view):
        inner = NARROW_WIDTH - 16 - 24
        height = 42 + _LINE * sum(len(_wrapped(label, value, inner, 8)) for label, value in lines)
        blocks.append(_part(view, name, seat, lines, (8, y, NARROW_WIDTH - 16, height), palette))
        y += height + 8
    news, end = narrow_news(view, y, palette)
    return Sheet(NARROW_WIDTH, round(end), [*blocks, *news])


def _parts(view: View) -> list[tuple[str, int | None, _Lines]]:
    """(name, seat, lines) of each player and of the table."""
    parts: list[tuple[str, int | None, _Lines]] = [
        (player["name"], player["seat"], _lines({k: v for k, v in player.items() if k not in ("name", "seat")}))
        for player in view.players
    ]
    return [*parts, (view.title, None, _lines(view.table))] if view.table else parts


def _lines(data: Any) -> _Lines:
    """Nested data as (label, value) lines."""
    lines: _Lines = []
    for name, value in data.items():
        if isinstance(value, dict):
            lines += _lines(value)
        elif value is not None:
            listed = value if isinstance(value, list) else [value]
            lines.append((str(name), " ".join(map(str, listed))))
    return lines


def _wrapped(label: str, value: str, width: float, lines: int) -> tuple[str, ...]:
    return wrap(value, _SIZE, width - text_width(label, _SIZE, BOLD) - 8, lines) or ("",)


def _part(view: View, name: str, seat: int | None, lines: _Lines, box: Sequence[int], palette: Palette) -> Piece:
    x, y, width, height = box
    active = seat is not None and seat == view.seat
    body = place_frame(width, height, palette, active)
    start = 12
    if seat is not None:
        body += seat_badge(22, 19, seat, palette, active)
        start = 40
    body += text(start, 25, name, 17, palette.ink, weight=BOLD, width=width - start - 12)
    line = 46
    for label, value in lines:
        pieces = _wrapped(label, value, width - 24, max(1, (height - 8 - line) // _LINE))
        if line + _LINE * (len(pieces) - 1) > height - 6:
            break
        body += text(12, line, label, _SIZE, palette.muted, weight=BOLD)
        indent = 12 + text_width(label, _SIZE, BOLD) + 8
        for index, piece in enumerate(pieces):
            body += text(round(indent, 1), line + _LINE * index, piece, _SIZE, palette.ink)
        line += _LINE * len(pieces)
    part = "lot" if seat is None or (active and not view.table) else f"seat:{seat}"
    return Piece(x, y, width, height, area(part, body, width, height))
