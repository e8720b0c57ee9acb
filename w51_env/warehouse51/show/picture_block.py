"""The middle of the table of Warehouse 51: crates, reserve, lot, counterfeits, news."""

from w51_env.pictures.paint import Palette
from w51_env.pictures.parts import INGOT, NEWS_LINE, PADDLE, line_height, news_lines, paragraph, sentence
from w51_env.pictures.round_table import bands, marked
from w51_env.pictures.seating import Box
from w51_env.pictures.shapes import BOLD, Piece, area, at, card, money, stroke, text, text_width, titled, wrap
from w51_env.views.language import words_of
from w51_env.views.view import Data, View
from w51_env.warehouse51.show import picture_cards as cards
from w51_env.warehouse51.show.payees import payee_name
from w51_env.warehouse51.show.picture_end import exposed, score_sheet, sheet_height
from w51_env.warehouse51.show.picture_places import known_counterfeits

PAD = 14
CRATE_WIDTH, CRATE_HEIGHT, CRATE_STEP = 58, 64, 62
_SUPPLY_STEP = 78  # width of a column of the supply
SUPPLY_WIDTH = 3 * _SUPPLY_STEP
_HIGH = 380  # a middle that is higher has room for more news
_MAX_LOT = 252  # height of the lot
_TALL = 200  # a lot that is higher has larger text
_AUCTION_HEIGHT, _FAKE_HEIGHT = 40, 22  # the lines below the text of the lot
_MIN_TEXT = 15  # size of the text of an effect


def crates(view: View, x: float, y: float, palette: Palette) -> str:
    """The decks in a row."""
    words = words_of(view.language)
    return "".join(
        at(
            x + CRATE_STEP * index,
            y,
            titled(
                f"{words(f'warehouse51.category.{category}')}: {count}",
                area(f"category:{category}", cards.crate(category, count, palette), CRATE_WIDTH, CRATE_HEIGHT),
            ),
        )
        for index, (category, count) in enumerate(view.table["decks"].items())
    )


def supply(view: View, x: float, y: float, palette: Palette) -> str:
    """The reserve of the pawnbroker, the free pawn tokens and the certificates not taken yet, in 3 columns."""
    words = words_of(view.language)
    table = view.table
    left = 2 - len(table["certificates"])
    entries = (
        (INGOT, 24, 18, str(table["reserve"]), "reserve"),
        (cards.PAWN, 24, 23, str(table["pawn_tokens"]), "pawn_tokens"),
        (cards.CERTIFICATE, 20, 21, str(left), "certificates"),
    )
    body = ""
    for index, (icon, width, height, count, word) in enumerate(entries):
        label = words(f"warehouse51.picture.{word}")
        centre = x + _SUPPLY_STEP * (index + 0.5)
        number = text_width(count, 22, BOLD)
        start = centre - (width + 6 + number) / 2
        drawing = at(start, y + 22 - height / 2, icon)
        body += titled(
            label,
            (money("reserve", table["reserve"], drawing) if word == "reserve" else drawing)
            + text(start + width + 6, y + 30, count, 22, palette.ink, weight=BOLD)
            + text(centre, y + 52, label, 14.5, palette.muted, anchor="middle", width=_SUPPLY_STEP - 2),
        )
    return body


def lot(view: View, box: Box, palette: Palette, smallest: int = _MIN_TEXT) -> str:
    """The lot with what it is and how its auction stands; before it, who chooses a crate."""
    entry = view.table["lot"]
    height = min(_MAX_LOT, box.height)
    width = height * cards.LOT_WIDTH / cards.LOT_HEIGHT
    y = round(box.y + (box.height - height) / 2, 1)
    x = round(box.x + width + 20, 1)
    room = box.width - width - 20
    if entry is None:
        body, _ = paragraph(x, y + height / 2, sentence(view.headline), 20, palette.muted, room, 3)
        return marked(
            "lot", at(box.x, y, area("lot", cards.empty_lot(height, view.phase, palette), width, height)) + body
        )
    relic = view.table["relics"][entry["relic"]]
    fake = entry["relic"] in known_counterfeits(view)
    about = height - _AUCTION_HEIGHT - (_FAKE_HEIGHT if fake else 0)
    body, line = _about(view, relic, Box(x, y, room, about), palette, smallest, is_tall=height > _TALL)
    if fake:
        word = words_of(view.language)("warehouse51.picture.counterfeit")
        body += titled(word, at(x, line - 12, cards.MASK))
        body += text(x + 26, line + 1, word, 15, palette.accent, weight=BOLD, width=room - 26)
    about_it = cards.card_text(view, entry["relic"], words_of(view.language))
    large = at(box.x, y, card(about_it, cards.lot_card(relic, height, fake), "lot"))
    return marked("lot", large + body + _auction(view, entry, x, y + height - _AUCTION_HEIGHT, room, palette))


def _about(view: View, relic: Data, box: Box, palette: Palette, smallest: int, is_tall: bool) -> tuple[str, float]:
    """Name, category, value and effect of the lot, and the next base line."""
    words = words_of(view.language)
    x, width = box.x, box.width
    size = next((size for size in (30, 26, 22) if text_width(relic["name"], size, BOLD) <= width), 19)
    y = box.y + (28 if is_tall else 22)
    kind = f"{words('warehouse51.category.' + relic['category'])} {relic['value']}"
    body = text(x, y, relic["name"], size if is_tall else min(24, size), palette.ink, weight=BOLD, width=width)
    body += cards.sign(x + 7, y + 19, relic["category"], palette.muted)
    body += text(x + 19, y + 24, kind, 16, palette.muted)
    if relic["effect"] is None:
        return body, y + 50
    start = x + 19 + text_width(kind, 16) + 16
    aligned = words(f"warehouse51.alignment.{relic['alignment']}")
    body += titled(aligned, cards.alignment_sign(start, y + 19, relic["alignment"], palette.muted))
    body += text(start + 12, y + 24, aligned, 16, palette.muted)
    top = y + 33
    size, lines = _fitting(relic["effect_text"], (smallest, 18 if is_tall else 16), width, box.y + box.height - top)
    effect, line = paragraph(x, top + size, relic["effect_text"], size, palette.ink, width, lines)
    return body + effect, line + 3


def _fitting(words: str, sizes: tuple[int, int], width: float, height: float) -> tuple[int, int]:
    """The largest size between two in which a text fits, and the lines that fit in this size."""
    for size in range(sizes[1], sizes[0] - 1, -1):
        lines = max(1, int((height - size) // line_height(size)) + 1)
        if len(wrap(words, size, width, lines + 1)) <= lines:
            break
    return size, lines


def _auction(view: View, entry: Data, x: float, y: float, width: float, palette: Palette) -> str:
    """How the lot is auctioned, the highest open bid, or who has bought it; 40 high."""
    words = words_of(view.language)
    blind = entry["auction"] == "blind"
    kind = words(f"warehouse51.text.{'blind' if blind else 'open'}_auction")
    body = titled(kind, at(x, y, cards.FIST if blind else PADDLE))
    if not entry["running"]:
        bought = _bought(view, entry["relic"])
        first = y + (14 if text_width(bought, 16) > width - 50 else 26)
        return body + paragraph(x + 50, first, bought, 16, palette.ink, width - 50, 2)[0]
    if not entry["standing_bid"]:
        return body + text(x + 50, y + 27, kind, 18, palette.ink, weight=BOLD, width=width - 50)
    bid = str(entry["standing_bid"])
    start = x + 50 + text_width(bid, 34, BOLD) + 8
    body += text(x + 50, y + 33, bid, 34, palette.accent, weight=BOLD) + at(start, y + 12, INGOT)
    if entry["leader"] is None:
        return body
    return body + _payment(view, entry, start + 34, y, width - (start + 34 - x), palette)


def _payment(view: View, entry: Data, x: float, y: float, width: float, palette: Palette) -> str:
    """Who leads, and an arrow to who would be paid."""
    leader, payee = view.players[entry["leader"]]["name"], payee_name(view, entry["leader"], words_of(view.language))
    return (
        text(x, y + 17, leader, 17, palette.ink, weight=BOLD, width=width)
        + stroke(f"M{x + 1:g} {y + 31:g}h14m-5-5l5 5-5 5", palette.muted, 2)
        + text(x + 22, y + 36, payee, 16, palette.muted, width=width - 22)
    )


def _bought(view: View, relic: str) -> str:
    """Who has bought a relic, and the price."""
    owned = (entry for player in view.players for entry in player["collection"] if entry["relic"] == relic)
    entry = next((entry for entry in owned if entry["buyer"] is not None), None)
    if entry is None:
        return ""
    names = {"seat": view.players[entry["buyer"]]["name"], "ingots": entry["price"]}
    return sentence(words_of(view.language)("warehouse51.text.bought", **names))


def gap_cards(view: View, gap: int, height: float) -> str:
    """The counterfeit cards between two neighbours, from (0, 0), side by side: their backs if they are not known."""
    entry, words = view.table["gaps"][gap], words_of(view.language)
    relics = view.table["relics"]
    step = round(height * cards.TILE_WIDTH / cards.TILE_HEIGHT + 4, 1)
    names: list[str | None] = [*entry["relics"], *[None] * (entry["cards"] - len(entry["relics"]))]
    body = ""
    for index, name in enumerate(names):
        if name is not None:
            face = cards.counterfeit_card(relics[name], height, name in entry["cancelled"])
            face = card(cards.card_text(view, name, words), face)
        elif entry["known"]:
            face = titled(words("warehouse51.picture.blank"), cards.counterfeit_card(None, height))
        else:
            face = titled(words("warehouse51.picture.hidden"), cards.hidden_card(height))
        body += at(step * index, 0, face)
    return area(f"gap:{gap}", body, gap_width(view, gap, height), height)


def gap_width(view: View, gap: int, height: float) -> float:
    """Width of `gap_cards`."""
    count = max(view.table["gaps"][gap]["cards"], len(view.table["gaps"][gap]["relics"]))
    return count * (height * cards.TILE_WIDTH / cards.TILE_HEIGHT + 4) - 4


def unsaid(view: View) -> tuple[str, ...]:
    """Event types that the news leave out: at the end those that the score sheet shows."""
    return ("scored", "finished") if view.over else ()


def news(view: View, box: Box, palette: Palette) -> str:
    """The latest events."""
    lines = int(box.height // NEWS_LINE)
    return news_lines(view, box.x, box.y, box.width, lines, palette, skip=unsaid(view))


def middle(view: View, box: Box, corners: list[tuple[int, int]], palette: Palette) -> list[Piece]:
    """The middle of a wide table in bands; `corners` says where the counterfeits of each gap are."""
    places = _places_of_gaps(view, box, corners)
    top = PAD + CRATE_HEIGHT + 8
    lines = 4 if box.height > _HIGH else 3
    low = PAD + (lines * NEWS_LINE if view.news else cards.TILE_HEIGHT) + 8
    heights = (top, box.height - top - low, low)
    bodies = ["", "", ""]
    for gap, (x, y) in enumerate(places):
        band = 0 if y < top else 1 if y < box.height - low else 2
        bodies[band] += at(x, y - sum(heights[:band]), gap_cards(view, gap, cards.TILE_HEIGHT))
    edge = PAD + (58 if any(row == -1 and column for column, row in corners) else 0)
    bodies[0] += crates(view, edge, PAD, palette)
    bodies[0] += supply(view, box.width - edge - SUPPLY_WIDTH, PAD + 4, palette)
    side = PAD + (60 if any(row == 0 for _, row in corners) else 10)
    bodies[1] += lot(view, Box(side, 2, box.width - 2 * side, heights[1] - 4), palette)
    start = PAD + _widest(view) + 22
    bodies[2] += news(view, Box(start, 8, box.width - 2 * start, lines * NEWS_LINE), palette)
    return bands(box, palette, list(zip(heights, bodies, strict=True)))


def ending(view: View, box: Box, corners: list[tuple[int, int]], palette: Palette) -> list[Piece]:
    """The middle of a wide table when the game is over: the score sheet between the counterfeits."""
    places = _places_of_gaps(view, box, corners)
    first = PAD + (cards.TILE_HEIGHT + 18 if any(row == -1 and not column for column, row in corners) else 0)
    end = first + sheet_height(view)
    beside = any(
        column and first < y + cards.TILE_HEIGHT and y < end
        for (column, _), (_, y) in zip(corners, places, strict=True)
    )
    x = PAD + (_widest(view) + 14 if beside else 8)
    body = score_sheet(view, x, first, box.width - 2 * x, palette)
    body += "".join(at(x, y, gap_cards(view, gap, cards.TILE_HEIGHT)) for gap, (x, y) in enumerate(places))
    if view.table["exposed"]:
        body += exposed(view, x, end + 8, box.width - 2 * x, palette)
        end += cards.TILE_HEIGHT + 8
    start = PAD + _widest(view) + 22
    lines = min(4, int((box.height - PAD - end - 4) // NEWS_LINE))
    low = box.height - PAD - lines * NEWS_LINE
    body += news(view, Box(start, low, box.width - 2 * start, lines * NEWS_LINE), palette)
    return bands(box, palette, [(box.height, body)])


def _places_of_gaps(view: View, box: Box, corners: list[tuple[int, int]]) -> list[tuple[float, float]]:
    """Where the counterfeits of each gap are in the middle of a wide table."""
    places: list[tuple[float, float]] = []
    for gap, (column, row) in enumerate(corners):
        width = gap_width(view, gap, cards.TILE_HEIGHT)
        x = PAD + (box.width - 2 * PAD - width) * (column + 1) / 2
        y = PAD + (box.height - 2 * PAD - cards.TILE_HEIGHT) * (row + 1) / 2
        if row == -1 and column == 0:  # between the crates and the supply
            x, y = (box.width + len(view.table["decks"]) * CRATE_STEP - SUPPLY_WIDTH - width) / 2, PAD + 6
        places.append((round(x, 1), round(y)))
    return places


def _widest(view: View) -> float:
    """Width of the counterfeits of the gap that has most of them."""
    return max((gap_width(view, gap["gap"], cards.TILE_HEIGHT) for gap in view.table["gaps"]), default=0)
