"""The middle of the table of Warehouse 51: crates, reserve, lot, counterfeits, news, and the score sheet."""

from typing import Any

from w51_env.core.game import Data
from w51_env.core.view import View
from w51_env.render.paint import Palette
from w51_env.render.parts import INGOT, NEWS_LINE, PADDLE, news_lines, paragraph, seat_badge, sentence
from w51_env.render.seating import Box
from w51_env.render.shapes import BOLD, Block, at, rect, text, text_width, titled
from w51_env.warehouse51.picture_cards import (
    CERTIFICATE,
    FIST,
    LOT_HEIGHT,
    LOT_WIDTH,
    MASK,
    PAWN,
    TILE_HEIGHT,
    TILE_WIDTH,
    alignment_sign,
    counterfeit_card,
    crate,
    empty_lot,
    hidden_card,
    lot_card,
    sign,
    tile,
)
from w51_env.warehouse51.picture_places import known_counterfeits, words_of

PAD = 14
CRATE_WIDTH, CRATE_HEIGHT, CRATE_STEP = 58, 64, 65
_SUPPLY_WIDTH = 210
_LINE = 26  # of the score sheet
_LABEL = 128
_NAMED_COLUMN = 90  # narrower columns have the number of the seat instead of its name


def ground(box: Box, palette: Palette) -> str:
    return rect(0, 0, box.width, box.height, palette.block, r=14)


def crates(view: View, x: float, y: float, palette: Palette) -> str:
    """The decks in a row."""
    words = words_of(view.language)
    return "".join(
        at(
            x + CRATE_STEP * index,
            y,
            titled(f"{words(f'warehouse51.category.{category}')}: {count}", crate(category, count, palette)),
        )
        for index, (category, count) in enumerate(view.table["decks"].items())
    )


def supply(view: View, x: float, y: float, palette: Palette) -> str:
    """The reserve of the pawnbroker, the free pawn tokens and the certificates not taken yet, 3 columns of 70."""
    words = words_of(view.language)
    table = view.table
    left = 2 - len(table["certificates"])
    entries = (
        (INGOT, 24, 18, str(table["reserve"]), "reserve"),
        (PAWN, 24, 23, str(table["pawn_tokens"]), "pawn_tokens"),
        (CERTIFICATE, 20, 21, str(left), "certificates"),
    )
    body = ""
    for index, (icon, width, height, count, word) in enumerate(entries):
        label = words(f"warehouse51.picture.{word}")
        centre = x + 70 * index + 35
        number = text_width(count, 22, BOLD)
        start = centre - (width + 6 + number) / 2
        body += titled(
            label,
            at(start, y + 22 - height / 2, icon)
            + text(start + width + 6, y + 30, count, 22, palette.ink, weight=BOLD)
            + text(centre, y + 52, label, 13, palette.muted, anchor="middle", width=68),
        )
    return body


def lot(view: View, box: Box, palette: Palette) -> str:
    """The lot with what it is and how its auction stands; before it, who chooses a crate."""
    entry = view.table["lot"]
    height = min(LOT_HEIGHT, box.height)
    width = height * LOT_WIDTH / LOT_HEIGHT
    y = box.y + (box.height - height) / 2
    x = box.x + width + 20
    room = box.width - width - 20
    if entry is None:
        body, _ = paragraph(x, y + height / 2, sentence(view.headline), 20, palette.muted, room, 3)
        return at(box.x, y, empty_lot(height, palette)) + body
    relic = view.table["relics"][entry["relic"]]
    fake = entry["relic"] in known_counterfeits(view)
    body, line = _about(view, relic, x, y + 22, room, palette)
    if fake:
        words = words_of(view.language)
        body += at(x, line - 12, MASK) + text(
            x + 26,
            line + 1,
            words("warehouse51.picture.counterfeit"),
            15,
            palette.accent,
            weight=BOLD,
            width=room - 26,
        )
    return at(box.x, y, lot_card(relic, height, fake)) + body + _auction(view, entry, x, y + height - 40, room, palette)


def _about(view: View, relic: Data, x: float, y: float, width: float, palette: Palette) -> tuple[str, float]:
    """Name, category, value and effect of the lot, and the next base line."""
    words = words_of(view.language)
    kind = f"{words('warehouse51.category.' + relic['category'])} {relic['value']}"
    body = text(x, y, relic["name"], 24, palette.ink, weight=BOLD, width=width)
    body += sign(x + 7, y + 19, relic["category"], palette.muted)
    body += text(x + 19, y + 24, kind, 16, palette.muted)
    if relic["effect"] is None:
        return body, y + 50
    start = x + 19 + text_width(kind, 16) + 16
    body += alignment_sign(start, y + 19, relic["alignment"], palette.muted)
    body += text(start + 12, y + 24, words(f"warehouse51.alignment.{relic['alignment']}"), 16, palette.muted)
    effect, line = paragraph(x, y + 49, relic["effect_text"], 16, palette.ink, width, 2)
    return body + effect, line + 3


def _auction(view: View, entry: Data, x: float, y: float, width: float, palette: Palette) -> str:
    """How the lot is auctioned, and the highest open bid; 40 high."""
    words = words_of(view.language)
    blind = entry["auction"] == "blind"
    body = at(x, y, FIST if blind else PADDLE)
    if not entry["standing_bid"]:
        kind = words(f"warehouse51.text.{'blind' if blind else 'open'}_auction")
        return body + text(x + 50, y + 27, kind, 18, palette.ink, weight=BOLD, width=width - 50)
    bid = str(entry["standing_bid"])
    start = x + 50 + text_width(bid, 34, BOLD) + 8
    body += text(x + 50, y + 33, bid, 34, palette.accent, weight=BOLD) + at(start, y + 12, INGOT)
    if entry["leader"] is None:
        return body
    name = view.players[entry["leader"]]["name"]
    return body + text(start + 34, y + 29, name, 18, palette.ink, weight=BOLD, width=width - (start + 34 - x))


def gap_cards(view: View, gap: int, height: float) -> str:
    """The counterfeit cards between two neighbours, from (0, 0), side by side: their backs if they are not known."""
    entry = view.table["gaps"][gap]
    relics = view.table["relics"]
    step = round(height * TILE_WIDTH / TILE_HEIGHT + 4, 1)
    names: list[str | None] = [*entry["relics"], *[None] * (entry["cards"] - len(entry["relics"]))]
    body = ""
    for index, name in enumerate(names):
        relic = relics[name] if name is not None else None
        card = counterfeit_card(relic, height, name in entry["cancelled"]) if entry["known"] else hidden_card(height)
        title = relic["name"] if relic else ""
        body += at(step * index, 0, titled(title, card) if title else card)
    return body


def gap_width(view: View, gap: int, height: float) -> float:
    """Width of `gap_cards`."""
    cards = max(view.table["gaps"][gap]["cards"], len(view.table["gaps"][gap]["relics"]))
    return cards * (height * TILE_WIDTH / TILE_HEIGHT + 4) - 4


def news(view: View, box: Box, palette: Palette) -> str:
    """The latest events."""
    lines = int(box.height // NEWS_LINE)
    return news_lines(view, box.x, box.y, box.width, lines, palette, skip=("scored", "finished") if view.over else ())


def score_sheet(view: View, x: float, y: float, width: float, palette: Palette) -> tuple[str, float]:
    """Points by source, total and rank of each player, and where it ends."""
    words = words_of(view.language)
    column = (width - _LABEL) / view.num_players
    sources = list(view.players[0]["score"]["points"])
    rows = [s for s in sources if s not in view.table["decks"]] + [s for s in sources if s in view.table["decks"]]
    body = ""
    for index, source in enumerate([*rows, "total", "rank"]):
        line = y + _LINE * (index + 1)
        strong = source == "total"
        if index % 2 == 0:
            body += rect(x, line, width, _LINE, palette.panel, r=4)
        body += _label(source, x + 8, line + 18, words)(palette, strong)
        for seat, player in enumerate(view.players):
            body += _cell(player, source, x + _LABEL + column * (seat + 0.5), line + 18, palette)
    for seat, player in enumerate(view.players):
        centre = x + _LABEL + column * (seat + 0.5)
        first = player["score"]["rank"] == 1
        if column < _NAMED_COLUMN:
            body += seat_badge(centre, y + 13, seat, palette, first)
        else:
            colour = palette.accent if first else palette.ink
            body += text(centre, y + 18, player["name"], 15, colour, weight=BOLD, anchor="middle", width=column - 6)
    return body, y + _LINE * (len(rows) + 3)


def _label(source: str, x: float, y: float, words: Any) -> Any:
    """The name of a row of the score sheet."""

    def draw(palette: Palette, strong: bool) -> str:
        weight = BOLD if strong else 500
        key = f"warehouse51.category.{source}"
        if key not in words:
            return text(
                x,
                y,
                words(f"warehouse51.{'points' if source in ('ingots', 'sets') else 'picture'}.{source}"),
                15,
                palette.ink,
                weight=weight,
                width=_LABEL - 12,
            )
        return sign(x + 6, y - 5, source, palette.ink) + text(x + 20, y, words(key), 15, palette.ink, width=_LABEL - 32)

    return draw


def _cell(player: Data, source: str, x: float, y: float, palette: Palette) -> str:
    score = player["score"]
    first = score["rank"] == 1
    if source in ("total", "rank"):
        shown = str(score[source]) + ("." if source == "rank" else "")
        return text(x, y, shown, 17, palette.accent if first else palette.ink, weight=BOLD, anchor="middle")
    points = score["points"][source]
    return text(x, y, str(points) if points else "·", 15, palette.ink if points else palette.muted, anchor="middle")


def exposed(view: View, x: float, y: float, width: float, palette: Palette) -> str:
    """The counterfeits that left the collections, after their word."""
    relics = view.table["exposed"]
    if not relics:
        return ""
    word = words_of(view.language)("warehouse51.picture.exposed")
    start = x + min(text_width(word, 15, BOLD), 150) + 12
    step = min(40, (width - (start - x) - 36) / max(1, len(relics) - 1))
    cards = "".join(
        at(
            round(start + step * index, 1),
            y,
            titled(view.table["relics"][relic]["name"], tile(view.table["relics"][relic], fake=True)),
        )
        for index, relic in enumerate(relics)
    )
    return text(x, y + 27, word, 15, palette.ink, weight=BOLD, width=150) + cards


def block(view: View, box: Box, corners: list[tuple[int, int]], palette: Palette) -> Block:
    """The middle of a wide table; `corners` says where the counterfeits of each gap are."""
    body = ground(box, palette)
    card = TILE_HEIGHT
    for gap, (column, row) in enumerate(corners):
        width = gap_width(view, gap, card)
        x = PAD + (box.width - 2 * PAD - width) * (column + 1) / 2
        y = PAD + (box.height - 2 * PAD - card) * (row + 1) / 2
        if row == -1 and column == 0:  # between the crates and the supply
            x, y = (box.width + len(view.table["decks"]) * CRATE_STEP - _SUPPLY_WIDTH - width) / 2, PAD + 6
        body += at(round(x, 1), round(y, 1), gap_cards(view, gap, card))
    widest = max((gap_width(view, gap, card) for gap in range(len(corners))), default=0)
    top_corner = any(row == -1 and column for column, row in corners)
    edge = PAD + (36 + 22 if top_corner else 0)
    low = 4 * NEWS_LINE
    inner = Box(PAD + widest + 22, box.height - PAD - low + 2, box.width - 2 * (PAD + widest + 22), low)
    if view.over:
        first = PAD + card + 18 if any(row == -1 for _, row in corners) else PAD
        sheet, end = score_sheet(view, PAD + 8, first, box.width - 2 * PAD - 16, palette)
        body += sheet
        if end + 52 < inner.y:
            body += exposed(view, PAD + 8, end + 8, box.width - 2 * PAD - 16, palette)
        start = max(inner.y, end + 6)
        inner = Box(inner.x, start, inner.width, inner.y + inner.height - start)
        return Block(box.x, box.y, box.width, box.height, body + news(view, inner, palette))
    body += crates(view, edge, PAD, palette)
    body += supply(view, box.width - edge - _SUPPLY_WIDTH, PAD + 4, palette)
    side = 36 + 24 if any(row == 0 for _, row in corners) else 10
    top = PAD + CRATE_HEIGHT + 12
    body += lot(view, Box(PAD + side, top, box.width - 2 * (PAD + side), inner.y - top - 10), palette)
    return Block(box.x, box.y, box.width, box.height, body + news(view, inner, palette))
