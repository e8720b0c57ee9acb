"""What can go wrong, as exceptions that name the thing, the value and what is allowed."""

import difflib
from collections.abc import Iterable


class W51Error(ValueError):
    """Base of every error this package raises about its input."""


class IllegalActionError(W51Error):
    """An action that the seat to move may not take. The state is as it was before the call."""


class GameOverError(W51Error):
    """A move in a game that is finished."""


class OptionError(W51Error):
    """An unknown option or preset, or a value that is not allowed."""


class RelicFileError(W51Error):
    """A relic file that cannot be used; every mistake in it is listed with its key."""


class ReplayError(W51Error):
    """A replay that is damaged, foreign, or does not lead where it says."""


def nearest(word: str, known: Iterable[str]) -> str:
    """`" (did you mean 'x'?)"` for the known word nearest to `word`, or nothing."""
    matches = difflib.get_close_matches(str(word), list(known), n=1)
    return f" (did you mean {matches[0]!r}?)" if matches else ""
