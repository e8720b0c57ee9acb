"""The end of Warehouse 51: the score sheet, and the counterfeits that left the collections."""

from w51_env.pictures.paint import Palette
from w51_env.pictures.parts import seat_badge, sentence
from w51_env.pictures.round_table import LAST, marked
from w51_env.pictures.shapes import BOLD, NORMAL, at, card, rect, text, text_width
from w51_env.views.language import Words, words_of
from w51_env.views.view import Data, View
from w51_env.warehouse51.show.picture_cards import card_text, sign, tile

_LINE = 26  # height of a row
_LABEL = 128  # width of the names of the rows
_NAMED_COLUMN = 70  # narrower columns have the number of the seat instead of its name


def _sources(view: View) -> list[str]:
    """The sources of points in this game, in the order of the rows."""
    return ["ingots", "sets", *view.table["categories"]]


def sheet_height(view: View) -> int:
    """Height of the score sheet."""
    return _LINE * (len(_sources(view)) + 3)


def score_sheet(view: View, x: float, y: float, width: float, palette: Palette) -> str:
    """Points by source, total and rank of each player; a frame is round the columns of the winners."""
    words = words_of(view.language)
    column = (width - _LABEL) / view.num_players
    rows = _sources(view)
    body = ""
    for index, source in enumerate([*rows, "total", "rank"]):
        line = y + _LINE * (index + 1)
        if index % 2 == 0:
            body += rect(x, line, width, _LINE, palette.panel, r=4)
        cells = (
            _cell(player, source, x + _LABEL + column * (seat + 0.5), line + 18, palette)
            for seat, player in enumerate(view.players)
        )
        body += _label(source, x + 8, line + 18, words, palette) + marked("line", "".join(cells), index)
    for seat, player in enumerate(view.players):
        left = x + _LABEL + column * seat
        if column < _NAMED_COLUMN:
            body += seat_badge(left + column / 2, y + 13, seat, palette, False)
        else:
            middle, name = left + column / 2, player["name"]
            body += text(middle, y + 18, name, 15, palette.ink, weight=BOLD, anchor="middle", width=column - 6)
        if player["score"]["rank"] == 1:
            frame = rect(left + 1, y, column - 2, sheet_height(view), "none", r=7, stroke=palette.accent, line=2)
            body += marked("line", frame, LAST)
    return body


def _label(source: str, x: float, y: float, words: Words, palette: Palette) -> str:
    """The name of a row of the score sheet."""
    key = f"warehouse51.category.{source}"
    if key in words:
        name = text(x + 20, y, sentence(words(key)), 15, palette.ink, width=_LABEL - 32)
        return sign(x + 6, y - 5, source, palette.ink) + name
    group = "points" if source in ("ingots", "sets") else "picture"
    word = words("table.rank_row" if source == "rank" else f"warehouse51.{group}.{source}")
    weight = BOLD if source == "total" else NORMAL
    return text(x, y, sentence(word), 15, palette.ink, weight=weight, width=_LABEL - 12)


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
            card(card_text(view, relic, words_of(view.language)), tile(view.table["relics"][relic], fake=True)),
        )
        for index, relic in enumerate(relics)
    )
    return text(x, y + 27, word, 15, palette.ink, weight=BOLD, width=150) + cards
