"""A view as a text table: plain, or with colour for a terminal."""

import os
import sys
from typing import TextIO

from w51_env.views.language import Paint, Words
from w51_env.views.view import View

# ANSI codes of each style that the tables of the games name.
_STYLES = {
    "title": "1",
    "mover": "1",
    "name": "",
    "blue": "94",
    "green": "32",
    "golden": "33",
    "red": "91",
    "blessed": "2",
    "cursed": "35",
}


def table(view: View, *, colour: bool = False) -> str:
    """All that a view shows, as lines of text in its language.

    The game's `Rendering.table` makes them. Of a game without one, the table shows the slices of the observation.

    Args:
        view: What the viewer may know.
        colour: Put colours in, as ANSI codes. No colour is the only sign of anything.
    """
    words = Words(view.language, [player["name"] for player in view.players])
    lines = view.rendering.table or _slice_lines
    return "\n".join(lines(view, words, _painted if colour else _plain))


def explanation(view: View) -> list[str]:
    """The rules in short and the cards of the game, in the language of the view; empty if the game has none."""
    lines = view.rendering.explanation
    return lines(view, Words(view.language)) if lines else []


def show(view: View, stream: TextIO | None = None) -> None:
    """Print the table of a view, in colour where the stream (None: standard output) is a terminal that has it."""
    stream = stream or sys.stdout
    print(table(view, colour=has_colour(stream)), file=stream)


def has_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal with colour, and the user has not set NO_COLOR (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _plain(style: str, text: str) -> str:
    return text


def _painted(style: str, text: str) -> str:
    code = _STYLES[style]
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


def _slice_lines(view: View, words: Words, paint: Paint) -> list[str]:
    """Lines for a game that has no table of its own."""
    lines = [paint("title", words("table.labelled", label=view.title, text=view.headline))]
    for player in view.players:
        notes = [words("table.you")] if player["seat"] == view.viewer else []
        if player["score"] is not None:
            notes += [words("table.points", points=player["score"]["total"])]
            notes += [words("table.rank", rank=player["score"]["rank"])]
        lines.append(player["name"] + (f" ({', '.join(notes)})" if notes else ""))
        lines += [f"    {name}: {values}" for name, values in player.get("observation", {}).items()]
    return lines
