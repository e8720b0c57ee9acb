"""What the words of each event claim, for each game: true of the state before it, and made so in the state after it.

A ledger begins as a copy of a state. Each event is a method, which asserts what its sentence says and writes what it
says has changed. After the events of a call, the ledger must have the fields of the true state.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from w51_env.alles_futsch import state as futsch
from w51_env.alles_futsch.state import CARDS, MAX_OWNED
from w51_env.auctions.state import CENTS
from w51_env.engine.game import Game
from w51_env.warehouse51 import state
from w51_env.warehouse51.relics import load_relic_set


class Ledger:
    """A state as the events tell it.

    Args:
        game: The game.
        record: The state before the first event. It is copied.
    """

    fields: ClassVar[tuple[str, ...]]  # that must be equal after the events of each call
    at_end: ClassVar[tuple[str, ...]]  # and that must be when the game is over

    def __init__(self, game: Game, record: np.void):
        self.game, self.options, self.players = game, game.options, game.num_players
        self.out: set[int] = set()
        self.best, self.leader = 0, -1  # bid of the present lot
        self.now = record.copy()

    def read(self, event: dict[str, Any]) -> None:
        """Apply one event; AssertionError if it is not true."""
        fields = {name: value for name, value in event.items() if name not in ("event", "forced")}
        tell: Callable[..., None] = getattr(self, event["event"])
        tell(**fields)

    def begin(self, events: Iterable[dict[str, Any]]) -> None:
        """Read the events of the set-up, after which the state is as it was given."""

    def check(self, record: np.void) -> None:
        """Compare with the true state after the events of a call."""
        for name in (*self.fields, *(self.at_end if record["over"] else ())):
            assert self.now[name].tolist() == record[name].tolist(), name

    def passed(self, seat: int) -> None:
        assert seat not in self.out
        assert seat != self.leader
        self.out.add(seat)

    def begin_lot(self, best: int) -> None:
        self.out, self.best, self.leader = set(), best, -1

    def raise_to(self, seat: int, amount: int, held: int, least: int) -> None:
        assert seat not in self.out
        assert least <= amount <= held
        self.best, self.leader = amount, seat


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
            for number in range(ingots):
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
    """Single-item auctions."""

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
        self.sealed_bids[seat] = bid

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
