"""The rules again, slowly and independently: a whole game as one Python generator that asks questions.

Written from the rules in words (docs/rules.toml) only, with other data than the engine's: a question is `(seat, names
of the legal actions)`, and the answer is a name. So a mistake of the engine is not copied here.
"""

from collections import Counter, deque
from collections.abc import Generator, Mapping, Sequence
from typing import Any

Question = tuple[int, set[str]]
Card = tuple[str, str, str]

TYPES = ("painting", "sculpture", "vase", "clock", "jewel")


class Broke(Exception):  # noqa: N818 - no error, but the end of the game
    """A4: somebody can't pay."""


class Reference:
    """One game.

    Args:
        options: All options, as `Game.options`.
        lacks: The type without a row, of each seat's table.
        deck: The cards in their order, the face-up ones first.
        first: The starting player.
    """

    def __init__(self, options: Mapping[str, Any], lacks: Sequence[str], deck: Sequence[Card], first: int):
        self.options = options
        self.lacks = lacks
        self.seats = range(options["num_players"])
        self.money = [options["start_money"] for _ in self.seats]  # A1
        self.owned: list[Counter[str]] = [Counter() for _ in self.seats]
        self.lost: Counter[str] = Counter()
        self.gone: list[Card] = []
        cards = list(deck[: options["num_cards"]])
        self.row: list[Card | None] = [*cards[:5], *[None] * (5 - len(cards))]
        self.deck = deque(cards[5:])
        self.broke: int | None = None
        self.paid_to_bank = 0
        self._game = self._play(first)
        self.question: Question | None = next(self._game)
        self._play_forced()

    def play(self, action: str) -> None:
        """Answer the question, and those with one answer that follow it."""
        self._answer(action)
        self._play_forced()

    def ranks(self) -> list[int]:
        """A5: most cash, then most objects; equal ranks stay equal. A6: who is broke comes after all others."""
        results = [(seat != self.broke, self.money[seat], self.owned[seat].total()) for seat in self.seats]
        return [1 + sum(other > result for other in results) for result in results]

    def _answer(self, action: str) -> None:
        assert self.question is not None
        assert action in self.question[1], f"{action} is none of {sorted(self.question[1])}"
        try:
            self.question = self._game.send(action)
        except StopIteration:
            self.question = None

    def _play_forced(self) -> None:
        while self.question and len(self.question[1]) == 1 and not self.options["ask_forced"]:
            self._answer(next(iter(self.question[1])))

    def _play(self, selector: int) -> Generator[Question, str, None]:
        while any(self.row):  # A5
            answer = yield selector, {f"select_{place}" for place, card in enumerate(self.row) if card}
            place = int(answer.removeprefix("select_"))
            card, self.row[place] = self.row[place], None
            assert card is not None
            buyer, price = yield from self._auction(selector)
            if buyer is not None:
                self._pay_bank(buyer, price)
                try:
                    yield from self._place(buyer, card)
                except Broke:
                    return
                selector = buyer
            elif self.options["no_bid_selector"] == "left":
                selector = (selector + 1) % len(self.seats)
            self.gone.append(card)
            if self.deck:
                self.row[place] = self.deck.popleft()
            elif self.options["deck_exhausted"] == "end":
                return

    def _auction(self, selector: int) -> Generator[Question, str, tuple[int | None, int]]:
        """A2: the buyer, if any, and the price."""
        leader, bid = None, self.options["minimum_bid"] - 1
        waiting = deque((selector + distance) % len(self.seats) for distance in self.seats)
        while waiting and list(waiting) != [leader]:
            seat = waiting.popleft()
            higher = [amount - bid for amount in range(bid + 1, self.money[seat] + 1)]
            answer = yield (
                seat,
                {"pass"} | {f"raise_{by}" if by <= 20 else f"add_{(by - 1) // 20 * 20}" for by in higher},
            )
            if answer == "pass":
                continue
            added = 0
            if answer.startswith("add_"):
                added = int(answer.removeprefix("add_"))
                answer = yield seat, {f"raise_{by - added}" for by in higher if 1 <= by - added <= 20}
            leader, bid = seat, bid + added + int(answer.removeprefix("raise_"))
            waiting.append(seat)
        return leader, bid

    def _place(self, seat: int, card: Card) -> Generator[Question, str, None]:
        """A3."""
        left = Counter(card)
        while left.total():
            answer = yield seat, {f"place_{kind}" for kind in left.elements()}
            kind = answer.removeprefix("place_")
            left[kind] -= 1
            buyers = [other for other in self.seats if other != seat and self._has_room(other, kind)]
            if self._has_room(seat, kind) and self.owned[seat][kind] <= 2:
                self._take(seat, kind)
            elif buyers:
                answer = yield seat, {f"sell_to_{(buyer - seat) % len(self.seats)}" for buyer in buyers}
                buyer = (seat + int(answer.removeprefix("sell_to_"))) % len(self.seats)
                self.money[seat] += self._pay(buyer, self.options["sale_price"])
                if self.broke is not None:
                    raise Broke
                self._take(buyer, kind)
            elif self.options["no_buyer"] == "taken" and self._has_room(seat, kind):
                self._take(seat, kind)
            else:
                self.lost[kind] += 1

    def _has_room(self, seat: int, kind: str) -> bool:
        return self.lacks[seat] != kind and self.owned[seat][kind] <= 4

    def _take(self, seat: int, kind: str) -> None:
        """A3, A4: the fine of a fourth or fifth, the bonus of a third."""
        self.owned[seat][kind] += 1
        if self.owned[seat][kind] >= 4:
            self._pay_bank(seat, self.options["fine"])
            if self.broke is not None:
                raise Broke
        if self.owned[seat][kind] == 3:
            self.money[seat] += self.options["bonus"]
            self.paid_to_bank -= self.options["bonus"]

    def _pay_bank(self, seat: int, price: int) -> None:
        self.paid_to_bank += self._pay(seat, price)

    def _pay(self, seat: int, price: int) -> int:
        """A4: what is there is paid; who can't pay in full is broke."""
        paid = min(price, self.money[seat])
        self.money[seat] -= paid
        if paid < price:
            self.broke = seat
        return paid
