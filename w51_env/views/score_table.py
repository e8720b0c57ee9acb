"""The points of all seats as a table with the reason of each number: now, and at the end."""

from dataclasses import dataclass


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
    """

    title: str
    rows: list[tuple[str, list[ScoreCell]]]
    notes: list[str]
    lot: list[str]
    decides: int = 0
