"""What the words of the events of Warehouse 51 claim."""

import numpy as np

from tests.env.views.ledger import Ledger
from w51_env.engine.game import Game
from w51_env.warehouse51 import state
from w51_env.warehouse51.relics import load_relic_set


class WarehouseLedger(Ledger):
    """Warehouse 51."""

    fields = (
        "ingots",
        "reserve",
        "place",
        "pawned",
        "looked",
        "certificate_from",
        "certificate_on",
        "cancelled",
        "buyer",
        "price",
    )
    at_end = ("points", "scores", "ranks")

    def __init__(self, game: Game, record: np.void):
        super().__init__(game, record)
        self.relics = load_relic_set(game.options["relics"]).relics
        self.opened: dict[int, int] = {}

    def effect(self, relic: int) -> str | None:
        return self.relics[relic].effect

    def owns(self, seat: int, effect: str) -> bool:
        now = self.now
        return any(
            relic.effect == effect
            and now["place"][at] == seat
            and (relic.alignment == "cursed" or not now["pawned"][at])
            for at, relic in enumerate(self.relics)
        )

    def pay(self, seat: int, ingots: int) -> None:
        assert 0 < ingots <= self.now["ingots"][seat]
        self.now["ingots"][seat] -= ingots

    def from_reserve(self, seat: int, ingots: int) -> None:
        assert 0 < ingots <= self.now["reserve"]
        self.now["reserve"] -= ingots
        self.now["ingots"][seat] += ingots

    def revealed(self, seat: int, relic: int) -> None:
        assert self.now["place"][relic] == state.IN_DECK
        self.now["place"][relic] = state.ON_THE_BLOCK
        self.now["lot"] = relic
        self.begin_lot(0)
        self.opened = {}

    def bid(self, seat: int, ingots: int, matches: int) -> None:
        assert matches == (ingots == self.best)
        assert not matches or self.owns(seat, "may_match_bid")
        self.raise_to(seat, ingots, self.now["ingots"][seat], max(1, self.best))

    def bid_in_secret(self, seat: int) -> None:
        assert self.relics[self.now["lot"]].weapon

    def bid_shown(self, seat: int, ingots: int) -> None:
        assert 0 <= ingots <= self.now["ingots"][seat]
        self.opened[seat] = ingots

    def sold(self, seat: int, relic: int, ingots: int, payee: int) -> None:
        assert relic == self.now["lot"]
        if self.opened:
            assert self.opened[seat] == ingots == max(self.opened.values())
        else:
            assert (seat, ingots) == (self.leader, self.best)
        self.pay(seat, ingots)
        payment = self.options["payment_to"]
        step = {"left": 1, "right": -1}.get(payment)
        assert payee == (-1 if step is None else (seat + step) % self.players)
        if payee >= 0:
            self.now["ingots"][payee] += ingots
        elif payment == "bank":
            self.now["reserve"] += ingots
        else:
            shared = ingots * self.options["refund"] // 100
            self.now["reserve"] += ingots - shared
            for number in range(shared):
                self.now["ingots"][(seat + 1 + number % (self.players - 1)) % self.players] += 1
        self.now["place"][relic] = self.now["buyer"][relic] = seat
        self.now["price"][relic] = ingots

    def unsold(self, seat: int, relic: int) -> None:
        assert relic == self.now["lot"]
        assert self.leader == -1
        assert not any(self.opened.values())
        self.now["place"][relic] = state.UNSOLD

    def surcharged(self, seat: int, ingots: int) -> None:
        assert self.owns(seat, "surcharge")
        self.pay(seat, ingots)
        self.now["reserve"] += ingots

    def income(self, seat: int, ingots: int) -> None:
        assert self.owns(seat, "income")
        self.from_reserve(seat, ingots)

    def gained(self, seat: int, ingots: int) -> None:
        assert self.bought(seat) == "gain_ingots"
        self.from_reserve(seat, ingots)

    def bought(self, seat: int) -> str | None:
        """The effect of the lot, which the seat has just bought."""
        assert self.now["place"][self.now["lot"]] == seat
        return self.effect(self.now["lot"])

    def paid(self, seat: int, payee: int, ingots: int) -> None:
        assert self.bought(seat) == "pay_each_other"
        assert payee != seat
        self.pay(seat, ingots)
        self.now["ingots"][payee] += ingots

    def took(self, seat: int, relic: int, owner: int) -> None:
        assert self.bought(seat) == "take_relic"
        assert self.now["place"][relic] == owner != seat
        self.now["place"][relic] = seat

    def gave(self, seat: int, relic: int, receiver: int) -> None:
        assert self.bought(seat) == "give_relic"
        assert self.now["place"][relic] == seat != receiver
        self.now["place"][relic] = receiver

    def looked(self, seat: int, gap: int) -> None:
        assert self.bought(seat) == "look_at_counterfeits"
        self.now["looked"][seat, gap] = 1

    def saw(self, seat: int, gap: int, relic: int) -> None:
        beside = gap in (seat, (seat - 1) % self.players)
        assert beside or self.now["looked"][seat, gap]
        assert self.now["counterfeit_gap"][relic] == gap

    def took_certificate(self, seat: int, relic: int) -> None:
        assert relic == self.now["lot"]
        assert self.bought(seat) == "certificate"
        self.now["certificate_from"][self.now["certificate_from"].tolist().index(state.NO_RELIC)] = relic

    def pawned(self, seat: int, relic: int, ingots: int) -> None:
        assert (self.now["place"][relic], self.now["pawned"][relic]) == (seat, 0)
        self.now["pawned"][relic] = 1
        self.from_reserve(seat, ingots)

    def redeemed(self, seat: int, relic: int, ingots: int) -> None:
        assert (self.now["place"][relic], self.now["pawned"][relic]) == (seat, 1)
        self.now["pawned"][relic] = 0
        self.pay(seat, ingots)
        self.now["reserve"] += ingots

    def certified(self, seat: int, relic: int) -> None:
        assert self.now["place"][relic] == seat
        free = [
            token
            for token in range(state.CERTIFICATES)
            if self.now["certificate_from"][token] >= 0 and self.now["certificate_on"][token] < 0
        ]
        holders = {token: self.holder(token) for token in free}
        self.now["certificate_on"][next(token for token in free if holders[token] == seat)] = relic

    def holder(self, token: int) -> int:
        giver = self.now["certificate_from"][token]
        follows = self.options["certificate_belongs_to"] == "owner"
        return int(self.now["place"][giver] if follows else self.now["buyer"][giver])

    def declined(self, seat: int, phase: int) -> None:
        assert phase in state.ENDING

    def counterfeit_shown(self, seat: int, relic: int, gap: int) -> None:
        assert (seat, self.now["counterfeit_gap"][relic]) == (-1, gap)

    def cancelled(self, seat: int, relic: int) -> None:
        assert self.owns(seat, "cancels_counterfeit")
        self.assert_harms(relic)
        self.now["cancelled"][relic] = 1

    def exposed(self, seat: int, relic: int) -> None:
        assert self.now["place"][relic] == seat
        self.assert_harms(relic)
        self.now["place"][relic] = state.EXPOSED

    def assert_harms(self, relic: int) -> None:
        assert self.now["counterfeit_gap"][relic] != state.NO_GAP
        assert not self.now["cancelled"][relic]
        assert relic not in self.now["certificate_on"]

    def scored(self, seat: int, source: int, points: int) -> None:
        assert points > 0
        self.now["points"][seat, source] = points

    def finished(self, seat: int, points: int, rank: int) -> None:
        assert points == self.now["points"][seat].sum()
        self.now["scores"][seat], self.now["ranks"][seat] = points, rank
