"""Determinization: only the deck is hidden (A1)."""

from w51_env.alles_futsch.set_up import shuffle_cards
from w51_env.core import rng
from w51_env.core.compile import kernel


@kernel
def resample_hidden(rules, game, seat):
    """Redraw, from the record's new stream, the cards not turned up yet. All seats know the same."""
    shuffle_cards(rules, game, game.next_card, rng.RESAMPLE)
