"""Determinization: only the order of the cards that are not turned up is hidden (A1), from all seats alike."""

from w51_env.alles_futsch.set_up import fill_deck
from w51_env.core import rng
from w51_env.core.compile import kernel


@kernel
def resample_hidden(rules, game, seat):
    """Redraw the cards that are not turned up, uniformly and from the new stream of the record."""
    fill_deck(rules, game, game.next_card, rng.RESAMPLE)
