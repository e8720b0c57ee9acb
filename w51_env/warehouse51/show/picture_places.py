"""The place of a player of Warehouse 51: ingots, tokens, the bid, and the collection by category."""

from functools import partial
from typing import Any

from w51_env.pictures.paint import Palette
from w51_env.pictures.parts import HEADER, INGOT, crowbar, place_frame, points_badge, seat_badge, shelf
from w51_env.pictures.round_table import StripEntry, place_bid
from w51_env.pictures.seating import Box
from w51_env.pictures.shapes import BOLD, Piece, area, at, card, fist, money, text, text_width, titled
from w51_env.views.language import words_of
from w51_env.views.view import View
from w51_env.warehouse51.show import picture_cards
from w51_env.warehouse51.show.picture_cards import CERTIFICATE, FIST, TILE_HEIGHT, TILE_WIDTH, card_text, sign, tile

_LABEL = 34  # width of the sign and the sum of a category
_PAD = 10
_WIDE = 4  # columns of a place along the bottom
_MOST_KNOWN = 280  # width of the counterfeit cards that the viewer knows
_HIDDEN = "?"  # a secret bid that the viewer does not know


def known_counterfeits(view: View) -> frozenset[str]:
    """Relics whose counterfeit card the viewer knows and that nobody has cancelled."""
    gaps = view.table["gaps"]
    return frozenset(relic for gap in gaps for relic in gap["relics"] if relic not in gap["cancelled"])


def strip_entry(view: View, player: Any) -> StripEntry:
    """A player's ingots and bid, for the strip of a narrow picture."""
    words = words_of(view.language)
    lot = view.table["lot"]
    ingots = player["ingots"]
    points = None if player["score"] else player["standing"]["total"]
    entry = partial(StripEntry, ingots, str(ingots), points=points)
    if player["score"]:
        return entry(str(player["score"]["total"]), strong=player["score"]["rank"] == 1, final=True)
    if lot is None or not lot["running"]:
        return entry()
    if player["bidding"] is False:
        return entry(words("table.passed"), weak=True)
    if lot["auction"] == "blind":
        hidden = _HIDDEN if player["has_bid"] else ""
        return entry(hidden if player["secret_bid"] is None else str(player["secret_bid"]), secret=True)
    return entry(str(player["bid"] or ""), strong=lot["leader"] == player["seat"])


def place(view: View, seat: int, box: Box, columns: int, palette: Palette) -> Piece:
    """A player's place, with the categories in this number of columns."""
    player = view.players[seat]
    body = place_frame(box.width, box.height, palette, view.seat == seat)
    body += _header(view, player, box.width, palette)
    categories = view.table["categories"]
    rows = -(-len(categories) // columns)
    height = (box.height - HEADER - 6) / rows
    known, room = _known_cards(view, seat, columns, box.height - HEADER - 6)
    body += at(box.width - _PAD - room, HEADER, known)
    width = (box.width - 2 * _PAD - room) / columns
    fakes = known_counterfeits(view)
    for index, category in enumerate(categories):
        x = _PAD + width * (index % columns)
        y = HEADER + height * (index // columns)
        body += at(x, y, _row(view, player, category, width - 8, height, fakes, palette))
    return Piece(box.x, box.y, box.width, box.height, body)


def _known_cards(view: View, seat: int, columns: int, height: float) -> tuple[str, float]:
    """The counterfeit cards that the viewer knows, large, in the viewer's own place; and the width that they take."""
    gaps = [gap for gap in view.table["gaps"] if gap["known"] and view.viewer == seat and not view.over]
    cards = [(gap, relic) for gap in gaps for relic in gap["relics"]]
    if not cards:
        return "", 0
    across = len(cards) if columns == _WIDE else -(-len(cards) // 2)
    size = min(height if columns == _WIDE else height / 2 - 2, _MOST_KNOWN / across * TILE_HEIGHT / TILE_WIDTH)
    step = round(size * TILE_WIDTH / TILE_HEIGHT + 4, 1)
    body = ""
    for index, (gap, relic) in enumerate(cards):
        face = picture_cards.counterfeit_card(view.table["relics"][relic], size, relic in gap["cancelled"])
        shown = area(f"gap:{gap['gap']}", card(card_text(view, relic, words_of(view.language)), face), step - 4, size)
        body += at(step * (index % across), (size + 4) * (index // across), shown)
    return body, step * across + 6


def _header(view: View, player: Any, width: float, palette: Palette) -> str:
    seat = player["seat"]
    words = words_of(view.language)
    right, body = _bid(view, player, width - _PAD, palette)
    count = str(player["ingots"])
    right = round(right - text_width(count, 19, BOLD), 1)
    body += text(right, 25, count, 19, palette.ink, weight=BOLD)
    right -= 26
    body += money(seat, player["ingots"], titled(words("warehouse51.points.ingots"), at(right, 9, INGOT)))
    for _ in range(player["certificates"]):
        right -= 23
        body += titled(words("warehouse51.picture.certificate"), at(right, 8, CERTIFICATE))
    if not player["score"]:
        badge = points_badge(right - 10, 9, player["standing"]["total"], palette)
        body += titled(words("warehouse51.picture.points"), badge)
        right -= 36
    left = _PAD + 28.0
    name = text(left, 25, player["name"], 17, palette.ink, weight=BOLD, width=right - left - 28)
    left += min(text_width(player["name"], 17, BOLD), right - left - 28) + 6
    if seat == view.table["revealer"] and not view.over:
        body += titled(words("warehouse51.picture.revealer"), at(left, 9, crowbar(palette)))
    return seat_badge(_PAD + 11, 19, seat, palette, view.seat == seat) + name + body


def _bid(view: View, player: Any, right: float, palette: Palette) -> tuple[float, str]:
    """What a seat has bid, or its points at the end, from the right edge; and where the next part ends."""
    entry = strip_entry(view, player)
    if entry.bid == _HIDDEN:
        return right - 36, fist(player["seat"], at(right - 30, 3, FIST, 0.75))
    end, drawing = place_bid(entry, right, palette)
    return end, fist(player["seat"], drawing) if entry.secret and drawing else drawing


def _row(
    view: View, player: Any, category: str, width: float, height: float, fakes: frozenset[str], palette: Palette
) -> str:
    """One category of a collection: its sign, the sum of its unpawned values, its cards, overlapping if need be."""
    relics = view.table["relics"]
    owned = [entry for entry in player["collection"] if relics[entry["relic"]]["category"] == category]
    total = sum(relics[entry["relic"]]["value"] for entry in owned if not entry["pawned"])
    ink = palette.ink if owned else palette.muted
    middle = height / 2
    body = sign(9, middle - 7, category, ink, 1.2)
    if owned:
        body += text(9, middle + 16, str(total), 15, ink, weight=BOLD, anchor="middle")
    cards = [
        card(
            card_text(view, entry["relic"], words_of(view.language), entry),
            tile(relics[entry["relic"]], entry["pawned"], entry["certified"], entry["relic"] in fakes),
            f"relic:{entry['relic']}",
        )
        for entry in owned
    ]
    return body + shelf(_LABEL - 8, width, height, (TILE_WIDTH, TILE_HEIGHT), cards, palette)
