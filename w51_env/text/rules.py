"""The rules of a game on one page."""

from w51_env.core.game import Game
from w51_env.core.registry import find_in_game


def rules_page(game: Game) -> str:
    """The rules as plain English text, with the options and cards of this game; empty for a game that has no page.

    A game has a function `rules_page(game)` in its module `rules_page`.
    """
    page = find_in_game(game.id, "rules_page", "rules_page")
    return "" if page is None else page(game)
