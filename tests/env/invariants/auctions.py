"""Invariants of auctions."""

from collections.abc import Iterator

import numpy as np

from tests.env.invariants.any_game import Invariants
from w51_env.auctions import state as names
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game


class AuctionInvariants(Invariants):
    """What holds in every state of an auction."""

    def __init__(self, batch: Batch):
        super().__init__(batch, most_decisions(batch.game), names.PHASES)

    def _check_rewards_sum_to_zero(self, games: np.ndarray) -> Iterator[np.ndarray]:  # L6
        """But for `payoff`, which is the score as a part of the highest value."""
        if self.game.options["reward"] != "payoff":
            yield from super()._check_rewards_sum_to_zero(games)
            return
        rewards, done = self.shown.rewards, self.shown.done
        low, high = self.game.reward_range
        yield done[:, None] | (rewards == 0)
        yield (rewards >= low) & (rewards <= high)
        parts = games["scores"][:, : self.players] / (names.CENTS * self.game.options["max_value"])
        yield ~done[:, None] | (np.abs(rewards - parts) < 1e-5)

    def _check_signals_fit_the_common_part(self, games: np.ndarray) -> Iterator[np.ndarray]:  # L1
        second, nobodys = self.seat_columns(games, "second_signals")
        yield nobodys == 0
        yield (second == 0) | (self.rules["two_bids"] > 0)
        signals, nobodys = self.seat_columns(games, "signals")
        yield nobodys == 0
        yield (second <= signals) | (self.rules["units"] == 0)
        yield (signals >= 0) & (signals <= self.rules["max_value"])
        common = games["common"][:, None].astype(int)
        values = self.game.options["values"]
        yield signals <= 2 * common if values == "mineral" else signals >= common
        yield (common == 0) | (values != "private")

    def _check_who_is_in_decides_once(self, games: np.ndarray) -> Iterator[np.ndarray]:  # L2, L3
        running = games["over"] == 0
        bids, nobodys = self.seat_columns(games, "bids")
        bidding, outside = self.seat_columns(games, "bidding")
        yield outside == 0
        yield nobodys == 0
        yield (bids == names.NOT_BID) | ((bidding == 1) & running[:, None])
        second, nobodys = self.seat_columns(games, "second_bids")
        yield nobodys == 0
        yield (second == names.NOT_BID) | (bids != names.NOT_BID)
        yield ~running | (bidding.sum(axis=1) > 0)
        if self.game.options["auction"] not in ("english", "dutch"):
            yield (games["shown"] == 0) | ~running[:, None]

    def _check_no_lot_has_two_winners(self, games: np.ndarray) -> Iterator[np.ndarray]:  # L4, L6, L8, L9
        wins = games["wins"].sum(axis=1)
        yield wins <= games["round"] * (names.LOTS if self.rules["units"] or self.rules["items"] > 1 else 1)
        yield (games["wins"].max(axis=1) <= 1) | (self.rules["one_each"] == 0)
        yield (games["over"] == 1) == (games["round"] == self.rules["num_rounds"])
        yield (games["last_winner"] == names.NOBODY) | (wins > 0)

    def _check_nobody_spends_more_than_the_budget(self, games: np.ndarray) -> Iterator[np.ndarray]:  # L5
        yield games["money"] >= 0
        yield (games["money"] == 0) | (self.rules["budget"] > 0)


def most_decisions(game: Game) -> int:
    """More decisions than a game can have: at a clock each seat decides at each price."""
    prices = int(game.rules["highest"][0]) + 1 if game.options["auction"] in ("english", "dutch") else 1
    return 1 + int(game.options["num_rounds"]) * game.num_players * prices * (1 + int(game.rules["two_bids"][0]))
