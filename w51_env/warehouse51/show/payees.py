"""Who is paid for a relic, as views and sentences name them (T4, option `payment_to`)."""

from collections.abc import Mapping
from typing import Any

from w51_env.engine.game import Game
from w51_env.views.language import Words
from w51_env.views.view import View

_CLOCKWISE = {"left": 1, "right": -1}


def payee_for(game: Game, winner: int) -> int | None:
    """The one seat that would get the price; None if there is none."""
    return seat_paid(game.options["payment_to"], winner, game.num_players)


def payee_text(game: Game, words: Words, seat: int | None) -> str:
    """The seat by its name; without one the bank or all others, by the options."""
    return words.seat(seat) if seat is not None else words(f"warehouse51.payee.{payment_key(game.options)}")


def payment_key(options: Mapping[str, Any]) -> str:
    """Who is paid: `payment_to`, or `part` if the others get a part only."""
    return "part" if options["refund"] < 100 else str(options["payment_to"])


def seat_paid(payment: str, winner: int, num_players: int) -> int | None:
    """The seat that a winner pays, by the option `payment_to`; None: no seat alone."""
    step = _CLOCKWISE.get(payment)
    return None if step is None else (winner + step) % num_players


def payee_name(view: View, winner: int, words: Words) -> str:
    """Who would be paid if a seat won the lot."""
    options = view.table["options"]
    payee = seat_paid(options["payment_to"], winner, view.num_players)
    return words(f"warehouse51.payee.{payment_key(options)}") if payee is None else str(view.players[payee]["name"])
