"""Opponent bid imputation: sealed bids of other seats, as a bot or a network would have bid.

A determinization draws the sealed bids of others uniformly from all that they could have bid, because it has no model
of the opponents. Opponents do not bid at random. Here a player chooses each of these bids again, from what that seat
observes in the determinization.
"""

from functools import partial

import numpy as np

from w51_agents.search.agent_playouts import Population
from w51_agents.search.playouts import Player, batches_by_size
from w51_env.compiler.compile import blocks
from w51_env.engine.batch import Batch
from w51_env.engine.bots import Bot
from w51_env.engine.game import RANDOM_INDEX, Game, SealedBids


class BidImputation:
    """Replaces the sealed bids of other seats by a player's choices; does nothing in a game without sealed bids."""

    def __init__(self, game: Game, player: Player | Population):
        self._game = game
        self._player = player
        self._batch = batches_by_size(partial(Batch, game, seed=0, keep_final=False))

    def impute(self, states: np.ndarray, seat: int) -> None:
        """Replace in place the sealed bids of all seats but `seat`.

        Args:
            states: (N,) structured, determinizations of one game for `seat`.
            seat: The searching seat.
        """
        sealed = self._game.sealed_bids
        if sealed is None or (isinstance(self._player, Bot) and self._player.index == RANDOM_INDEX):
            return  # a random bid is what a determinization has drawn
        bids = states[sealed.field]
        for other in np.flatnonzero(bids[0, : self._game.num_players] != sealed.not_bid).tolist():
            if other != seat:
                bids[:, other] = self._choose(states, other, sealed) - sealed.first_action

    def _choose(self, states: np.ndarray, other: int, sealed: SealedBids) -> np.ndarray:
        """(N,) int64: the player's action for a seat that has bid, as if it had not and it were its turn."""
        batch, count = self._batch(len(states)), len(states)
        before = blocks(states).copy().view(states.dtype)
        before[sealed.field][:, other], before["seat"] = sealed.not_bid, other
        batch.load(before)
        masks = np.zeros((count, len(self._game.actions)), np.int8)  # sealed bids alone are legal
        bids = slice(sealed.first_action, sealed.first_action + sealed.num_actions)
        masks[:, bids] = batch.action_mask[:count, bids]
        bits = states["stream"] ^ np.uint64(other)  # each seat has its own luck
        if isinstance(self._player, Population):
            return self._player.choose_as(other, batch.observation[:count], masks, bits)
        return self._player.choose(batch.observation[:count], masks, bits)
