"""SVG files of figures that follow the theme of their reader, light or dark."""

import colorsys

import numpy as np
from matplotlib.figure import Figure

from w51_lab.report.figures import inline_svg

Colour = tuple[float, float, float]  # red, green, blue, 0 to 1

_PIXELS = 108  # per inch
_LUMINANCE, _BRIGHT = (0.2126, 0.7152, 0.0722), 0.18  # WCAG: contrast of 4.5 to white, 4 to the dark page
_THEME = """
:root { --ink: #1d2126; --faint: #68707a; --grid: #dde1e6; --page: #ffffff; }
text { --font: system-ui, "DejaVu Sans", sans-serif; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --faint: #98a2ad; --grid: #30363d; --page: #14171a; } }
svg { background: var(--page); }
"""


def svg_file(figure: Figure, name: str, alt: str) -> bytes:
    """The content of an SVG file; `name` begins its ids, `alt` is read aloud."""
    drawn = inline_svg(figure, name, alt)
    width, height = (round(_PIXELS * inches) for inches in figure.get_size_inches())
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
    return f"{head}{drawn.removeprefix('<svg ')}".replace(">", f"><style>{_THEME}</style>", 1).encode() + b"\n"


def colour_of(index: int, count: int) -> Colour:
    """One of so many colours that differ, each as bright as is legible on white and on black."""
    colours = (colorsys.hls_to_rgb(index / count, lightness / 100, 0.7) for lightness in range(20, 80))
    return next(colour for colour in colours if np.dot(np.power(colour, 2.2), _LUMINANCE) >= _BRIGHT)
