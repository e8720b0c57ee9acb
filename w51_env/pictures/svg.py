"""The picture of a view as SVG: self-contained, and the same bytes for the same view."""

from collections.abc import Sequence

from w51_env.engine.options import check_choice
from w51_env.pictures import generic
from w51_env.pictures.paint import AUTO_STYLE, palette_of
from w51_env.pictures.seating import FORMS, NARROW, WIDE
from w51_env.pictures.shapes import FONT_FAMILY, NORMAL, Piece, Sheet, at, clean, rect
from w51_env.views.view import View

_FONTS = f"'{FONT_FAMILY}','Roboto Condensed','Liberation Sans Narrow','Arial Narrow',sans-serif"
_LOT = 'data-part="lot"'


class Svg(str):
    """A picture as SVG; a notebook shows one at the end of a cell."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def draw(view: View, *, theme: str = "light", form: str = WIDE, headline: bool = True) -> Svg:
    """The picture of a view.

    Args:
        view: What the picture shows; its texts are in the language of the view.
        theme: `light`, `dark`, or `auto`: that of the reader's system, in a browser.
        form: `wide`, 1280 x 720; or `narrow`, 400 wide.
        headline: With the block along the top; a page that says the same elsewhere leaves it out.

    Raises:
        OptionError: An unknown theme or form.
    """
    sheet = lay_out(view, theme, form)
    top = 0 if headline else round(sheet.blocks[0].height)
    box = Piece(0, top, sheet.width, sheet.height - top, "")
    return _drawn(view, sheet.blocks[bool(top) :], box, theme, f' data-fold="{sheet.fold:g}"' if sheet.fold else "")


def draw_lot(view: View, *, theme: str = "light") -> Svg:
    """The part of the narrow picture of a view that shows the lot: a game at a glance, legible where there is little
    room; the whole picture where no part shows one.
    """
    sheet = lay_out(view, theme, NARROW)
    lot_block = next((block for block in sheet.blocks if _LOT in block.body), None)
    return draw(view, theme=theme, form=NARROW) if lot_block is None else _drawn(view, [lot_block], lot_block, theme)


def _drawn(view: View, blocks: Sequence[Piece], box: Piece, theme: str, attributes: str = "") -> Svg:
    """Blocks of a picture on the floor, within a box."""
    x, y, width, height, _ = box
    label = clean(f"{view.title}: {view.headline}").replace('"', "&quot;")
    body = "".join(at(block.x, block.y, block.body) for block in blocks)
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="w51-table" viewBox="{x:g} {y:g} {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}"{attributes} role="img" aria-label="{label}" '
        f'font-family="{_FONTS}" font-weight="{NORMAL}" font-kerning="none" '
        'fill-rule="evenodd" stroke-linecap="round" stroke-linejoin="round">'
        f"{AUTO_STYLE if theme == 'auto' else ''}{rect(x, y, width, height, palette_of(theme).floor)}{body}</svg>"
    )


def lay_out(view: View, theme: str, form: str) -> Sheet:
    """The blocks of the picture; arguments as for `draw`."""
    palette = palette_of(theme)
    check_choice("form", form, FORMS)
    sheet: Sheet = (view.rendering.picture or generic.picture)(view, palette, form)
    return sheet
