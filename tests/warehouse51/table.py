"""A table on which a rule's scenario is laid out in a few lines, and played by action names."""

from typing import Any

import numpy as np

from w51_env import warehouse51
from w51_env.core.batch import Batch
from w51_env.warehouse51.relics import load_relic_set
from w51_env.warehouse51.state import CATEGORIES, IN_DECK, NO_GAP, UNSOLD


class Table:
    """One game of Warehouse 51 with player 0 first, whose state a test may set.

    Example:
        >>> table = Table(num_players=4)
        >>> table.decks("holy_grail").ingots(10, 10, 10, 10)   # the only relic left to auction
        >>> table.play("choose_deck_blue", "bid_3", "pass", "pass", "pass")
        >>> table.owner("holy_grail"), table["ingots"][:4].tolist()
        (1, [10, 7, 13, 10])
    """

    def __init__(self, num_players: int = 4, *, seed: int = 0, first_player: int | str = 0, **options: Any):
        self.game = warehouse51.make(num_players, first_player=first_player, **options)
        self.relics = load_relic_set(self.game.options["relics"])
        self.batch = Batch(self.game, 1, seed=seed, autoreset="disabled", events=True)
        self.batch.reset()

    # ---- laying out (each returns the table; all relics not in a deck or given to a seat leave the game)

    def decks(self, *relics: str) -> "Table":
        """These relics, in this order from the top of their decks, are left; all others are out of the game."""
        wanted = [self.relics.index(relic) for relic in relics]
        state = self.state
        for category in range(len(CATEGORIES)):
            of_category = [relic for relic in range(len(self.relics)) if self.relics.relics[relic].category == CATEGORIES[category]]
            left = [relic for relic in wanted if relic in of_category]
            start = int(self.game.rules["deck_start"][0][category])
            state["deck"][start : start + len(of_category)] = [relic for relic in of_category if relic not in left] + left
            state["drawn"][category] = len(of_category) - len(left)
            for relic in of_category:
                if relic in left:
                    state["place"][relic] = IN_DECK
                elif state["place"][relic] == IN_DECK:
                    state["place"][relic] = UNSOLD
        return self.refresh()

    def give(self, seat: int, *relics: str, pawned: bool = False) -> "Table":
        """The seat has these relics (call before `decks`, or for relics that `decks` left out)."""
        for relic in relics:
            index = self.relics.index(relic)
            self.state["place"][index] = seat
            self.state["pawned"][index] = pawned
        return self.refresh()

    def ingots(self, *ingots: int) -> "Table":
        """Ingots of each seat; the reserve takes up the difference, so that none is made or lost."""
        state = self.state
        state["reserve"] += int(state["ingots"].sum()) - sum(ingots)
        assert state["reserve"] >= 0, "these ingots are more than the game has"
        state["ingots"][: len(ingots)] = ingots
        return self.refresh()

    def counterfeits(self, **gap_of: int) -> "Table":
        """The counterfeit cards on the table: relic=gap; no others."""
        self.state["counterfeit_gap"][:] = NO_GAP
        for relic, gap in gap_of.items():
            self.state["counterfeit_gap"][self.relics.index(relic)] = gap
        return self.refresh()

    def change(self, **fields: Any) -> "Table":
        """Set any fields of the state record."""
        for name, value in fields.items():
            self.state[name] = value
        return self.refresh()

    def refresh(self) -> "Table":
        self.batch.refresh()
        return self

    # ---- playing

    def play(self, *actions: str) -> "Table":
        """Play actions by name, whoever's turn it is."""
        for action in actions:
            self.batch.step(np.array([self.game.actions.id(action)]))
        return self

    # ---- looking

    @property
    def state(self) -> np.void:
        """The state record, writable; call `refresh` after writing."""
        return self.batch.games[0]

    def __getitem__(self, field: str) -> Any:
        return self.batch.games[0][field]

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.batch.seat[0])

    @property
    def over(self) -> bool:
        return bool(self["over"])

    def legal(self) -> set[str]:
        """Names of the legal actions, from the mask."""
        return {self.game.actions[index].name for index in np.flatnonzero(self.batch.action_mask[0])}

    def owner(self, relic: str) -> int:
        """Place of a relic: a seat, or one of the negative places of `state`."""
        return int(self["place"][self.relics.index(relic)])

    def events(self, name: str | None = None) -> list[dict]:
        """What the last action brought; only events of this name, if one is given."""
        return [event for event in self.batch.events(0) if name in (None, event["event"])]

    def observe(self, seat: int) -> np.ndarray:
        """(layout.size,) int8, what a seat may know."""
        return self.batch.observe(seat)[0]

    def points(self, seat: int) -> dict[str, int]:
        """Points of a seat by source, when the game is over."""
        from w51_env.warehouse51.state import POINT_SOURCES

        return dict(zip(POINT_SOURCES, map(int, self["points"][seat]), strict=True))
