"""The points of all seats if a game ended now, with their reasons, as a table of data and as lines of text."""

from dataclasses import dataclass

from w51_env.views.language import words_of
from w51_env.views.view import View


@dataclass(frozen=True)
class ScoreCell:
    """A number of the table.

    Attributes:
        text: The number.
        reason: Why it is what it is.
        strong: It is a highest one.
        doubtful: Something that the viewer does not know may change it.
    """

    text: str
    reason: str = ""
    strong: bool = False
    doubtful: bool = False


@dataclass(frozen=True)
class ScoreTable:
    """The points of all seats, in the language of a view.

    Attributes:
        title: What is counted.
        rows: Label, and a cell for each seat.
        notes: Sentences below the table.
        lot: Sentences on the lot: who is paid, and what it would bring the viewer.
        decides: Index of the row by which one wins.
        ledger: Number of first rows that say where all money came from and went.
    """

    title: str
    rows: list[tuple[str, list[ScoreCell]]]
    notes: list[str]
    lot: list[str]
    decides: int = 0
    ledger: int = 0


def score_of(view: View) -> ScoreTable | None:
    """The points of all seats if the game ended now; None if the game has no table of points."""
    make = view.rendering.score_table
    return None if make is None else make(view, words_of(view.language))


def score_lines(view: View) -> list[str]:
    """The points of all seats if the game ended now, with their reasons, and what the lot would bring; empty if the
    game has no table of points.
    """
    if (score := score_of(view)) is None:
        return []
    words = words_of(view.language)
    lines = [score.title]
    for index, player in enumerate(view.players):
        lines += ["", player["name"]]
        for label, cells in score.rows:
            cell = cells[index]
            number = cell.text + ("*" if cell.doubtful else "") + (f" ({cell.reason})" if cell.reason else "")
            lines.append("  " + words("table.labelled", label=label, text=number))
    return [*lines, "", *score.notes, *score.lot]


def lot_lines(view: View) -> list[str]:
    """Who would be paid for the lot, and what it would bring the viewer; empty if the game has no table of points."""
    score = score_of(view)
    return score.lot if score is not None else []
