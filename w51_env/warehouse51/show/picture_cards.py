"""Cards and tokens of Warehouse 51 as SVG: relics, crates, counterfeits, certificates, signs."""

from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from w51_env.pictures.paint import PAINT, Palette
from w51_env.pictures.shapes import BOLD, at, circle, drawings_in, path, rect, stroke, text
from w51_env.views.language import Words
from w51_env.views.view import View
from w51_env.warehouse51.show.view_parts import RelicView

TILE_WIDTH, TILE_HEIGHT = 36, 44  # of a small card; others are enlarged
LOT_WIDTH, LOT_HEIGHT = 148, 196

STRONG = {"blue": "#2d638e", "green": "#3b7546", "golden": "#956812", "red": "#a33a37"}  # legible under white text
TINT = {"blue": "#d3e0e9", "green": "#d8e5d2", "golden": "#f1e3bf", "red": "#f0d8d0"}
_SIGNS = {  # a shape for each category, so that colour is never the only sign
    "blue": "M0-5a5 5 0 1 0 .01 0z",
    "green": "M0-5.500L5.500 4.500h-11z",
    "golden": "M0-6L6 0 0 6-6 0z",
    "red": "M-4.600-4.600h9.200v9.200h-9.200z",
}
_ALIGNMENTS = {
    "blessed": "M0-6.500L1.700-1.700 6.500 0 1.700 1.700 0 6.500-1.700 1.700-6.500 0-1.700-1.700z",  # a star
    "cursed": "M1.500-6.500L-4 1h3.300L-2 6.500 4-1.500H.5z",  # a bolt
}


_drawings = partial(drawings_in, Path(__file__).with_name("drawings.toml"))
FIST, CERTIFICATE, MASK, PAWN = (_drawings("token")[name] for name in ("fist", "certificate", "mask", "pawn"))
_NAME = "warehouse51"


def sign(x: float, y: float, category: str, fill: str, scale: float = 1) -> str:
    """The shape of a category around a point."""
    return at(x, y, path(_SIGNS.get(category, _SIGNS["red"]), fill), scale)


def alignment_sign(x: float, y: float, alignment: str, fill: str, scale: float = 1) -> str:
    """The sign of a blessing or a curse around a point; nothing for a neutral relic."""
    return at(x, y, path(_ALIGNMENTS[alignment], fill), scale) if alignment in _ALIGNMENTS else ""


def relic_drawing(relic: str, category: str, weapon: bool) -> str:
    """The drawing of a relic, 64 x 64; of one that has none, that of weapons or of its category."""
    return _drawings("relic").get(relic) or _drawings("fallback")["weapon" if weapon else category]


def tile(relic: RelicView, pawned: bool = False, certified: bool = False, fake: bool = False) -> str:
    """A small card of a relic, 36 x 44; `fake`: the viewer knows its counterfeit card."""
    face = _face(relic["id"], relic["category"], relic["value"], relic["alignment"], relic["weapon"])
    if pawned:
        face += _PAWNED
    if certified:
        face += _CERTIFIED
    return face + _FAKE if fake else face


def tiles(view: View) -> list[str]:
    """A small card of each relic of the game, in their order."""
    return [tile(relic) for relic in view.table["relics"].values()]


_PAWNED = f'<rect x="1" y="1" width="34" height="31" rx="4" fill="{PAINT["ink"]}" opacity=".5"/>'
_PAWNED += at(17, 1.5, PAWN, 0.72)
_CERTIFIED = at(1, 1, CERTIFICATE, 0.75)
_FAKE = at(1, 19, MASK, 0.7)


@lru_cache(maxsize=256)
def _face(relic: str, category: str, value: int, alignment: str, weapon: bool) -> str:
    colour = STRONG[category]
    return (
        rect(0.5, 0.5, 35, 43, TINT[category], r=4, stroke=colour)
        + at(4.5, 2, relic_drawing(relic, category, weapon), 27 / 64)
        + path("M.5 30h35v10a3.5 3.5 0 0 1-3.5 3.5h-28A3.5 3.5 0 0 1 .5 40z", colour)
        + text(7.5, 41.8, str(value), 14.5, "#fff", weight=BOLD, anchor="middle")
        + alignment_sign(18, 36.8, alignment, "#fff", 0.8)
        + sign(28.5, 36.8, category, "#fff", 0.75)
    )


@lru_cache(maxsize=64)
def _lot_face(relic: str, category: str, value: int, alignment: str, weapon: bool) -> str:
    colour = STRONG[category]
    return (
        rect(1, 1, LOT_WIDTH - 2, LOT_HEIGHT - 2, TINT[category], r=10, stroke=colour, line=2)
        + circle(LOT_WIDTH / 2, 14, 5, PAINT["paper"], stroke=colour, line=2)  # the hole of the tag
        + at(16, 27, relic_drawing(relic, category, weapon), 116 / 64)
        + path("M1 154h146v32a9 9 0 0 1-9 9H10a9 9 0 0 1-9-9z", colour)
        + text(28, 186, str(value), 32, "#fff", weight=BOLD, anchor="middle")
        + alignment_sign(LOT_WIDTH / 2, 174.5, alignment, "#fff", 2)
        + sign(120, 174.5, category, "#fff", 1.9)
    )


def lot_card(relic: RelicView, height: float, fake: bool) -> str:
    """The large card of a relic at (0, 0), `height` high."""
    body = _lot_face(relic["id"], relic["category"], relic["value"], relic["alignment"], relic["weapon"])
    if fake:
        body += at(8, 8, MASK, 1.7)
    return at(0, 0, body, round(height / LOT_HEIGHT, 3))


def empty_lot(height: float, phase: str, palette: Palette) -> str:
    """The outline of the large card, while there is no lot, with the token of what is decided at the end."""
    body = (
        f'<rect x="2" y="2" width="{LOT_WIDTH - 4}" height="{LOT_HEIGHT - 4}" rx="10" fill="none" '
        f'stroke="{palette.muted}" stroke-width="2" stroke-dasharray="7 7"/>'
    )
    if phase in _TOKENS:
        token, width, depth = _TOKENS[phase]
        scale = 84 / width
        body += at(LOT_WIDTH / 2 - 42, round(LOT_HEIGHT / 2 - depth * scale / 2, 1), token, round(scale, 3))
    else:
        body += text(LOT_WIDTH / 2, 122, "?", 72, palette.muted, weight=BOLD, anchor="middle")
    return at(0, 0, body, round(height / LOT_HEIGHT, 3))


_TOKENS = {"redeem": (PAWN, 24, 23), "certify": (CERTIFICATE, 20, 21), "cancel": (MASK, 20, 15)}  # width and height


def crate(category: str, count: int, palette: Palette) -> str:
    """A deck, 58 x 64: a crate with the sign of its category and the number of relics left; empty, an outline."""
    if not count:
        return (
            f'<rect x="1" y="15" width="56" height="48" rx="3" fill="none" stroke="{palette.muted}" '
            'stroke-width="1.500" stroke-dasharray="4 4"/>' + sign(20, 40, category, palette.muted, 1.3)
        ) + text(41, 46, "0", 18, palette.muted, weight=BOLD, anchor="middle")
    return _crate(category) + text(40, 47, str(count), 20, "#fff", weight=BOLD, anchor="middle")


@cache
def _crate(category: str) -> str:
    wood, bark, straw = PAINT["wood"], PAINT["bark"], PAINT["straw"]
    return (
        path("M6 4h46l6 11H0z", straw)
        + stroke("M17 4.500l-2 10M29 4.500v10M41 4.500l2 10", wood, 1.5)
        + rect(0, 15, 58, 49, wood, r=2)
        + path("M0 29h58v2H0zM0 46h58v2H0z", bark)
        + rect(5, 21, 48, 37, STRONG[category], r=3)
        + sign(19, 40, category, "#fff", 1.5)
        + circle(2.7, 18, 1, straw)
        + circle(55.3, 18, 1, straw)
        + circle(2.7, 61, 1, straw)
        + circle(55.3, 61, 1, straw)
    )


def hidden_card(height: float) -> str:
    """The back of a counterfeit card, `height` high."""
    return at(0, 0, _hidden_card(), round(height / TILE_HEIGHT, 3))


@cache
def _hidden_card() -> str:
    return (
        rect(0.5, 0.5, 35, 43, PAINT["plum"], r=4, stroke=PAINT["violet"])
        + rect(4, 4, 28, 36, "none", r=2, stroke=PAINT["violet"])
        + text(18, 30, "?", 22, PAINT["bone"], weight=BOLD, anchor="middle")
    )


def counterfeit_card(relic: RelicView | None, height: float, cancelled: bool = False) -> str:
    """A counterfeit card that the viewer may know, `height` high; None: a blank one."""
    paper, plum = PAINT["paper"], PAINT["plum"]
    body = rect(1, 1, 34, 42, paper, r=4, stroke=plum, line=2)
    if relic is not None:
        body += at(4, 3, relic_drawing(relic["id"], relic["category"], relic["weapon"]), 28 / 64)
        body += sign(8.5, 37, relic["category"], STRONG[relic["category"]], 0.75)
    body += at(15, 31, MASK, 0.7)
    if cancelled:
        body += stroke("M4 40L32 4", PAINT["red"], 3)
    return at(0, 0, body, round(height / TILE_HEIGHT, 3))


def card_text(view: View, relic_id: str, words: Words, owned: Any = None) -> str:
    """Lines: name; category and value; effect; how it was bought, `owned`; whether it may be a counterfeit."""
    relic = view.table["relics"][relic_id]
    lines = [relic["name"], f"{words(f'{_NAME}.category.' + relic['category'])} {relic['value']}"]
    if relic["weapon"]:
        lines.append(words(f"{_NAME}.rules.weapon"))
    if relic["effect"]:
        alignment = words(f"{_NAME}.alignment.{relic['alignment']}")
        lines.append(words("table.labelled", label=alignment, text=relic["effect_text"]))
    if owned is not None:
        lines += [words(f"{_NAME}.text.{key}") for key in ("pawned", "certified") if owned[key]]
        if owned["buyer"] is not None:
            buyer = view.players[owned["buyer"]]["name"]
            lines.append(words(f"{_NAME}.text.bought", seat=buyer, ingots=owned["price"]))
    return "\n".join([*lines, belief_text(view, relic_id, words)])


def belief_text(view: View, relic_id: str, words: Words) -> str:
    """What the viewer knows of the relic's counterfeit card."""
    belief = view.table["beliefs"][relic_id]
    if belief in (0, 1):
        return words(f"{_NAME}.card.{'fake' if belief else 'genuine'}")
    return words(f"{_NAME}.card.believed", percent=words.decimal(100 * belief, ".1f"))
