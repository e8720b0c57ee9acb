"""One state of Warehouse 51 as plain Python values."""

from typing import Any

from w51_env.engine.game import Game
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import NO_RELIC


class State:
    """The fields of one record as plain Python values: much faster to read than the record."""

    def __init__(self, record: Any, game: Game):
        self.place: list[int] = record["place"].tolist()
        self.pawned: list[int] = record["pawned"].tolist()
        self.buyer: list[int] = record["buyer"].tolist()
        self.price: list[int] = record["price"].tolist()
        self.gap: list[int] = record["counterfeit_gap"].tolist()
        self.cancelled: list[int] = record["cancelled"].tolist()
        self.certificate_from: list[int] = record["certificate_from"].tolist()
        self.certificate_on: list[int] = record["certificate_on"].tolist()
        self.looked: list[list[int]] = record["looked"].tolist()
        self.highest_bid: list[list[int]] = record["highest_bid"].tolist()
        self.ingots: list[int] = record["ingots"].tolist()
        self.bidding: list[int] = record["bidding"].tolist()
        self.secret_bid: list[int] = record["secret_bid"].tolist()
        self.phase, self.lot, self.shown = int(record["phase"]), int(record["lot"]), bool(record["shown"])
        self.ids = load_relic_set(game.options["relics"]).ids
        self.follows_relic = game.options["certificate_belongs_to"] == "owner"

    def at(self, place: int) -> list[str]:
        """Ids of the relics in a place, in the order of the relic set."""
        return [relic for index, relic in enumerate(self.ids) if self.place[index] == place]

    def holder(self, token: int) -> int | None:
        """E2, R7: the seat that can place a certificate."""
        giver = self.certificate_from[token]
        if giver == NO_RELIC or self.certificate_on[token] != NO_RELIC:
            return None
        if not self.follows_relic:
            return seat_or_none(self.buyer[giver])
        return None if self.pawned[giver] else seat_or_none(self.place[giver])


def seat_or_none(number: int) -> int | None:
    """A seat; None for nobody and for a place that is no seat."""
    return number if number >= 0 else None
