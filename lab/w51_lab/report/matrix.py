"""A matrix of differences as a figure: blue is above zero, orange is below."""

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from w51_lab.report.figures import BETTER, COLUMN, FAINT, INK, PAGE, WORSE, new_figure

MAX_WITH_TEXT = 14  # columns; the cells of more have no text
_STRONGEST = 0.75  # opacity; text is legible on it, on white and on dark
_NARROW = 6  # columns that fit into a column of a paper
_HEAD = 0.35  # inches


def matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    unsure: set[tuple[int, int]],
    write: Callable[[float], str],
    texts: Sequence[Sequence[str | None]] | None = None,
    minimum: float = 0.1,
) -> Figure:
    """A figure of (rows, columns) cells with their values; the larger the value, the stronger the colour.

    Args:
        rows: Labels of the rows.
        columns: Labels of the columns.
        values: The values; None for an empty cell.
        unsure: (row, column) of the cells whose sign is uncertain.
        write: The text of a value.
        texts: Texts of the cells in place of the values.
        minimum: The strongest colour stands for the value furthest from zero, or for this one if it is further.
    """
    written = len(columns) <= MAX_WITH_TEXT
    width = COLUMN if len(columns) <= _NARROW else PAGE
    figure = new_figure(width, _HEAD + len(rows) * (0.24 if written else 0.17))
    axes = figure.subplots()
    furthest = max((abs(value) for line in values for value in line if value is not None), default=0.0)
    furthest = max(furthest, minimum)
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            is_unsure = (row, column) in unsure
            _cell(axes, row, column, value, furthest)
            if value is not None and written:
                text = write(value) if texts is None else texts[row][column] or ""
                text = f"({text})" if is_unsure else text
                axes.text(column, row, text, ha="center", va="center", fontsize=7, color=INK)
            elif value is not None and is_unsure:
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
    """A rectangle whose opacity shows the distance from zero, on any background."""
    if value is None:
        return
    strength = _STRONGEST * abs(value) / furthest
    colour = BETTER if value > 0 else WORSE
    axes.add_patch(Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, facecolor=colour, alpha=strength, linewidth=0))
