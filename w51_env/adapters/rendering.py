"""The render modes of the environments: a view as a text table, as pixels, or shown to a person."""

from collections.abc import Sequence
from typing import Any

from w51_env.pictures.raster import has_raster, rgb_array
from w51_env.pictures.window import Screen
from w51_env.views.language import ENGLISH, Words
from w51_env.views.text_table import table
from w51_env.views.view import View

HUMAN, ANSI, RGB_ARRAY = "human", "ansi", "rgb_array"
RENDER_MODES = (HUMAN, ANSI, RGB_ARRAY)
RENDER_FPS = 2  # pictures per second in windows and videos


def modes_here(modes: Sequence[str], chosen: str | None) -> list[str]:
    """The modes that can be rendered with the packages installed here, and the chosen one, which libraries try."""
    return [mode for mode in modes if mode != RGB_ARRAY or mode == chosen or has_raster()]


class Renderer:
    """Renders views in one mode. Only a picture asks for the package that draws: libraries may never render.

    Args:
        render_mode: `human`, `ansi`, `rgb_array` or None.
        language: One of `views.language.LANGUAGES`.

    Raises:
        OptionError: An unknown language.
    """

    def __init__(self, render_mode: str | None, language: str = ENGLISH):
        self._mode = render_mode
        self.words = Words(language)
        self._screen = Screen(RENDER_FPS) if render_mode == HUMAN else None

    def __call__(self, view: View) -> Any:
        """`ansi`: the text table; `rgb_array`: (720, 1280, 3) uint8, new; `human`: shows the view and returns None.

        Raises:
            RasterError: `rgb_array` without the package that draws pixels.
        """
        if self._mode == ANSI:
            return table(view)
        if self._mode == RGB_ARRAY:
            return rgb_array(view)
        if self._screen is not None:
            self._screen.show(view)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._screen is not None:
            self._screen.close()
