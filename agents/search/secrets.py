"""What others have chosen in secret, as a bot would have chosen.

A determinization draws the blind bids that others have already made uniformly from all that they could have bid, as it knows no
players. But they do not bid at random. Each is asked again: in the world as it was drawn, with what that seat knows there.
"""

from dataclasses import dataclass

import numpy as np

from w51_env.core.batch import Batch
from w51_env.core.bots import Bot
from w51_env.core.game import Game
from w51_env.warehouse51.actions import BID, DECLINE
from w51_env.warehouse51.state import NOT_BID


@dataclass(frozen=True)
class SecretBids:
    """Where a game keeps bids in secret.

    Attributes:
        field: Of its record, (N, max_players): what each seat bid.
        not_bid: What stands there before.
        first: The action that bids 0.
        end: The action after the one that bids most.
    """

    field: str
    not_bid: int
    first: int
    end: int


_SECRETS = {"warehouse51": SecretBids("secret_bid", NOT_BID, BID, DECLINE)}  # by the game's name; all others have none


class Guesses:
    """Puts a bot's choices in the place of secret ones.

    Args:
        game: The game.
        bot: The name of the bot.
    """

    def __init__(self, game: Game, bot: str):
        self._game = game
        self._bot = Bot(game, bot)
        self._secrets = _SECRETS.get(game.name)

    def put_in(self, worlds: np.ndarray, seat: int) -> None:
        """Change the secret choices of others than `seat` in these worlds, (N,) structured, all drawn for the same seat."""
        secrets = self._secrets
        if secrets is None:
            return
        bids = worlds[secrets.field]
        for other in np.flatnonzero(bids[0] != secrets.not_bid):
            if other != seat:
                bids[:, other] = self._asked_again(worlds, other, secrets)

    def _asked_again(self, worlds: np.ndarray, other: np.intp, secrets: SecretBids) -> np.ndarray:
        """(N,) what the bot bids in the place of a seat that has bid, as if it had not and it were its turn."""
        batch = Batch(self._game, len(worlds), seed=0, keep_final=False)
        batch.games[:] = worlds
        batch.games[secrets.field][:, other] = secrets.not_bid
        batch.games["seat"] = other
        batch.refresh()
        masks = np.zeros_like(batch.action_mask)
        part = slice(secrets.first, secrets.end)
        masks[:, part] = batch.action_mask[:, part]
        return self._bot.choose(batch.observation, masks, batch.seeds) - secrets.first
