"""Invariants of Alles Futsch!"""

from collections.abc import Iterator

import numpy as np

from tests.env.invariants.any_game import Invariants
from w51_env.alles_futsch import state as names
from w51_env.alles_futsch.actions import BASE
from w51_env.engine.batch import Batch
from w51_env.engine.game import Game


class AllesFutschInvariants(Invariants):
    """What holds in every state of Alles Futsch!"""

    def __init__(self, batch: Batch):
        super().__init__(batch, most_decisions(batch.game), names.PHASES)

    def _check_money_only_comes_as_bonus(self, games: np.ndarray) -> Iterator[np.ndarray]:  # A1, A3, A4
        money, nobodys = self.seat_columns(games, "money")
        yield money >= 0
        yield nobodys == 0
        bonuses = (games["owned"] >= 3).sum((1, 2))
        yield money.sum(1, dtype=np.int64) <= self.players * int(self.rules["start_money"]) + bonuses * int(
            self.rules["bonus"]
        )
        over = games["over"] == 1
        yield ~over[:, None] | (games["scores"][:, : self.players] == money)

    def _check_objects_are_on_tables_that_have_their_row(self, games: np.ndarray) -> Iterator[np.ndarray]:  # A1, A3
        owned, nobodys = self.seat_columns(games, "owned")
        yield (owned >= 0) & (owned <= names.MAX_OWNED)
        yield nobodys == 0
        lacks = games["lacks"][:, : self.players, None].astype(np.int64)
        yield np.take_along_axis(owned, lacks, 2) == 0
        yield np.sort(games["lacks"], 1) == np.arange(names.NUM_TYPES)

    def _check_no_object_comes_from_nowhere(self, games: np.ndarray) -> Iterator[np.ndarray]:  # A3
        placed = games["owned"].sum(1, dtype=np.int64) + games["lost"] + games["to_place"]
        placed[np.arange(len(games)), games["selling"]] += games["selling"] >= 0
        on_cards = games["gone"].astype(np.int64) @ names.OBJECTS.astype(np.int64)
        on_cards += np.where((games["card"] >= 0)[:, None], names.OBJECTS[games["card"]], 0)
        yield placed <= on_cards
        yield games["to_place"] >= 0

    def _check_each_card_is_in_one_place(self, games: np.ndarray) -> Iterator[np.ndarray]:  # A1, A2
        turned_up = np.arange(names.NUM_CARDS) < games["next_card"][:, None]
        places = games["gone"].astype(np.int64)
        for card in (games["card"], *games["face_up"].T):
            places[np.arange(len(games)), card] += card >= 0
        cards = np.arange(names.NUM_CARDS)
        seen = (np.arange(len(games))[:, None] * names.NUM_CARDS + games["deck"])[turned_up]
        yield places.ravel() == np.bincount(seen, minlength=places.size)
        yield games["next_card"] <= self.rules["num_cards"]
        if not self.rules["random_cards"]:
            yield np.sort(games["deck"], 1) == cards

    def compare(self, before: np.ndarray, games: np.ndarray) -> Iterator[np.ndarray]:  # A1
        """What was dealt stays; cards are turned up and objects placed for good."""
        for field in ("deck", "lacks"):
            yield before[field] == games[field]
        for field in ("next_card", "owned"):
            yield before[field] <= games[field]

    def _check_auction_adds_up(self, games: np.ndarray) -> Iterator[np.ndarray]:  # A2
        bid, leader, standing = games["phase"] == names.BID, games["leader"], games["standing_bid"]
        rows = np.arange(len(games))
        yield ~bid | ((leader == names.NOBODY) == (standing == self.rules["minimum_bid"] - 1))
        yield ~bid | (leader == names.NOBODY) | (standing <= games["money"][rows, leader])
        bidding, nobodys = self.seat_columns(games, "bidding")
        yield bid[:, None] | (bidding == 0)
        yield ~bid | (games["bidding"][rows, games["seat"]] == 1)
        yield nobodys == 0
        yield (games["added"] % BASE == 0) & (bid | (games["added"] == 0))
        yield (games["added"] == 0) | (standing + games["added"] < games["money"][rows, games["seat"]])

    def _check_phases_have_what_they_need(self, games: np.ndarray) -> Iterator[np.ndarray]:  # A2, A3, A4
        phase = games["phase"]
        yield (phase == names.SELL) == (games["selling"] >= 0)
        yield (phase != names.SELECT) | (games["card"] == names.NO_CARD)
        yield ~np.isin(phase, (names.BID, names.PLACE, names.SELL)) | (games["card"] >= 0)
        yield (phase != names.PLACE) | (games["to_place"].sum(1) > 0)
        yield ~np.isin(phase, (names.PLACE, names.SELL)) | (games["seat"] == games["leader"])
        broke = games["broke"]
        yield (broke == names.NOBODY) | ((games["over"] == 1) & (games["money"][np.arange(len(games)), broke] == 0))


def most_decisions(game: Game) -> int:
    """More decisions than any game can have.

    Each bid is more than the last and the highest is paid, so there are no more bids than there can be money, and one
    more for each card, in two parts at most.
    """
    rules = game.rules[0]
    money = game.num_players * (int(rules["start_money"]) + (names.NUM_TYPES - 1) * int(rules["bonus"]))
    return 2 * (money + names.NUM_CARDS) + names.NUM_CARDS * (1 + game.num_players + 2 * names.OBJECTS_PER_CARD)
