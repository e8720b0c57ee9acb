"""The place of a player of Alles Futsch!, as SVG: money, the bid, and the objects by type."""

from functools import cache, partial
from pathlib import Path
from typing import Any

from w51_env.render.paint import Palette
from w51_env.render.parts import HEADER, crowbar, place_frame, seat_badge, shelf
from w51_env.render.seating import Box
from w51_env.render.shapes import BOLD, Piece, area, at, drawings_in, money, rect, text, text_width, titled
from w51_env.render.strip import StripEntry, place_bid
from w51_env.views.language import words_of
from w51_env.views.view import View

TILE = 40  # width and height of an object
PAD = 10
_ROWS = 4  #  of a player's table
_SLOTS = 3  # objects of a type that bring the bonus
TINT = {"painting": "#ecdfc4", "sculpture": "#c9d6d2", "vase": "#e3e0ee", "clock": "#f1e3bf", "jewel": "#f0d8d0"}
_EDGE = {"painting": "#8a6428", "sculpture": "#56736c", "vase": "#6b6391", "clock": "#94691a", "jewel": "#a3564e"}


_drawings = partial(drawings_in, Path(__file__).with_name("drawings.toml"))
MONEY = _drawings("token")["money"]  # 26 x 18


@cache
def tile(kind: str) -> str:
    """An object, 40 x 40."""
    return rect(0.5, 0.5, 39, 39, TINT[kind], r=5, stroke=_EDGE[kind]) + at(4, 4, _drawings("object")[kind], 0.5)


def strip_entry(view: View, player: Any) -> StripEntry:
    """A player's money and bid, for the strip of a narrow picture."""
    words, lot = words_of(view.language), view.table["lot"]
    entry = partial(StripEntry, player["money"], words.number(player["money"]))
    if player["score"]:
        rank = player["score"]["rank"]
        return entry(f"{rank}.", strong=rank == 1)
    if lot is not None and lot["leader"] == player["seat"]:
        return entry(words.number(lot["standing_bid"]), strong=True)
    passed = lot is not None and lot["running"] and not player["bidding"]
    return entry(words("table.passed") if passed else "", weak=passed)


def place(view: View, seat: int, box: Box, columns: int, palette: Palette) -> Piece:
    """A player's place, with the types in this number of columns."""
    player = view.players[seat]
    body = place_frame(box.width, box.height, palette, view.seat == seat) + _header(view, player, box.width, palette)
    height = (box.height - HEADER - 6) / (_ROWS / columns)
    width = (box.width - 2 * PAD) / columns
    for index, (kind, count) in enumerate(player["objects"].items()):
        title = view.table["types"][kind]
        cards = [titled(title, tile(kind))] * count
        ink = palette.ink if count else palette.muted
        row = text(0, height / 2 - 4, title, 14.5, ink, width=62)
        row += text(0, height / 2 + 14, str(count), 16, ink, weight=BOLD)
        row += shelf(70, width - 10, height, (TILE, TILE), cards, palette, _SLOTS)
        body += at(PAD + 2 + width * (index % columns), HEADER + height * (index // columns), row)
    return Piece(box.x, box.y, box.width, box.height, area(f"buyer:{seat}", body, box.width, box.height))


def _header(view: View, player: Any, width: float, palette: Palette) -> str:
    words = words_of(view.language)
    seat = player["seat"]
    right, body = place_bid(strip_entry(view, player), width - PAD, palette)
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
        body += titled(words("alles_futsch.picture.selector"), at(round(start, 1), 9, crowbar(palette)))
    return seat_badge(PAD + 11, 19, seat, palette, view.seat == seat) + body
