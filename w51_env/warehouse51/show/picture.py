"""The picture of a view of Warehouse 51 (`pictures.svg`)."""

from w51_env.pictures.paint import Palette
from w51_env.pictures.parts import INGOT
from w51_env.pictures.round_table import COLUMN, narrow_block, narrow_places, narrow_sheet, seat_strip, wide_sheet
from w51_env.pictures.seating import NARROW, Box
from w51_env.pictures.shapes import BOLD, Piece, Sheet, at, text
from w51_env.views.view import View
from w51_env.warehouse51.show import picture_block as block
from w51_env.warehouse51.show.picture_end import exposed, score_sheet, sheet_height
from w51_env.warehouse51.show.picture_places import place, strip_entry

_PLACE, _LOT, _SUPPLY = 164, 184, 154  # heights in a narrow picture
_MIN_TEXT = 13


def picture(view: View, palette: Palette, form: str) -> Sheet:
    """The picture in one of the forms of `pictures.seating`."""
    if form == NARROW:
        return _narrow(view, palette)
    middle = block.ending if view.over else block.middle
    return wide_sheet(view, palette, lambda circle: middle(view, circle.block, circle.corners, palette), place)


def _narrow(view: View, palette: Palette) -> Sheet:
    """Seats, then what is decided, the viewer's own place, and all else."""
    width = COLUMN
    own_place, *others = narrow_places(view, palette, place, _PLACE)
    gaps = narrow_block(78, _gaps(view, width, palette), palette)
    height = _LOT if view.phase == "reveal" else _SUPPLY  # what comes first is always as high
    top = 10 + (height - _SUPPLY) / 2
    crates = block.crates(view, (width - 4 * block.CRATE_STEP + 4) / 2, top, palette)
    below = block.supply(view, (width - block.SUPPLY_WIDTH) / 2, top + 74, palette)
    supply = [] if view.over else [narrow_block(height, crates + below, palette)]
    if view.over:
        first = [_ending(view, width, palette)]
    elif view.phase == "reveal":
        first, supply = supply, []
    else:
        box = Box(10, 10, width - 20, _LOT - 20)
        first = [narrow_block(_LOT, block.lot(view, box, palette, _MIN_TEXT), palette)]
    strip = seat_strip(view, strip_entry, INGOT, palette)
    return narrow_sheet(view, palette, (strip, *first, own_place), (*supply, gaps, *others), block.unsaid(view))


def _ending(view: View, width: float, palette: Palette) -> Piece:
    end = 6 + sheet_height(view)
    fakes = exposed(view, 10, end + 6, width - 20, palette)
    return narrow_block(end + (60 if fakes else 6), score_sheet(view, 6, 6, width - 12, palette) + fakes, palette)


def _gaps(view: View, width: float, palette: Palette) -> str:
    """The counterfeits of all gaps, each under the numbers of its two neighbours."""
    body = ""
    column = width / view.num_players
    for gap in view.table["gaps"]:
        centre = column * (gap["gap"] + 0.5)
        size = block.gap_width(view, gap["gap"], 44)
        label = "|".join(str(seat + 1) for seat in gap["seats"])
        body += text(centre, 20, label, 14.5, palette.muted, weight=BOLD, anchor="middle")
        body += at(round(centre - size / 2, 1), 27, block.gap_cards(view, gap["gap"], 44))
    return body
