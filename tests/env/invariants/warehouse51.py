"""Invariants of Warehouse 51."""

from collections.abc import Iterator

import numpy as np

from tests.env.invariants.any_game import Invariants
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.warehouse51 import state as names
from w51_env.warehouse51.effect_kinds import EFFECT

IN_AUCTION = (names.OPEN_AUCTION, names.BLIND_AUCTION)
WITHOUT_LOT = (names.REVEAL, names.REDEEM, names.CERTIFY, names.CANCEL, names.OVER)


class Warehouse51Invariants(Invariants):
    """What holds in every state of Warehouse 51."""

    def __init__(self, batch: Batch):
        super().__init__(batch, most_decisions(batch.game), names.PHASES)
        self.relics = int(self.rules["num_relics"])
        self.total_ingots = self.players * int(self.rules["start_ingots"]) + int(self.rules["reserve"])

    def at(self, games: np.ndarray, field: str) -> np.ndarray:
        """A per-relic field, of the relics that the relic set has."""
        return games[field][:, : self.relics]

    # ---- one rule each; every array yielded must be true throughout

    def _check_ingots_are_conserved(self, games: np.ndarray) -> Iterator[np.ndarray]:  # S2
        ingots, nobodys = self.seat_columns(games, "ingots")
        yield ingots.sum(1, dtype=np.int64) + games["reserve"] == self.total_ingots
        yield ingots >= 0
        yield games["reserve"] >= 0
        yield nobodys == 0

    def _check_each_relic_is_in_one_place(self, games: np.ndarray) -> Iterator[np.ndarray]:  # S3, T1, T6, E3
        place = games["place"]
        yield (place >= names.ABSENT) & (place < self.players)
        yield (place == names.ABSENT) == (np.arange(names.MAX_RELICS) >= self.relics)
        lot = games["lot"]
        on_block = place == names.ON_THE_BLOCK
        in_auction = np.isin(games["phase"], IN_AUCTION)
        yield on_block.sum(1) == in_auction
        yield (lot < 0) == np.isin(games["phase"], WITHOUT_LOT)  # while an effect is chosen, its relic is the lot
        yield np.where(in_auction, on_block[np.arange(len(games)), lot], True)
        yield (place != names.EXPOSED).all(1) | (games["shown"] == 1)

    def _check_decks_hold_what_was_not_drawn(self, games: np.ndarray) -> Iterator[np.ndarray]:  # S3
        in_deck = games["place"] == names.IN_DECK
        for category in range(names.MAX_CATEGORIES):
            start, size = int(self.rules["deck_start"][category]), int(self.rules["deck_size"][category])
            run = slice(start, start + size)
            drawn = games["drawn"][:, category]
            yield np.sort(games["deck"][:, run], 1) == np.arange(start, start + size)
            yield (drawn >= 0) & (drawn <= size)
            yield in_deck[:, run].sum(1) == size - drawn
            below = np.arange(size) >= drawn[:, None]  # not turned over yet
            yield np.take_along_axis(in_deck, np.maximum(games["deck"][:, run], 0).astype(np.int64), 1) == below
        yield games["deck"][:, self.relics :] == names.NO_RELIC

    def compare(self, before: np.ndarray, games: np.ndarray) -> Iterator[np.ndarray]:  # S3, S4
        """What was dealt stays; cards are drawn and looked at for good."""
        for field in ("deck", "counterfeit_gap", "first_player"):
            yield before[field] == games[field]
        for field in ("looked", "drawn"):
            yield before[field] <= games[field]

    def _check_pawnbroker_has_six_tokens(self, games: np.ndarray) -> Iterator[np.ndarray]:  # P2, P4
        pawned = games["pawned"]
        yield (pawned == 0) | (pawned == 1)
        yield pawned.sum(1) <= names.PAWN_TOKENS
        place = games["place"]
        yield (pawned == 0) | (place >= 0) | (place == names.EXPOSED)

    def _check_two_certificates_at_most(self, games: np.ndarray) -> Iterator[np.ndarray]:  # E2
        giver, placed = games["certificate_from"], games["certificate_on"]
        rows = np.arange(len(games))[:, None]
        effects = np.where(giver >= 0, self.rules["effect"][giver], EFFECT.CERTIFICATE)
        yield effects == EFFECT.CERTIFICATE
        yield (giver < 0) | (games["buyer"][rows, giver] >= 0)
        yield (giver[:, 0] != giver[:, 1]) | (giver[:, 0] < 0)
        yield (placed < 0) | (giver >= 0)
        yield (placed[:, 0] != placed[:, 1]) | (placed[:, 0] < 0)
        yield (placed < 0) | (games["place"][rows, placed] >= 0)

    def _check_counterfeits_lie_in_gaps(self, games: np.ndarray) -> Iterator[np.ndarray]:  # S4, E3
        gap = games["counterfeit_gap"]
        laid = gap != names.NO_GAP
        yield (gap >= names.NO_GAP) & (gap < self.players)
        yield ~laid | (self.rules["has_counterfeit"] == 1)
        for index in range(self.players):
            cards = (gap == index).sum(1)
            yield cards <= self.rules["gap_cards"]
            if self.rules["blank_counterfeits"] == 0:
                yield cards == self.rules["gap_cards"]
        certified = (games["certificate_on"][:, :, None] == np.arange(names.MAX_RELICS)).any(1)
        over = games["over"] == 1
        unprotected = laid & ~certified & (games["cancelled"] == 0)
        yield ~over[:, None] | ~(unprotected & (games["place"] >= 0))
        yield (games["place"] != names.EXPOSED) | unprotected
        yield (games["cancelled"] == 0) | laid

    def _check_auction_adds_up(self, games: np.ndarray) -> Iterator[np.ndarray]:  # T2, T3, T5
        open_auction, blind = games["phase"] == names.OPEN_AUCTION, games["phase"] == names.BLIND_AUCTION
        leader, standing = games["leader"], games["standing_bid"]
        rows = np.arange(len(games))
        yield ~open_auction | ((leader == names.NOBODY) == (standing == 0))
        yield ~open_auction | (standing <= np.where(leader >= 0, games["ingots"][rows, leader], 0))
        bidding, nobodys = self.seat_columns(games, "bidding")
        yield open_auction[:, None] | (bidding == 0)
        yield ~open_auction | (games["bidding"][rows, games["seat"]] == 1)
        yield nobodys == 0
        secret, nobodys = self.seat_columns(games, "secret_bid")
        yield blind[:, None] | (secret == names.NOT_BID)
        yield secret <= games["ingots"][:, : self.players]
        yield ~blind | (games["secret_bid"][rows, games["seat"]] == names.NOT_BID)
        yield nobodys == names.NOT_BID

    def _check_public_memory_is_true(self, games: np.ndarray) -> Iterator[np.ndarray]:  # T4, T6
        place, buyer, price = self.at(games, "place"), self.at(games, "buyer"), self.at(games, "price")
        yield (buyer >= 0) == ((place >= 0) | (place == names.EXPOSED))
        yield (price > 0) == (buyer >= 0)
        highest = games["highest_bid"][:, : self.players, : self.relics]
        bought_for = np.take_along_axis(highest, np.maximum(buyer, 0)[:, None].astype(np.int64), 1)[:, 0]
        yield (buyer < 0) | (bought_for == price)
        yield (highest >= 0) & (highest <= self.total_ingots)
        yield (buyer < 0)[:, None] | (highest <= price[:, None])

    def _check_scores_are_points(self, games: np.ndarray) -> Iterator[np.ndarray]:  # E4
        points = games["points"][:, : self.players]
        yield points >= 0
        yield games["scores"][:, : self.players] == points.sum(2, dtype=np.int64)


def most_decisions(game: Game) -> int:
    """More decisions than any game can have (one relic matches bids): so every game ends.

    Each auction has a reveal, at most two bids for each ingot and a pass of each seat, and then choices, fewer than
    there are relics; a pawned relic is redeemed at the end only, so each token is used once.
    """
    rules = game.rules[0]
    ingots = game.num_players * int(rules["start_ingots"]) + int(rules["reserve"])
    relics = int(rules["num_relics"])
    auctions = relics * (1 + relics + 2 * ingots + game.num_players)
    end = names.PAWN_TOKENS + names.CERTIFICATES + 2 * game.num_players + relics
    return auctions + names.PAWN_TOKENS + names.CERTIFICATES + end
