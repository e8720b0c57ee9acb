"""`render_mode="human"`: pictures in a window where there is a display, the text table where there is none."""

import os
import sys
from typing import Any

from w51_env.pictures.raster import RasterError, check_raster, rgb_array
from w51_env.views import text_table
from w51_env.views.view import View


class Screen:
    """Shows views to a person.

    The window needs a display and the packages of the extra `render`; without them each view is printed. A window that
    its user closes stays closed, and nothing more is shown.

    Args:
        fps: The most pictures per second in the window.
    """

    def __init__(self, fps: int):
        self._fps = fps
        self._pygame: Any = None
        self._window: Any = None
        self._is_open = True
        self._prints = not has_display()

    def show(self, view: View) -> None:
        """Show one view; waits so long that there are at most `fps` pictures per second."""
        if not self._prints and self._window is None and self._is_open:
            self._open()
        if self._prints:
            text_table.show(view)
        elif self._is_open:
            self._draw(view)

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._pygame.display.quit()
        self._window = None
        self._is_open = False

    def _open(self) -> None:
        try:
            check_raster()
            import pygame

            pygame.display.init()
        except (RasterError, ImportError, RuntimeError):  # pygame.error is a RuntimeError
            self._prints = True
            return
        self._pygame, self._clock = pygame, pygame.time.Clock()

    def _draw(self, view: View) -> None:
        pygame, image = self._pygame, rgb_array(view)
        if self._window is None:
            self._window = pygame.display.set_mode(image.shape[1::-1], pygame.RESIZABLE)
            pygame.display.set_caption(view.title)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):  # this also lets a resized window settle
            self.close()
            return
        picture = pygame.surfarray.make_surface(image.swapaxes(0, 1))
        place = picture.get_rect().fit(self._window.get_rect())
        if place.size != picture.get_size():
            picture = pygame.transform.smoothscale(picture, place.size)
        self._window.fill(image[0, 0].tolist())
        self._window.blit(picture, place)
        pygame.display.flip()
        self._clock.tick(self._fps)


def has_display() -> bool:
    """Whether windows can be opened here: on Linux, if an X or Wayland display or a driver of SDL is named."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in names)
