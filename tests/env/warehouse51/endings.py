"""The end of the game: a last auction that changes nothing, certificates already taken, and the seats asked then."""

from typing import Any

from tests.env.warehouse51.table import Table
from w51_env.warehouse51.state import NO_RELIC


def table_without_counterfeits(num_players: int = 4, *, last_winner: int | None = None, **options: Any) -> Table:
    """A table with no counterfeit cards; `last_winner` won the last auction that had a winner, nobody if None."""
    table = Table(num_players, **options).counterfeits()
    return table if last_winner is None else table.change(last_winner=last_winner)


def finish(table: Table, *choices: str) -> Table:
    """Nobody wants the last relic, and the end of the game begins; the choices are made there."""
    lot = next(
        relic
        for relic in table.relics.relics
        if relic.effect is None and not relic.weapon and table.owner(relic.id) < 0
    )
    table.decks(lot.id).play(f"choose_deck_{lot.category}")
    while table.phase == "open_auction":
        table.play("pass")
    return table.play(*choices)


def take_certificate(table: Table, giver: str, *, buyer: int, owner: int | None = None, pawned: bool = False) -> Table:
    """`buyer` has bought this relic and taken its certificate; `owner` has it now, the buyer if None."""
    token = table["certificate_from"].tolist().index(NO_RELIC)
    table.state["certificate_from"][token] = table.index(giver)
    table.state["buyer"][table.index(giver)] = buyer
    return table.give(buyer if owner is None else owner, giver, pawned=pawned)


def asked_in_turn(table: Table) -> list[int]:
    """The seats that are asked, one after the other, if all decline."""
    seats = []
    while not table.over:
        seats.append(table.seat)
        table.play("decline")
    return seats
