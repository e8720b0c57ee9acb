"""The style of the figures: as wide as a column or a page of a paper, in colours that the colour-blind tell apart too."""

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width
from xml.etree import ElementTree

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from agents.files import write_whole

COLUMN, PAGE = 3.3, 6.8  #  inches
INK, FAINT, GRID = "#1d2126", "#68707a", "#dde1e6"
BETTER, WORSE = "#0072b2", "#d55e00"
#  Okabe and Ito's colours without yellow and black, which vanish on white and on dark, and two more.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_DOTS = 300  #  of a PNG to an inch
_MARGIN = 0.06  #  inches around each part, for letters of a page that are wider than those of the figure
_PIXELS = 108  #  of the page to an inch
_LONGEST_NAME = 24  #  in small letters
_WIDE_LETTERS = frozenset("mw%@&")
_VARIABLES = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    GRID: "var(--grid)",
}  #  of the page, so that a figure follows its theme
_FONTS = re.compile(r"'DejaVu Sans'[^;]*")
_REFERENCE = re.compile(r"url\(#")
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_STYLE: dict[str, Any] = {
    "savefig.dpi": "figure",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "text.color": INK,
    "text.parse_math": False,  #  the name of an agent may hold dollars
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",  #  words stay words: small, and found by a search
    "svg.hashsalt": "arena",
}


@dataclass(frozen=True)
class Drawing:
    """A figure with what is said of it.

    Attributes:
        name: Of its PNG, without the suffix.
        caption: Printed below it.
        alt: For one who cannot see it.
    """

    name: str
    figure: Figure
    caption: str
    alt: str


@dataclass(frozen=True)
class Mark:
    """How one agent is drawn and called in every figure; the label is its name, short enough for a figure."""

    colour: str
    marker: str
    label: str


def marks(agents: Sequence[str]) -> dict[str, Mark]:
    """A colour, a marker and a label for each agent, in any order of agents the same; colour and marker together differ up to 48 agents."""
    found: dict[str, Mark] = {}
    taken: set[str] = set()
    for place, name in enumerate(agents):
        label = short(name)
        if label in taken:  # the middle, which is left out, is all that differs
            label = f"{label} ({place + 1})"
        taken.add(label)
        found[name] = Mark(_COLOURS[place % len(_COLOURS)], _MARKERS[place // len(_COLOURS) % len(_MARKERS)], label)
    return found


def paper_style() -> AbstractContextManager[None]:
    """Within it figures are drawn and written in the style of a paper, whatever the settings of the user."""
    return style.context(["default", _STYLE])  # type: ignore[list-item]


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches, with no background of its own."""
    figure = Figure(figsize=(width, height), dpi=_DOTS, layout=ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN))
    figure.patch.set_alpha(0)
    return figure


def short(name: str, longest: float = _LONGEST_NAME) -> str:
    """A name for a figure: without what is not printed, and of a long one the beginning and the end."""
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    if _room(plain) <= longest:
        return plain
    size = len(plain) - 1
    while _room(plain[: size // 2] + plain[-(size - size // 2) :]) > longest - 1:
        size -= 1
    return f"{plain[: size // 2]}…{plain[-(size - size // 2) :]}"


def _room(text: str) -> float:
    """How much of a line a text takes, in small letters."""
    return sum(
        2.0 if east_asian_width(letter) in "WF" else 1.4 if letter.isupper() or letter in _WIDE_LETTERS else 1.0
        for letter in text
    )


def plain_axes(axes: Axes, grid: str = "x") -> None:
    """Faint lines along one axis, and no ticks on the other, which has names."""
    axes.grid(axis=grid)  # type: ignore[arg-type]
    axes.patch.set_alpha(0)
    axes.tick_params(axis="y" if grid == "x" else "x", length=0)


def equal_share_line(axes: Axes, at: float, label: str = "equal share", upright: bool = True) -> None:
    """A dashed line of reference with its name at the end."""
    line = axes.axvline if upright else axes.axhline
    line(at, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    where: dict[str, Any] = (
        {"xy": (at, 1), "xycoords": ("data", "axes fraction"), "xytext": (0, 2), "ha": "center", "va": "bottom"}
        if upright
        else {"xy": (1, at), "xycoords": ("axes fraction", "data"), "xytext": (-1, 2), "ha": "right", "va": "bottom"}
    )
    axes.annotate(label, textcoords="offset points", color=FAINT, fontsize=7, **where)


def settle(figure: Figure) -> None:
    """Lay out once and for all what a figure holds, so that each way of writing it need not do it again."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def write_png(figure: Figure, path: Path) -> None:
    """The figure on white, whole or not at all."""
    write_whole(path, lambda temporary: figure.savefig(temporary, facecolor="white", metadata={"Software": None}))


def inline_svg(figure: Figure, name: str, alt: str) -> str:
    """The figure as an element of a page: the same bytes each time, and no id that another figure of the page has."""
    buffer = BytesIO()
    figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    root = ElementTree.fromstring(buffer.getvalue())
    for metadata in root.findall(f"{_SVG}metadata"):
        root.remove(metadata)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", alt)
    root.set("style", f"width: {_PIXELS * figure.get_figwidth():.0f}px")
    for element in root.iter():
        _fit_to_page(element, name)
    return ElementTree.tostring(root, encoding="unicode")


def _fit_to_page(element: ElementTree.Element, prefix: str) -> None:
    """Names of its own for what is referred to, the colours and fonts of the page, no name spaces (which HTML knows)."""
    element.tag = element.tag.removeprefix(_SVG)
    for attribute, value in list(element.attrib.items()):
        if attribute == "id":
            element.set(attribute, f"{prefix}-{value}")
        elif attribute.endswith("href"):
            del element.attrib[attribute]
            element.set(attribute.removeprefix(_XLINK), value.replace("#", f"#{prefix}-", 1))
        elif attribute == "clip-path":
            element.set(attribute, _REFERENCE.sub(f"url(#{prefix}-", value))
        elif attribute == "style" and element.tag != "svg":
            for colour, variable in _VARIABLES.items():
                value = value.replace(colour, variable)
            element.set(attribute, _FONTS.sub("var(--font)", value))
