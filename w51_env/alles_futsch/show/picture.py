"""The picture of a view of Alles Futsch! (`pictures.svg`)."""

from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import Any

from w51_env.pictures import parts, round_table
from w51_env.pictures.paint import PAINT, Palette
from w51_env.pictures.seating import NARROW, Box
from w51_env.pictures.shapes import BOLD, Piece, Sheet, area, at, drawings_in, money, rect, text, text_width, titled
from w51_env.views.language import words_of
from w51_env.views.view import View

_CARD_WIDTH, _CARD_HEIGHT = 138, 52
_PLACE, _LOT, _ROW = 128, 158, 120  # heights in a narrow picture
_LINE = 28
_LARGE, _SMALL = 1.3, 0.84  # scale of the cards where there is much or little room
_TALL = 380  # a middle that is higher has much room
_UNSAID = ("finished",)  # events that the score sheet shows
TILE = 40  # width and height of an object
PAD = 10
_ROWS = 4  #  of a player's table
_LABEL = 76  # width of the name of a type
_SLOTS = 3  # objects of a type that bring the bonus
TINT = {"painting": "#ecdfc4", "sculpture": "#c9d6d2", "vase": "#e3e0ee", "clock": "#f1e3bf", "jewel": "#f0d8d0"}
_EDGE = {"painting": "#8a6428", "sculpture": "#56736c", "vase": "#6b6391", "clock": "#94691a", "jewel": "#a3564e"}
_drawings = partial(drawings_in, Path(__file__).with_name("drawings.toml"))
MONEY = _drawings("token")["money"]  # 26 x 18


def picture(view: View, palette: Palette, form: str) -> Sheet:
    """The picture in one of the forms of `pictures.seating`."""
    if form == NARROW:
        return _narrow(view, palette)
    return round_table.wide_sheet(view, palette, lambda circle: _middle(view, circle.block, palette), place)


def _narrow(view: View, palette: Palette) -> Sheet:
    """Seats, then the cards or the lot, the viewer's own place, and all else."""
    width = round_table.COLUMN
    own_place, *others = round_table.narrow_places(view, palette, place, _PLACE)
    height = _LOT if view.phase == "select" else _ROW  # what comes first is always as high
    row = round_table.narrow_block(height, _row(view, width, 12 + (height - _ROW) / 2, 3, _SMALL, palette), palette)
    if view.over:
        height = _LINE * (view.num_players + 1) + 16
        lot = round_table.narrow_block(height, _score_sheet(view, 8, 8, width - 16, palette), palette)
    else:
        lot = round_table.narrow_block(_LOT, _lot(view, Box(12, 8, width - 24, _LOT - 16), palette), palette)
    strip = round_table.seat_strip(view, strip_entry, MONEY, palette)
    first, later = ((row,), ()) if view.phase == "select" else ((lot,), (row,))
    return round_table.narrow_sheet(view, palette, (strip, *first, own_place), (*later, *others), _UNSAID)


def _middle(view: View, box: Box, palette: Palette) -> list[Piece]:
    """The middle of a wide table: the row of cards, the lot or the score sheet, and the news."""
    is_tall = box.height > _TALL
    scale = _LARGE if is_tall else 1
    columns = 6 if box.width > 900 else 3
    lines = 3 if is_tall or columns == 6 else 1 if view.over else 2
    top = round(14 + (_CARD_HEIGHT * scale + 8) * -(-6 // columns))
    low = parts.NEWS_LINE * (lines if view.news else 0) + 18
    room = box.height - top - low
    if view.over:
        width = min(box.width - 48, 640)
        body = _score_sheet(view, (box.width - width) / 2, 0, width, palette)
    else:
        body = _lot(view, Box(34, 0, box.width - 68, room), palette)
    news = parts.news_lines(view, 34, 4, box.width - 68, lines, palette, skip=_UNSAID)
    heights = [(top, _row(view, box.width, 14, columns, scale, palette)), (room, body), (low, news)]
    return round_table.bands(box, palette, heights)


def _row(view: View, width: float, y: float, columns: int, scale: float, palette: Palette) -> str:
    """The cards that are face up, and the deck, this number of them side by side."""
    across, down = _CARD_WIDTH * scale + 8, _CARD_HEIGHT * scale + 8
    left = (width - across * columns + 8) / 2
    cards = [
        area(f"slot:{slot}", _card(card), _CARD_WIDTH, _CARD_HEIGHT) if card else _outline(palette)
        for slot, card in enumerate(view.table["face_up"])
    ]
    cards.append(_deck(view, palette))
    return "".join(
        at(round(left + across * (index % columns), 1), round(y + down * (index // columns), 1), card, scale)
        for index, card in enumerate(cards)
    )


def _card(card: list[str]) -> str:
    """A card with its three objects."""
    faces = "".join(at(5 + 44 * index, 6, tile(kind)) for index, kind in enumerate(card))
    return rect(0.5, 0.5, _CARD_WIDTH - 1, _CARD_HEIGHT - 1, PAINT["paper"], r=7, stroke=PAINT["amber"]) + faces


def _outline(palette: Palette) -> str:
    return (
        f'<rect x=".5" y=".5" width="{_CARD_WIDTH - 1}" height="{_CARD_HEIGHT - 1}" rx="7" fill="none" '
        f'stroke="{palette.muted}" stroke-dasharray="5 5"/>'
    )


def _deck(view: View, palette: Palette) -> str:
    """The deck with the number of its cards."""
    count = view.table["deck"]
    if not count:
        return _outline(palette)
    back, edge = PAINT["bark"], PAINT["amber"]
    word = words_of(view.language)("alles_futsch.picture.cards")
    return (
        rect(6.5, 4.5, _CARD_WIDTH - 7, _CARD_HEIGHT - 5, back, r=7, stroke=edge)
        + rect(3.5, 2.5, _CARD_WIDTH - 7, _CARD_HEIGHT - 5, back, r=7, stroke=edge)
        + rect(0.5, 0.5, _CARD_WIDTH - 7, _CARD_HEIGHT - 5, back, r=7, stroke=edge)
        + text(62, 32, f"{count} {word}", 18, "#fff", weight=BOLD, anchor="middle", width=116)
    )


def _lot(view: View, box: Box, palette: Palette) -> str:
    """The card for auction with the highest bid, or bought, with the objects that are still to be placed."""
    lot = view.table["lot"]
    size = max(40, min(124, box.width / 3 - 8, box.height - 62))
    y = box.y + (box.height - size - 58) / 2
    if lot is None:
        said = parts.sentence(view.headline)
        return round_table.marked("lot", parts.paragraph(box.x, y + size / 2, said, 20, palette.muted, box.width, 2)[0])
    left = Counter(lot["to_place"]) if not lot["running"] else Counter(lot["card"])
    left.update([lot["selling"]] if lot["selling"] else [])
    x = box.x + (box.width - 3 * (size + 8) + 8) / 2 if box.width > 400 else box.x
    body = ""
    for index, kind in enumerate(lot["card"]):
        face = titled(view.table["types"][kind], at(0, 0, tile(kind), round(size / TILE, 3)))
        placed = left[kind] <= 0
        left[kind] -= 1
        if not (placed or lot["running"]):
            face = area(f"type:{kind}", face, size, size)
        body += at(round(x + (size + 8) * index, 1), y, f'<g opacity=".3">{face}</g>' if placed else face)
    if lot["running"]:
        body = at(round(x, 1), y, area("lot", at(round(-x, 1), -y, body), 3 * size + 16, size))
    return round_table.marked("lot", body + _standing(view, lot, x, y + size + 10, box, palette))


def _standing(view: View, lot: Any, x: float, y: float, box: Box, palette: Palette) -> str:
    """The highest bid, or the price, and what is being sold; 48 high."""
    words = words_of(view.language)
    body = at(x, y, parts.PADDLE)
    start = x + 48
    room = box.x + box.width - start
    if lot["selling"]:
        kind = lot["selling"]
        names = {"type": view.table["types"][kind], "a_type": words(f"alles_futsch.a_type.{kind}")}
        line = words("alles_futsch.text.selling", **names)
        return body + text(start, y + 26, line, 18, palette.ink, weight=BOLD, width=room)
    bid = words.number(lot["standing_bid"])
    body += text(start, y + 30, bid, 28, palette.muted if lot["leader"] is None else palette.accent, weight=BOLD)
    start += text_width(bid, 28, BOLD) + 10
    body += at(round(start, 1), y + 12, MONEY)
    start = round(start + 36, 1)
    if lot["leader"] is None:
        return body
    name = view.players[lot["leader"]]["name"]
    return body + text(start, y + 27, name, 18, palette.ink, weight=BOLD, width=box.x + box.width - start)


def _score_sheet(view: View, x: float, y: float, width: float, palette: Palette) -> str:
    """Rank, name, objects and money of each player, the best first."""
    words = words_of(view.language)
    body = ""
    for key, right in (("objects", width * 0.72), ("money", width - 12)):
        word = words(f"alles_futsch.picture.{key}")
        body += text(x + right, y + 19, word, 14.5, palette.muted, anchor="end", width=width * 0.25)
    for index, player in enumerate(sorted(view.players, key=lambda player: (player["score"]["rank"], player["seat"]))):
        score = player["score"]
        line = y + _LINE * (index + 1)
        first = score["rank"] == 1
        ink = palette.accent if first else palette.ink
        if index % 2 == 0:
            body += rect(x, line, width, _LINE, palette.panel, r=4)
        said = text(x + 12, line + 19, f"{score['rank']}.", 16, ink, weight=BOLD)
        said += parts.seat_badge(x + 52, line + 14, player["seat"], palette, first)
        said += text(x + 72, line + 19, player["name"], 16, ink, weight=BOLD, width=width * 0.5 - 76)
        said += text(x + width * 0.72, line + 19, str(score["objects"]), 16, ink, anchor="end")
        said += text(x + width - 12, line + 19, words.number(score["total"]), 16, ink, weight=BOLD, anchor="end")
        body += round_table.marked("line", said, -index)  # the best last
    return body


@cache
def tile(kind: str) -> str:
    """An object, 40 x 40."""
    return rect(0.5, 0.5, 39, 39, TINT[kind], r=5, stroke=_EDGE[kind]) + at(4, 4, _drawings("object")[kind], 0.5)


def strip_entry(view: View, player: Any) -> round_table.StripEntry:
    """A player's money and bid, for the strip of a narrow picture."""
    words, lot = words_of(view.language), view.table["lot"]
    entry = partial(round_table.StripEntry, player["money"], words.number(player["money"]))
    if player["score"]:
        rank = player["score"]["rank"]
        return entry(f"{rank}.", strong=rank == 1, final=True)
    if lot is not None and lot["leader"] == player["seat"]:
        return entry(words.number(lot["standing_bid"]), strong=True)
    passed = lot is not None and lot["running"] and not player["bidding"]
    return entry(words("table.passed") if passed else "", weak=passed)


def place(view: View, seat: int, box: Box, columns: int, palette: Palette) -> Piece:
    """A player's place, with the types in this number of columns."""
    player = view.players[seat]
    body = parts.place_frame(box.width, box.height, palette, view.seat == seat)
    body += _header(view, player, box.width, palette)
    height = (box.height - parts.HEADER - 6) / (_ROWS / columns)
    width = (box.width - 2 * PAD) / columns
    for index, (kind, count) in enumerate(player["objects"].items()):
        title = view.table["types"][kind]
        cards = [titled(title, tile(kind))] * count
        ink = palette.ink if count else palette.muted
        size = min(14.5, round(_LABEL / text_width(title, 1), 1))
        row = text(0, height / 2 - 4, title, size, ink, width=_LABEL)
        row += text(0, height / 2 + 14, str(count), 16, ink, weight=BOLD)
        row += parts.shelf(_LABEL + 8, width - 10, height, (TILE, TILE), cards, palette, _SLOTS)
        body += at(PAD + 2 + width * (index % columns), parts.HEADER + height * (index // columns), row)
    return Piece(box.x, box.y, box.width, box.height, area(f"buyer:{seat}", body, box.width, box.height))


def _header(view: View, player: Any, width: float, palette: Palette) -> str:
    words = words_of(view.language)
    seat = player["seat"]
    right, body = round_table.place_bid(strip_entry(view, player), width - PAD, palette)
    amount = words.number(player["money"])
    right -= text_width(amount, 19, BOLD)
    body += text(round(right, 1), 25, amount, 19, palette.ink, weight=BOLD)
    right -= 32
    drawing = titled(words("alles_futsch.picture.money"), at(round(right, 1), 10, MONEY))
    body += money(seat, player["money"], drawing)
    start = PAD + 28.0
    room = right - start - 28
    body += text(start, 25, player["name"], 17, palette.ink, weight=BOLD, width=room)
    start += min(text_width(player["name"], 17, BOLD), room) + 6
    if seat == view.table["selector"] and not view.over:
        body += titled(words("alles_futsch.picture.selector"), at(round(start, 1), 9, parts.crowbar(palette)))
    return parts.seat_badge(PAD + 11, 19, seat, palette, view.seat == seat) + body
