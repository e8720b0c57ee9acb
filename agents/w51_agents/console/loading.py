"""A line that says at once that a command is loading: its modules and compiled rules take a second or more."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_LINE = "w51_env: loading ..."


@contextmanager
def loading() -> Iterator[None]:
    """Show the line on the standard error stream, if that is a terminal, until the block ends."""
    stream = sys.stderr
    is_shown = stream is not None and stream.isatty()
    if is_shown:
        stream.write(f"{_LINE}\r")
        stream.flush()
    try:
        yield
    finally:
        if is_shown:
            stream.write(f"\r{' ' * len(_LINE)}\r")
            stream.flush()
