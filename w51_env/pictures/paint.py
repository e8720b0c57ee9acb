"""Colours. Objects on the table have the same paint in every theme; the table around them follows the theme."""

from dataclasses import dataclass, fields

from w51_env.engine.options import check_name

# Of drawings, by name: flat colours, most of them with a shade for the side away from the light.
PAINT = {
    "ink": "#35302b",
    "gold": "#e2ae45",
    "amber": "#b77f27",
    "straw": "#ecd08a",
    "bone": "#f4ead3",
    "sand": "#dcc9a1",
    "wood": "#a8723d",
    "bark": "#74492a",
    "steel": "#bac6cd",
    "iron": "#84929c",
    "stone": "#a19c92",
    "slate": "#77736c",
    "red": "#c2463d",
    "wine": "#8c2c2f",
    "coral": "#dd7a5d",
    "peach": "#f2ae83",
    "leaf": "#649a63",
    "moss": "#40704a",
    "blue": "#3a719f",
    "sky": "#a9cbdc",
    "violet": "#8d70a3",
    "plum": "#5d4470",
    "paper": "#fbf5e6",
}


@dataclass(frozen=True)
class Palette:
    """The colours of one theme, as SVG writes them.

    Attributes:
        floor: Behind everything.
        block: The table in the middle.
        panel: A player's place.
        line: Borders and empty places.
        ink, muted: Text, and text of less weight.
        accent, on_accent: The seat to move and the highest bid, and text on it.
    """

    floor: str
    block: str
    panel: str
    line: str
    ink: str
    muted: str
    accent: str
    on_accent: str


LIGHT = Palette("#e9e2d3", "#d9cfba", "#faf6ec", "#c3b79f", "#2c2722", "#5c5347", "#98390f", "#ffffff")
DARK = Palette("#191c1f", "#22272b", "#2b3136", "#4a535a", "#efe8da", "#b3aa9b", "#f0975a", "#221409")
_NAMES = tuple(field.name for field in fields(Palette))

# Follows the reader's system, or a page that sets the variables of `theme_css` itself.
AUTO = Palette(**{name: f"var(--w51-{name.replace('_', '-')},{getattr(LIGHT, name)})" for name in _NAMES})

THEMES = {"light": LIGHT, "dark": DARK, "auto": AUTO}


def palette_of(theme: str) -> Palette:
    """The palette of a theme. OptionError unless it is one of `THEMES`."""
    return THEMES[check_name("theme", theme, THEMES)]


def theme_css(theme: str) -> str:
    """The CSS declarations that give a picture of the theme `auto` the colours of `light` or `dark`."""
    palette = palette_of(theme)
    return "".join(f"--w51-{name.replace('_', '-')}:{getattr(palette, name)};" for name in _NAMES)


AUTO_STYLE = (
    f"<style>.w51-table{{{theme_css('light')}}}"
    f"@media (prefers-color-scheme:dark){{.w51-table{{{theme_css('dark')}}}}}</style>"
)
