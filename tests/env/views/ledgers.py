"""What the words of the events of Alles Futsch! and of auctions claim, and the ledger of each game."""

from collections.abc import Iterable
from typing import Any

from tests.env.views.ledger import Ledger
from tests.env.views.warehouse51_ledger import WarehouseLedger
from w51_env.alles_futsch import state as futsch
from w51_env.alles_futsch.state import CARDS, MAX_OWNED
from w51_env.auctions.state import CENTS


class FutschLedger(Ledger):
    """Alles Futsch!."""

    fields = ("money", "owned", "face_up", "lost", "lacks", "broke")
    at_end = ("scores", "ranks")

    def turned_up(self, seat: int, card: int, slot: int) -> None:
        assert self.now["face_up"][slot] == futsch.NO_CARD
        self.now["face_up"][slot] = card

    def selected(self, seat: int, card: int) -> None:
        self.now["face_up"][self.now["face_up"].tolist().index(card)] = futsch.NO_CARD
        self.now["card"] = card
        self.begin_lot(self.options["minimum_bid"] - 1)

    def bid(self, seat: int, money: int) -> None:
        self.raise_to(seat, money, self.now["money"][seat], self.best + 1)

    def bought(self, seat: int, card: int, money: int) -> None:
        assert (seat, card, money) == (self.leader, self.now["card"], self.best)
        self.now["money"][seat] -= money
        self.to_place = CARDS[card].tolist()

    def unsold(self, seat: int, card: int) -> None:
        assert self.leader == -1
        assert card == self.now["card"]
        assert len(self.out) == self.players

    def took(self, seat: int, owned: int, **fields: int) -> None:
        kind = fields["type"]
        if seat == self.leader:  # a buyer of one of its objects is told with `sold`
            self.to_place.remove(kind)
        self.now["owned"][seat, kind] += 1
        assert self.now["owned"][seat, kind] == owned
        assert self.now["lacks"][seat] != kind

    def sold(self, seat: int, buyer: int, money: int, **fields: int) -> None:
        self.to_place.remove(fields["type"])
        assert buyer != seat
        assert self.may_buy(buyer, fields["type"])
        assert money == min(self.options["sale_price"], self.now["money"][buyer])
        self.now["money"][buyer] -= money
        self.now["money"][seat] += money

    def lost(self, seat: int, **fields: int) -> None:
        self.to_place.remove(fields["type"])
        assert not any(self.may_buy(other, fields["type"]) for other in range(self.players) if other != seat)
        self.now["lost"][fields["type"]] += 1

    def may_buy(self, seat: int, kind: int) -> bool:
        return bool(self.now["lacks"][seat] != kind and self.now["owned"][seat, kind] < MAX_OWNED)

    def fined(self, seat: int, money: int) -> None:
        assert self.now["owned"][seat].max() > 3
        self.now["money"][seat] -= money

    def bonus(self, seat: int, money: int) -> None:
        assert 3 in self.now["owned"][seat]
        self.now["money"][seat] += money

    def broke(self, seat: int) -> None:
        assert self.now["money"][seat] == 0
        self.now["broke"] = seat

    def finished(self, seat: int, money: int, objects: int, rank: int) -> None:
        assert (money, objects) == (self.now["money"][seat], self.now["owned"][seat].sum())
        self.now["scores"][seat], self.now["ranks"][seat] = money, rank


class AuctionLedger(Ledger):
    """Auctions."""

    fields = ("signals", "last_winner", "round", "wins")
    at_end = ("scores", "ranks")

    def begin(self, events: Iterable[dict[str, Any]]) -> None:
        for event in events:
            self.read(event)

    def round_begins(self, seat: int, round: int) -> None:  # noqa: A002 - the name of the field
        assert round == self.now["round"] + 1
        self.bids: dict[int, int] = {}
        self.sealed_bids: dict[int, int] = {}

    def signal(self, seat: int, signal: int) -> None:
        self.now["signals"][seat] = signal

    def sealed(self, seat: int, bid: int) -> None:
        (self.bids if self.options["one_each"] else self.sealed_bids)[seat] = bid  # in turn no bid is shown

    def shown(self, seat: int, bid: int) -> None:
        assert self.sealed_bids.pop(seat) == bid
        self.bids[seat] = bid

    def left(self, seat: int, price: int) -> None:
        assert seat not in self.bids
        assert price >= max(self.bids.values(), default=0)
        self.bids[seat] = price - self.options["bid_step"] if price > self.options["reserve"] else -1

    def claimed(self, seat: int, price: int) -> None:
        assert seat not in self.bids
        self.bids[seat] = price

    def sold(self, seat: int, price: int, worth: int) -> None:
        if self.options["auction"] != "english":  # at a rising clock who stays in is told by no event
            ranked = sorted(self.bids.values(), reverse=True)
            assert self.bids[seat] == ranked[0] >= self.options["reserve"]
            place = {"second_price": 1, "third_price": 2}.get(self.options["auction"], 0)
            assert price == max(ranked[place], self.options["reserve"])
        if self.options["values"] == "private" and not self.options["keep_values"]:
            assert worth == CENTS * int(self.now["signals"][seat])
        self.now["wins"][seat] += 1
        self.end_round(seat)

    def unsold(self, seat: int) -> None:
        assert max(self.bids.values(), default=-1) == -1
        self.end_round(-1)

    def end_round(self, winner: int) -> None:
        self.now["last_winner"] = winner
        self.now["round"] += 1

    def finished(self, seat: int, payoff: int, rank: int) -> None:
        self.now["scores"][seat], self.now["ranks"][seat] = payoff, rank


LEDGERS: dict[str, type[Ledger]] = {
    "warehouse51": WarehouseLedger,
    "alles_futsch": FutschLedger,
    "auctions": AuctionLedger,
}
