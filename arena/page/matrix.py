"""A table of differences as a figure: blue is above zero, orange below, the stronger the further."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from arena.page.figures import BETTER, COLUMN, FAINT, INK, PAGE, WORSE, new_figure

MOST_WITH_TEXT = 14  # columns; more are told by their colour alone
_STRONGEST = 0.75  #  of the opacity: ink is read on it, on white and on dark
_NARROW = 6  #  columns that fit into a column of a paper
_HEAD = 0.35  #  inches


def matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    table: Sequence[Sequence[float | None]],
    doubtful: set[tuple[int, int]],
    write: Callable[[float], str],
    texts: Sequence[Sequence[str | None]] | None = None,
    least: float = 0.1,
) -> Figure:
    """A figure of (rows, columns) cells with their values, in colours that grow with the value.

    Args:
        rows: What stands before the rows.
        columns: What stands above the columns.
        table: The values; None where there is none.
        doubtful: (row, column) of the cells that say nothing sure.
        write: How a value is written, where there is room for it.
        texts: What is written instead.
        least: The strongest colour is that of the value furthest from zero, or of this one, so that noise stays pale.
    """
    written = len(columns) <= MOST_WITH_TEXT
    width = COLUMN if len(columns) <= _NARROW else PAGE
    figure = new_figure(width, _HEAD + len(rows) * (0.24 if written else 0.17))
    axes = figure.subplots()
    furthest = max((abs(value) for line in table for value in line if value is not None), default=0.0)
    furthest = max(furthest, least)
    for row, line in enumerate(table):
        for column, value in enumerate(line):
            unsure = (row, column) in doubtful
            _cell(axes, row, column, value, furthest)
            if value is not None and written:
                text = write(value) if texts is None else texts[row][column] or ""
                axes.text(column, row, f"({text})" if unsure else text, ha="center", va="center", fontsize=7, color=INK)
            elif value is not None and unsure:
                axes.plot(column, row, ".", color=FAINT, markersize=2)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.patch.set_alpha(0)
    if not written:
        axes.set_xlabel(f"the strongest colour is {write(furthest).lstrip('+')}", fontsize=7, color=FAINT)
    return figure


def _cell(axes: Axes, row: int, column: int, value: float | None, furthest: float) -> None:
    """Its opacity, not its lightness, tells how far a value is from zero, so that it does on any background."""
    if value is None:
        return
    strength = _STRONGEST * abs(value) / furthest
    colour = BETTER if value > 0 else WORSE
    axes.add_patch(Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, facecolor=colour, alpha=strength, linewidth=0))
