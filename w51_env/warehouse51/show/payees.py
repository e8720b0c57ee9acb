"""Who is paid for a relic, as views and sentences name them (T4, option `payment_to`)."""

from w51_env.core.game import Game
from w51_env.views.language import Words
from w51_env.views.view import View

_CLOCKWISE = {"left": 1, "right": -1}


def payee_for(game: Game, winner: int) -> int | None:
    """The one seat that would get the price; None if there is none."""
    step = _CLOCKWISE.get(game.options["payment_to"])
    return None if step is None else (winner + step) % game.num_players


def payee_text(game: Game, words: Words, seat: int | None) -> str:
    """The seat by its name; without one the bank or all others, by the option."""
    return words.seat(seat) if seat is not None else words(f"warehouse51.payee.{game.options['payment_to']}")


def payee_name(view: View, words: Words) -> str:
    """Who would be paid for the lot; empty if nobody leads and the viewer has no seat."""
    lot, payment = view.table["lot"], view.table["options"]["payment_to"]
    if lot["payee"] is not None:
        return str(view.players[lot["payee"]]["name"])
    nobody_pays = lot["leader"] is None and not isinstance(view.viewer, int)
    return "" if nobody_pays or payment in _CLOCKWISE else words(f"warehouse51.payee.{payment}")
