"""The picture of a view of Warehouse 51 (`render.svg`)."""

from w51_env.render.paint import Palette
from w51_env.render.parts import narrow_headline, narrow_news
from w51_env.render.round_table import SPACE, narrow_places, wide_sheet
from w51_env.render.seating import NARROW, NARROW_WIDTH, Box
from w51_env.render.shapes import BOLD, Piece, Sheet, at, rect, text
from w51_env.views.view import View
from w51_env.warehouse51.show import picture_block as block
from w51_env.warehouse51.show.picture_end import exposed, score_sheet, sheet_height
from w51_env.warehouse51.show.picture_places import place

_PLACE, _LOT = 148, 184  # heights of a place and of the lot in a narrow picture


def picture(view: View, palette: Palette, form: str) -> Sheet:
    """The picture in one of the forms of `render.seating`."""
    if form == NARROW:
        return _narrow(view, palette)
    middle = block.ending if view.over else block.middle
    return wide_sheet(view, palette, lambda circle: middle(view, circle.block, circle.corners, palette), place)


def _narrow(view: View, palette: Palette) -> Sheet:
    width = NARROW_WIDTH - 2 * SPACE
    blocks: list[Piece] = [narrow_headline(view, palette)]
    y = blocks[0].height

    def add(height: float, body: str) -> None:
        nonlocal y
        blocks.append(Piece(SPACE, y, width, height, body))
        y += height + SPACE

    if view.over:
        sheet, end = score_sheet(view, 6, 6, width - 12, palette), 6 + sheet_height(view)
        fakes = exposed(view, 10, end + 6, width - 20, palette)
        height = end + (60 if fakes else 6)
        add(height, rect(0, 0, width, height, palette.block, r=12) + sheet + fakes)
    else:
        add(
            _LOT,
            rect(0, 0, width, _LOT, palette.block, r=12) + block.lot(view, Box(10, 10, width - 20, _LOT - 20), palette),
        )
        supply = block.crates(view, (width - 253) / 2, 10, palette) + block.supply(view, (width - 210) / 2, 84, palette)
        add(154, rect(0, 0, width, 154, palette.block, r=12) + supply)
    add(78, rect(0, 0, width, 78, palette.block, r=12) + _gaps(view, width, palette))
    places, low = narrow_places(view, palette, place, y, _PLACE)
    news, low = narrow_news(view, low, palette, skip=block.unsaid(view))
    return Sheet(NARROW_WIDTH, round(low), [*blocks, *places, *news])


def _gaps(view: View, width: float, palette: Palette) -> str:
    """The counterfeits of all gaps, each under the numbers of its two neighbours."""
    body = ""
    column = width / view.num_players
    for gap in view.table["gaps"]:
        centre = column * (gap["gap"] + 0.5)
        size = block.gap_width(view, gap["gap"], 44)
        label = "|".join(str(seat) for seat in gap["seats"])
        body += text(centre, 20, label, 14, palette.muted, weight=BOLD, anchor="middle")
        body += at(round(centre - size / 2, 1), 27, block.gap_cards(view, gap["gap"], 44))
    return body
