"""The notes of a player, which a prompt contains."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Briefing:
    """What a player would note down beside the table, in English; all of it is known to the viewer.

    Attributes:
        lots: A line for each past lot, below a line of headings: what it was, who bought it, for how much, who bid.
        lot: What has been done for the lot for auction, in order; empty without one.
        now: Lines on the points if the game ended now, and on what the viewer knows of the hidden.
        costs: What a legal action costs and who gets it, by its id.
    """

    lots: list[str]
    lot: str
    now: list[str]
    costs: dict[int, str]
