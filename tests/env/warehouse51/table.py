"""A table on which a rule's scenario is laid out in a few lines, and played by action names."""

from typing import Any, Self

from tests.env.scenario import Scenario
from w51_env import warehouse51
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import CATEGORIES, IN_DECK, NO_GAP, PHASES, POINT_SOURCES, UNSOLD


class Table(Scenario):
    """One game of Warehouse 51 with player 0 first, whose state a test may set.

    Example:
        >>> table = Table(num_players=4)
        >>> table.decks("holy_grail").ingots(10, 10, 10, 10)   # the only relic left to auction
        >>> table.play("choose_deck_blue", "bid_3", "pass", "pass", "pass")
        >>> table.owner("holy_grail"), table["ingots"][:4].tolist()
        (1, [10, 7, 13, 10])
    """

    phases = PHASES

    def __init__(self, num_players: int = 4, *, seed: int = 0, first_player: int | str = 0, **options: Any):
        super().__init__(warehouse51.make(num_players, first_player=first_player, **options), seed)
        self.relics = load_relic_set(self.game.options["relics"])

    # ---- laying out (each returns the table; all relics not in a deck or given to a seat leave the game)

    def decks(self, *relics: str) -> Self:
        """These relics, in this order from the top of their decks, are left; all others are out of the game."""
        wanted = [self.relics.index(relic) for relic in relics]
        state = self.state
        for category in range(len(CATEGORIES)):
            of_category = [
                relic for relic in range(len(self.relics)) if self.relics.relics[relic].category == CATEGORIES[category]
            ]
            left = [relic for relic in wanted if relic in of_category]
            start = int(self.game.rules["deck_start"][0][category])
            state["deck"][start : start + len(of_category)] = [
                relic for relic in of_category if relic not in left
            ] + left
            state["drawn"][category] = len(of_category) - len(left)
            for relic in of_category:
                if relic in left:
                    state["place"][relic] = IN_DECK
                elif state["place"][relic] == IN_DECK:
                    state["place"][relic] = UNSOLD
        return self.refresh()

    def give(self, seat: int, *relics: str, pawned: bool = False) -> Self:
        """The seat has these relics (call before `decks`, or for relics that `decks` left out)."""
        for relic in relics:
            index = self.relics.index(relic)
            self.state["place"][index] = seat
            self.state["pawned"][index] = pawned
        return self.refresh()

    def ingots(self, *ingots: int) -> Self:
        """Ingots of each seat; the reserve takes up the difference, so that none is made or lost."""
        state = self.state
        state["reserve"] += int(state["ingots"].sum()) - sum(ingots)
        assert state["reserve"] >= 0, "these ingots are more than the game has"
        state["ingots"][: len(ingots)] = ingots
        return self.refresh()

    def counterfeits(self, **gap_of: int) -> Self:
        """The counterfeit cards on the table: relic=gap; no others."""
        self.state["counterfeit_gap"][:] = NO_GAP
        for relic, gap in gap_of.items():
            self.state["counterfeit_gap"][self.relics.index(relic)] = gap
        return self.refresh()

    # ---- playing

    def play(self, *actions: str) -> Self:
        """Play actions by name, whoever's turn it is. Each must leave the ingots in play as many as they were (S2)."""
        for action in actions:
            in_play = self.ingots_in_play
            super().play(action)
            assert self.ingots_in_play == in_play, f"{action}: {in_play} ingots in play became {self.ingots_in_play}"
        return self

    # ---- looking

    def index(self, relic: str) -> int:
        """The relic's index in the state and in events."""
        return self.relics.index(relic)

    def owner(self, relic: str) -> int:
        """Place of a relic: a seat, or one of the negative places of `state`."""
        return int(self["place"][self.index(relic)])

    def is_pawned(self, relic: str) -> bool:
        return bool(self["pawned"][self.index(relic)])

    @property
    def lot(self) -> str | None:
        """Id of the relic on the block, or just bought while its effect is chosen."""
        return None if self["lot"] < 0 else self.relics.ids[self["lot"]]

    @property
    def purses(self) -> list[int]:
        """Ingots of each seat in play."""
        return self.of_seats("ingots")

    @property
    def reserve(self) -> int:
        return int(self["reserve"])

    @property
    def ingots_in_play(self) -> int:
        return int(self["ingots"].sum()) + self.reserve

    def seen(self, seat: int, part: str) -> dict[str, int]:
        """A slice with one number for each relic, as {relic: number} without the zeros."""
        return {
            relic: int(number) for relic, number in zip(self.relics.ids, self.read(seat, part), strict=False) if number
        }

    def points(self, seat: int) -> dict[str, int]:
        """Points of a seat by source, when the game is over."""
        return dict(zip(POINT_SOURCES, map(int, self["points"][seat]), strict=True))


LOTS = ("holy_grail", "golden_fleece", "sharur")  # open, open, blind


def owning(seat: int, *relics: str, pawned: bool = False, lots: tuple[str, ...] = LOTS, **options) -> Table:
    """Seat 0 is asked for a deck, this seat has these relics."""
    return Table(4, **options).give(seat, *relics, pawned=pawned).decks(*lots)


def bids(least: int, most: int) -> set[str]:
    return {f"bid_{ingots}" for ingots in range(least, most + 1)}
