"""Exceptions about input. Their messages name the thing, the value and what is allowed."""

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import Any

from w51_env.errors import FileError as FileError
from w51_env.errors import W51Error as W51Error


class IllegalActionError(W51Error):
    """An action that is not legal for the seat to move. The state has not changed."""


class GameOverError(W51Error):
    """An action in a game that is over, or a call that needs a game before the first reset."""


class OptionError(W51Error):
    """An unknown option or preset, or a value that is not allowed."""


class KeywordError(OptionError, TypeError):
    """An option or a render mode that the environment does not have.

    Libraries that try a keyword and go on without it expect a TypeError, as Python raises for an unexpected one.
    """


class ReplayError(W51Error):
    """A replay that is damaged, of another game, or does not lead to its recorded result."""


class MissingPackageError(W51Error):
    """A package that is not installed; the message names the extra that has it."""


class BatchInUseError(W51Error):
    """A call of a batch while another thread's call runs. The running call is not affected."""


_MAX_MISTAKES = 20  # that a message lists


def few(mistakes: Iterable[str]) -> list[str]:
    """The first mistakes, and that there are more: nobody reads thousands."""
    first = list(islice(mistakes, _MAX_MISTAKES + 1))
    return first if len(first) <= _MAX_MISTAKES else [*first[:-1], "and more mistakes"]


def nearest(word: Any, known: Iterable[Any]) -> str:
    """`" (did you mean 'x'?)"` for the known word nearest to `word`, or nothing. Numbers are not words."""
    if not isinstance(word, str):
        return ""
    matches = difflib.get_close_matches(word, [other for other in known if isinstance(other, str)], n=1)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def unknown(what: str, word: Any, known: Iterable[Any], more: str = "") -> str:
    """The message that there is no such word: the known ones, what else is allowed, and the nearest of them."""
    known = tuple(known)
    return f"{what} {word!r} is unknown; known are {', '.join(known) or 'none'}{more}{nearest(word, known)}"


NOT_BEGUN = "the games have not begun; call reset first"


def not_begun(call: str) -> GameOverError:
    """The error of a call before the first reset, when each state is a record of zeros."""
    return GameOverError(f"{call}: {NOT_BEGUN}")
