"""One game of Alles Futsch! that a test sets up in a few lines and plays by action names."""

from typing import Any, Self

import numpy as np

from tests.env.scenario import Scenario
from w51_env import alles_futsch
from w51_env.alles_futsch.state import CARDS, FACE_UP, NO_CARD, NUM_CARDS, PHASES, TYPES

CARD_NAMES = tuple(" ".join(TYPES[kind] for kind in card) for card in CARDS)


def card_index(name: str) -> int:
    """`clock vase vase`, in any order, as an index into `state.CARDS`."""
    return CARD_NAMES.index(" ".join(sorted(name.split(), key=TYPES.index)))


def money_flows(events: list[dict], num_players: int) -> list[int]:
    """What each seat got or paid, from the events."""
    flows = [0] * num_players
    for event in events:
        match event["event"]:
            case "bought" | "fined":
                flows[event["seat"]] -= event["money"]
            case "bonus":
                flows[event["seat"]] += event["money"]
            case "sold":
                flows[event["seat"]] += event["money"]
                flows[event["buyer"]] -= event["money"]
    return flows


class Table(Scenario):
    """One game of Alles Futsch! with player 0 first. Player k's table lacks type k: player 0 has no row for a painting.

    Example:
        >>> table = Table(num_players=3).cards("vase vase clock").money(100, 50, 50)
        >>> table.play("select_0", "raise_7", "pass", "pass", "place_clock")
        >>> table.balances, table.owned(0)
        ([93, 50, 50], {"clock": 1})
    """

    phases = PHASES

    def __init__(self, num_players: int = 4, *, seed: int = 0, first_player: int | str = 0, **options: Any):
        super().__init__(alles_futsch.make(num_players, first_player=first_player, **options), seed)
        self.change(lacks=range(num_players))

    # ---- setting up (each returns the table)

    def cards(self, *cards: str) -> Self:
        """These cards, in this order: the first five face up, the others on top of the deck, the rest below them."""
        first = [card_index(card) for card in cards]
        first += [card for card in range(NUM_CARDS) if card not in first]
        self.state["deck"][:] = first
        up = int(self.state["next_card"])
        self.state["face_up"][:] = NO_CARD
        self.state["face_up"][:up] = first[:up]
        return self.refresh()

    def money(self, *money: int) -> Self:
        """Thousands of each seat."""
        return self.change(money=money)

    def give(self, seat: int, **objects: int) -> Self:
        """So many objects of each type, by name, belong to the seat."""
        for name, count in objects.items():
            self.state["owned"][seat, TYPES.index(name)] = count
        return self.refresh()

    # ---- playing

    def play(self, *actions: str) -> Self:
        """Play actions by name. The events of each must account for every change of money."""
        for action in actions:
            before = np.array(self.balances)
            super().play(action)
            flows = (np.array(self.balances) - before).tolist()
            assert flows == money_flows(self.events(), self.game.num_players), f"{action}: {flows}"
        return self

    def buy(self, bid: int = 1) -> Self:
        """The seat to move selects the first face-up card, bids, and gets it because all others pass."""
        place = int(np.argmax(self["face_up"] != NO_CARD))
        if self.phase == "select":
            self.play(f"select_{place}")
        if bid > 20:
            self.play(f"add_{(bid - 1) // 20 * 20}")
        self.play(f"raise_{(bid - 1) % 20 + 1}")
        while self.phase == "bid":
            self.play("pass")
        return self

    # ---- reading

    @property
    def balances(self) -> list[int]:
        """Thousands of each seat in play."""
        return self.of_seats("money")

    def owned(self, seat: int) -> dict[str, int]:
        """Objects of a seat by type, without those it has none of."""
        return {name: int(count) for name, count in zip(TYPES, self["owned"][seat], strict=True) if count}

    @property
    def lost(self) -> dict[str, int]:
        """Objects lost, by type."""
        return {name: int(count) for name, count in zip(TYPES, self["lost"], strict=True) if count}

    @property
    def face_up(self) -> list[str | None]:
        """The face-up row."""
        return [None if card == NO_CARD else CARD_NAMES[card] for card in self["face_up"][:FACE_UP]]

    @property
    def card(self) -> str | None:
        """The card for auction, or being placed."""
        return None if self["card"] == NO_CARD else CARD_NAMES[self["card"]]
