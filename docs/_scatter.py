"""A scatter plot whose points have names beside them: no name covers a point, an interval or another name."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from docs._svg import Colour, colour_of, svg_file
from w51_lab.report.figures import FAINT, new_figure, paper_style, plain_axes

_SIZE = (6.8, 4.2)  # inches
_ROOM = 1.12  #        a reader's font may be wider than the one that is measured
_NEAR = 14  #          points; a name that is further from its point has a line to it


class NamedPoint(NamedTuple):
    """A point with an interval."""

    name: str
    x: float
    y: float
    low: float
    high: float
    hollow: bool


def scatter(points: Sequence[NamedPoint], name: str, alt: str, x_label: str, y_label: str, line: float) -> bytes:
    """An SVG file that follows the theme of its reader; `line` is a horizontal reference line, x is logarithmic."""
    with paper_style():
        figure = new_figure(*_SIZE)
        axes = figure.subplots()
        plain_axes(axes, "y")
        axes.axhline(line, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        colours = [colour_of(index, len(points)) for index in range(len(points))]
        for colour, point in zip(colours, points, strict=True):
            errors = [[point.y - point.low], [point.high - point.y]]
            face = "none" if point.hollow else colour
            axes.errorbar(point.x, point.y, errors, fmt="o", color=colour, markerfacecolor=face, capsize=2.5)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(min(point.x for point in points) / 2.5, 6 * max(point.x for point in points))
        axes.set(xlabel=x_label, ylabel=y_label)
        figure.draw_without_rendering()  # settles where the points are
        _name(axes, points, colours)
        figure.set_layout_engine("none")
        return svg_file(figure, name, alt)


def _name(axes: Axes, points: Sequence[NamedPoint], colours: Sequence[Colour]) -> None:
    """Write each name, in the colour of its point, at the nearest place that is free."""
    to_points = 72 / axes.figure.dpi
    frame = axes.get_window_extent()
    taken = [_interval(axes, point, to_points) for point in points]
    for colour, point in zip(colours, points, strict=True):
        x, y = axes.transData.transform((point.x, point.y)) * to_points
        text = axes.annotate(point.name, (point.x, point.y), size=8)
        box = text.get_window_extent()
        text.remove()
        width, height = box.width * to_points * _ROOM, box.height * to_points
        for dx, dy in _places(width, height):
            place = Bbox.from_bounds(x + dx, y + dy, width, height)
            inside = (frame.x0 * to_points < place.x0) & (place.x1 < frame.x1 * to_points)
            inside &= (frame.y0 * to_points < place.y0) & (place.y1 < frame.y1 * to_points)
            if inside and not place.count_overlaps(taken):
                break
        taken.append(place)
        far = min(abs(dx), abs(dx + width)) > _NEAR or abs(dy + height / 2) > _NEAR
        arrow = {"arrowstyle": "-", "color": FAINT, "linewidth": 0.6, "shrinkB": 3} if far else None
        axes.annotate(
            point.name, (point.x, point.y), (dx, dy), textcoords="offset points", size=8, color=colour, arrowprops=arrow
        )


def _interval(axes: Axes, point: NamedPoint, to_points: float) -> Bbox:
    """What a point and its interval cover, in points of the page."""
    ends = axes.transData.transform([(point.x, point.low), (point.x, point.high), (point.x, point.y)]) * to_points
    (x, low), (_, high), (_, y) = ends
    return Bbox.from_extents(x - 4, min(low, y - 4), x + 4, max(high, y + 4))


def _places(width: float, height: float) -> Iterator[tuple[float, float]]:
    """Offsets of the lower left corner of a name from its point, the nearest first."""
    beside = sorted(product((7, 16, 28, 42, 60, 80), range(-90, 91, 5)), key=lambda at: at[0] + abs(at[1]))
    for away, up in beside:
        yield away, up - height / 2
        yield -away - width, up - height / 2
