"""The notes of a player, which a prompt contains."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from w51_env.views.view import View


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


@dataclass
class Lot:
    """A lot, as the events tell of it; sentences of what became of it are its notes."""

    what: list[str]
    buyer: int | None = None
    price: int = 0
    payee: str = "-"
    bids: dict[int, str] = field(default_factory=dict)
    first_pass: int | None = None
    done: list[str] = field(default_factory=list)  #   bids and passes in order
    notes: list[str] = field(default_factory=list)
    is_over: bool = False

    def passed(self, seat: int, name: str) -> None:
        """A seat passes."""
        self.first_pass = seat if self.first_pass is None else self.first_pass
        self.done.append(f"{name} passed")

    def sold(self, buyer: int, price: int, payee: str = "-") -> None:
        """A seat buys it."""
        self.buyer, self.price, self.payee, self.is_over = buyer, price, payee, True


def name_of(view: View, seat: int | None, nobody: str = "-") -> str:
    """The name of a player; `nobody` for no seat."""
    return nobody if seat is None or seat < 0 else str(view.players[seat]["name"])


def doing(lots: Sequence[Lot]) -> str:
    """What has been done for the lot for auction; empty without one."""
    return ", ".join(lots[-1].done) if lots and not lots[-1].is_over else ""


def lot_lines(view: View, lots: Sequence[Lot], heads: str, notes: str, cells: Callable[[Lot], list[str]]) -> list[str]:
    """A line for each past lot with its `cells`, bids and notes, below one of headings; none without past lots."""
    names = " | ".join(f"highest bid of {player['name']}" for player in view.players)
    lines = [f"lot | {heads} | {names} | passed first | {notes}"]
    for number, lot in enumerate((lot for lot in lots if lot.is_over), 1):
        bids = [lot.bids.get(seat, "-") for seat in range(view.num_players)]
        first = name_of(view, lot.first_pass)
        lines.append(" | ".join([str(number), *cells(lot), *bids, first, "; ".join(lot.notes) or "-"]))
    return lines if len(lines) > 1 else []
