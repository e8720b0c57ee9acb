"""Standard input and output as the wire of a protocol, which nothing else of this process or its children touches."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO


class Wire:
    """The standard input and output at this moment. From then on, what is printed goes to the standard error stream.

    That holds for code in any language and for processes that start later: the descriptors 0 and 1 are replaced.
    """

    def __init__(self) -> None:
        sys.stdout.flush()
        self._input, self._output = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)

    @contextmanager
    def served(self) -> Iterator[None]:
        """A server that begins inside, on `sys.stdin.buffer` and `sys.stdout.buffer`, has the wire."""
        before = sys.stdin, sys.stdout
        sys.stdin, sys.stdout = _Stream(sys.stdin, self._input), _Stream(sys.stdout, self._output)  # type: ignore[assignment]
        try:
            yield
        finally:
            sys.stdin, sys.stdout = before


class _Stream:
    """A text stream whose `buffer` is the wire; text itself goes where it went."""

    def __init__(self, text: Any, buffer: BinaryIO):
        self._text, self.buffer = text, buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._text, name)
