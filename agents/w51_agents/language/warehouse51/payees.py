"""Whom a seat pays, as texts name it."""

from w51_env.views.language import Words
from w51_env.views.view import View
from w51_env.warehouse51.show.payees import seat_paid


def payee_name(view: View, winner: int, words: Words) -> str:
    """Who would be paid if a seat won the lot."""
    payment = view.table["options"]["payment_to"]
    payee = seat_paid(payment, winner, view.num_players)
    return words(f"warehouse51.payee.{payment}") if payee is None else str(view.players[payee]["name"])
