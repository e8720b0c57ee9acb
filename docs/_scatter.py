"""A scatter plot whose points have names beside them: no name covers a point, an interval or another name."""

import colorsys
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from w51_lab.report.figures import FAINT, inline_svg, new_figure, paper_style, plain_axes

Colour = tuple[float, float, float]  # red, green, blue, 0 to 1

_SIZE = (6.8, 4.2)  # inches
_PIXELS = 108  #       per inch
_ROOM = 1.12  #        a reader's font may be wider than the one that is measured
_NEAR = 14  #          points; a name that is further from its point has a line to it
_LUMINANCE, _BRIGHT = (0.2126, 0.7152, 0.0722), 0.18  # WCAG: contrast of 4.5 to white, 4 to the dark page
_THEME = """
:root { --ink: #1d2126; --faint: #68707a; --grid: #dde1e6; --page: #ffffff; }
text { --font: system-ui, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --faint: #98a2ad; --grid: #30363d; --page: #14171a; } }
svg { background: var(--page); }
"""


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
        colours = [_colour(index, len(points)) for index in range(len(points))]
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
        drawn = inline_svg(figure, name, alt)
    width, height = (round(_PIXELS * inches) for inches in _SIZE)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    return f"{head}{drawn.removeprefix('<svg ')}".replace(">", f"><style>{_THEME}</style>", 1).encode() + b"\n"


def _colour(index: int, count: int) -> Colour:
    """One of so many colours that differ, each as bright as is legible on white and on black."""
    colours = (colorsys.hls_to_rgb(index / count, lightness / 100, 0.7) for lightness in range(20, 80))
    return next(colour for colour in colours if np.dot(np.power(colour, 2.2), _LUMINANCE) >= _BRIGHT)


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
