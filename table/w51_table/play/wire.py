"""Standard input and output as the wire of a protocol, which nothing else of this process or its children touches."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO


@contextmanager
def wire() -> Iterator[None]:
    """Inside, only `sys.stdin.buffer` and `sys.stdout.buffer` are the standard input and output.

    What is printed goes to the standard error stream. That holds for code in any language and for processes that start
    later: the descriptors 0 and 1 are replaced.
    """
    sys.stdout.flush()
    streams = sys.stdin, sys.stdout
    sys.stdin = _Stream(sys.stdin, os.fdopen(os.dup(0), "rb"))
    sys.stdout = _Stream(sys.stdout, os.fdopen(os.dup(1), "wb"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdin, sys.stdout = streams


class _Stream:
    """A text stream whose `buffer` is the wire; text itself goes where it went."""

    def __init__(self, text: Any, buffer: BinaryIO):
        self._text, self.buffer = text, buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._text, name)
