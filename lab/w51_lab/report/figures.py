"""Style and parts of figures: widths of a paper's column and page, colours that colour-blind readers distinguish."""

import re
from collections.abc import Mapping, Sequence
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

from w51_agents.system.files import write_atomic
from w51_env.engine.plain_data import is_clear
from w51_lab.report.values import Keywords
from w51_lab.statistics.records import Named

COLUMN, PAGE = 3.3, 6.8  # widths in inches
_ROW, _FRAME = 0.19, 0.75  # heights in inches: of an agent, and of what is above and below the agents
INK, FAINT, GRID = "#1d2126", "#68707a", "#dde1e6"
BETTER, WORSE = "#0072b2", "#d55e00"
# Okabe and Ito's colours without yellow and black, which are invisible on white or on dark, and two more.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1", "#7f7f7f")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_DOTS = 300  # of a PNG per inch
_MARGIN = 0.06  # inches around each part, as letters of the page may be wider than those of the figure
_PIXELS = 108  # of the page per inch
_MAX_NAME = 24  # in lower-case letters
_WIDE_LETTERS = frozenset("mw%@&")
# Variables of the page, so that a figure follows its theme.
_VARIABLES = {INK: "var(--ink)", FAINT: "var(--faint)", GRID: "var(--grid)"}
_FONTS = re.compile(r"'DejaVu Sans'[^;]*")
_REFERENCE = re.compile(r"url\(#")
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_STYLE: Keywords = {
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
    "text.parse_math": False,  # the name of an agent may contain dollars
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
    "pdf.fonttype": 42,  # fonts as TrueType, which editors of figures read
    "svg.fonttype": "none",  # text stays text: it is small, and a search finds it
    "svg.hashsalt": "arena",
}


@dataclass(frozen=True)
class Drawing:
    """A figure with its texts.

    Attributes:
        name: Name of its files, without the suffix.
        figure: The figure.
        caption: The text below it.
        alt: The text for readers who cannot see it.
    """

    name: str
    figure: Figure
    caption: str
    alt: str


@dataclass(frozen=True)
class Mark:
    """Colour, marker and label of one agent in every figure; the label is its name, shortened for figures."""

    colour: str
    marker: str
    label: str


Look = Mapping[str, Mark]  # of all agents, by name


def marks(agents: Sequence[str]) -> dict[str, Mark]:
    """A colour, a marker and a label for each agent; colour and marker together differ for up to 48 agents."""
    by_name: dict[str, Mark] = {}
    taken: set[str] = set()
    for index, name in enumerate(agents):
        label = short(name)
        if label in taken:  # the names differ only in the middle, which is left out
            label = f"{label} ({index + 1})"
        taken.add(label)
        by_name[name] = Mark(_COLOURS[index % len(_COLOURS)], _MARKERS[index // len(_COLOURS) % len(_MARKERS)], label)
    return by_name


def paper_style() -> AbstractContextManager[None]:
    """A context in which figures have the style of a paper, whatever the settings of the user are."""
    return style.context(["default", _STYLE])


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches, with no background of its own."""
    figure = Figure(figsize=(width, height), dpi=_DOTS, layout=ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN))
    figure.patch.set_alpha(0)
    return figure


def short(name: str, longest: float = _MAX_NAME) -> str:
    """A name without characters that cannot be printed; of a long one the beginning and the end."""
    plain = "".join(letter if is_clear(letter) else " " for letter in name)
    if _width(plain) <= longest:
        return plain
    size = len(plain) - 1
    while _width(plain[: size // 2] + plain[-(size - size // 2) :]) > longest - 1:
        size -= 1
    return f"{plain[: size // 2]}…{plain[-(size - size // 2) :]}"


def _width(text: str) -> float:
    """Width of a text, in lower-case letters."""
    return sum(
        2.0 if east_asian_width(letter) in "WF" else 1.4 if letter.isupper() or letter in _WIDE_LETTERS else 1.0
        for letter in text
    )


def agent_panels(
    agents: Sequence[Named],
    look: Look,
    panels: int = 1,
    columns: int = 1,
    width: float = PAGE,
    extra: float = 0.0,
) -> tuple[Figure, list[Axes]]:
    """A figure with a row for each agent, the first on top, in some panels, at most so many side by side.

    The first panel of a line has the names. `width` is that of the figure, `extra` an additional height of each line of
    panels, in inches.
    """
    columns = min(columns, panels)
    figure, drawn = panel_grid(panels, columns, width, _FRAME + extra + _ROW * len(agents))
    for index, axes in enumerate(drawn):
        plain_axes(axes)
        labels = [look[agent.name].label for agent in agents] if index % columns == 0 else []
        axes.set_yticks(range(len(labels)), labels)
        axes.set_ylim(len(agents) - 0.5, -0.5)
    return figure, drawn


def panel_grid(
    panels: int, columns: int, width: float, height: float, extra: float = 0.0, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of panels in lines of so many columns, each of a height in inches, and the panels."""
    lines = -(-panels // columns)
    figure = new_figure(width, height * lines + extra)
    grid = list(figure.subplots(lines, columns, squeeze=False, **shared).flat)
    for axes in grid[panels:]:
        axes.remove()
    return figure, grid[:panels]


def plain_axes(axes: Axes, grid: str = "x") -> None:
    """Faint lines along one axis, and no ticks on the other."""
    axes.grid(axis=grid)  # type: ignore[arg-type]
    axes.patch.set_alpha(0)
    axes.tick_params(axis="y" if grid == "x" else "x", length=0)


def reference_line(axes: Axes, at: float, label: str = "") -> None:
    """A dashed vertical line with its name above it."""
    axes.axvline(at, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    where: Keywords = {"xycoords": ("data", "axes fraction"), "xytext": (0, 2), "textcoords": "offset points"}
    axes.annotate(label, (at, 1), ha="center", va="bottom", color=FAINT, fontsize=7, **where)


def freeze_layout(figure: Figure) -> None:
    """Lay out the figure once, so that each way of writing it need not repeat it."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def write_figure(figure: Figure, path: Path) -> None:
    """Write the figure on a white background as PNG or PDF, atomically; the same figure gives the same bytes."""
    metadata = dict.fromkeys(("Software",) if path.suffix == ".png" else ("Creator", "Producer", "CreationDate"))
    write_atomic(path, lambda temporary: figure.savefig(temporary, facecolor="white", metadata=metadata))


def inline_svg(figure: Figure, name: str, alt: str) -> str:
    """The figure as an element of a page: the same bytes each time, with ids that are unique on the page."""
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
    """Unique ids, the colours and fonts of the page, and no XML name spaces, which HTML does not need."""
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
