"""Determinization: only the order of the cards below the face-up ones is hidden (A1), from all seats alike."""

from w51_env.alles_futsch.set_up import fill_deck
from w51_env.core import rng
from w51_env.core.compile import kernel


@kernel
def resample_hidden(rules, game, seat):
    """Redraw, uniformly and from the record's new stream, the cards not turned up yet."""
    fill_deck(rules, game, game.next_card, rng.RESAMPLE)
