"""What can go wrong, as exceptions that name the thing, the value and what is allowed."""

import difflib
from collections.abc import Iterable
from typing import Any


class W51Error(ValueError):
    """Base of every error this package raises about its input."""


class IllegalActionError(W51Error):
    """An action that the seat to move may not take. The state is as it was before the call."""


class GameOverError(W51Error):
    """A move in a game that is finished, or a call that needs a game before any has begun."""


class OptionError(W51Error):
    """An unknown option or preset, or a value that is not allowed."""


class ReplayError(W51Error):
    """A replay that is damaged, foreign, or does not lead where it says."""


def nearest(word: Any, known: Iterable[Any]) -> str:
    """`" (did you mean 'x'?)"` for the known word nearest to `word`, or nothing. Numbers are not words: -1 is not near 1."""
    if not isinstance(word, str):
        return ""
    matches = difflib.get_close_matches(word, [other for other in known if isinstance(other, str)], n=1)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def not_begun(call: str) -> GameOverError:
    """For a call that comes before the first reset, when there is no game yet but a record of zeros."""
    return GameOverError(f"{call}: the games have not begun; call reset first")
