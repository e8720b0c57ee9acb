"""One line on a terminal that is redrawn in place."""

import os
from typing import IO

_ERASE = "\r\x1b[J"  #  to the start of the line; erase from there to the end of the screen
_DEFAULT_COLUMNS = 80


class StatusLine:
    """A line at the cursor of a terminal, cut to its width.

    The cursor stays at the start of the line. So if a smaller terminal wraps the line, the next call erases all of it.

    Args:
        stream: Stream of the terminal.
    """

    def __init__(self, stream: IO[str]):
        self._stream = stream

    @property
    def columns(self) -> int:
        """Number of characters that fit."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns - 1
        except (OSError, ValueError):
            return _DEFAULT_COLUMNS - 1

    def show(self, text: str) -> None:
        """Replace the line."""
        self._stream.write(f"{_ERASE}{text[: self.columns]}\r")
        self._stream.flush()

    def clear(self) -> None:
        """Erase the line."""
        self._stream.write(_ERASE)
        self._stream.flush()
