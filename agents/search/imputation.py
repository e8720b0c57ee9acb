"""Opponent bid imputation: sealed bids of other seats, as a bot would have bid.

A determinization draws the sealed bids of others uniformly from all that they could have bid, because it has no model
of the opponents. Opponents do not bid at random. Here a bot chooses each of these bids again, from what that seat
observes in the determinization.
"""

import numpy as np

from w51_env.core.batch import Batch
from w51_env.core.bots import Bot
from w51_env.core.game import Game, SealedBids


class BidImputation:
    """Replaces the sealed bids of other seats by the choices of a bot; does nothing in a game without sealed bids.

    Args:
        game: The game with its rules bound.
        bot: Name of the bot that chooses.
    """

    def __init__(self, game: Game, bot: str):
        self._game = game
        self._bot = Bot(game, bot)

    def impute(self, states: np.ndarray, seat: int) -> None:
        """Replace in place the sealed bids of all seats but `seat`.

        Args:
            states: (N,) structured, determinizations of one game for `seat`.
            seat: The searching seat.
        """
        sealed = self._game.sealed_bids
        if sealed is None:
            return
        for other in np.flatnonzero(sealed.have_bid(states[:1])[0]).tolist():
            if other != seat:
                sealed.store(states, other, self._choose(states, other, sealed))

    def _choose(self, states: np.ndarray, other: int, sealed: SealedBids) -> np.ndarray:
        """(N,) int64: the bot's action for a seat that has bid, as if it had not and it were its turn."""
        batch = Batch(self._game, len(states), seed=0, keep_final=False)
        before = states.copy()
        sealed.withdraw(before, other)
        batch.load(before)
        return self._bot.choose(batch.observation, sealed.bid_masks(batch.action_mask), batch.seeds)
