"""Determinization: only the order of the cards that are not turned up is hidden (A1), from all seats alike."""

from w51_env.alles_futsch.set_up import fill_deck
from w51_env.compiler.compile import kernel
from w51_env.engine import rng


@kernel
def resample_hidden(rules, game, seat):
    """Redraw the cards that are not turned up, uniformly and from the new stream of the record."""
    fill_deck(rules, game, game.next_card, rng.RESAMPLE)
