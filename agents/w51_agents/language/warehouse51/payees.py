"""Whom a seat pays, as texts name it."""

from w51_env.views.language import Words
from w51_env.views.view import View
from w51_env.warehouse51.show.payees import payment_key, seat_paid


def payee_name(view: View, winner: int, words: Words) -> str:
    """Who would be paid if a seat won the lot."""
    options = view.table["options"]
    payee = seat_paid(options["payment_to"], winner, view.num_players)
    return words(f"warehouse51.payee.{payment_key(options)}") if payee is None else str(view.players[payee]["name"])
