"""One game of any kind that a test sets up field by field and plays by action names."""

from typing import Any, Self

import numpy as np

from w51_env.engine.batch import Batch
from w51_env.engine.game import Game
from w51_env.views.text_table import table


class Scenario:
    """One game whose state a test may set.

    Example:
        >>> scenario = Scenario(make_game("alles_futsch_v1", first_player=0))
        >>> scenario.change(money=[5, 0]).play("select_0", "raise_1")
        >>> scenario.seat, scenario["standing_bid"]
        (2, 1)
    """

    phases: tuple[str, ...] = ()  # names of the phases, by number

    def __init__(self, game: Game, seed: int = 0):
        self.game = game
        self._batch = Batch(game, 1, seed=seed, autoreset="disabled", events=True)
        self._batch.reset()
        self._is_laid_out = False

    # ---- setting up (each returns the scenario)

    def change(self, **fields: Any) -> Self:
        """Set any fields of the state record; of a field with one number for each seat, the first seats."""
        for name, value in fields.items():
            if np.ndim(value) == 1:
                self.state[name][: len(value)] = value
            else:
                self.state[name] = value
        return self.refresh()

    def refresh(self) -> Self:
        """The state was written to. The batch takes it when it is used next, so it may be laid out in several steps."""
        self._is_laid_out = True
        return self

    # ---- playing

    def play(self, *actions: str) -> Self:
        """Play actions by name, each for the seat to move."""
        for action in actions:
            self.batch.step(np.array([self.game.actions.id(action)]))
        return self

    # ---- reading

    @property
    def batch(self) -> Batch:
        """The batch of this one game, in the state that was laid out; OptionError if that is none of the game."""
        if self._is_laid_out:
            self._batch.refresh()
            self._is_laid_out = False
        return self._batch

    @property
    def state(self) -> np.void:
        """The state record, writable; call `refresh` after writing."""
        return self._batch.games[0]

    def __getitem__(self, field: str) -> Any:
        return self._batch.games[0][field]

    @property
    def seat(self) -> int:
        """The seat to move."""
        return int(self.batch.seat[0])

    @property
    def phase(self) -> str:
        return self.phases[self["phase"]]

    @property
    def over(self) -> bool:
        return bool(self["over"])

    def legal(self) -> set[str]:
        """Names of the legal actions, from the mask."""
        return {self.game.actions[index].name for index in np.flatnonzero(self.batch.action_mask[0])}

    def of_seats(self, field: str) -> list[int]:
        """A field with one number for each seat, of the seats in play."""
        return self[field][: self.game.num_players].tolist()

    def events(self, name: str | None = None, viewer: int | None = None) -> list[dict]:
        """Events of the last action, as seat `viewer` may know them; only those of this name, if one is given."""
        return [event for event in self.batch.events(0, viewer) if name in (None, event["event"])]

    def event_names(self) -> list[str]:
        """Names of the events of the last action, in order."""
        return [event["event"] for event in self.events()]

    def sentences(self) -> list[str]:
        """The events of the last action as sentences."""
        return [self.game.event_text(event) for event in self.batch.events(0)]

    def observe(self, seat: int) -> np.ndarray:
        """(layout.size,) int8, what a seat may know."""
        return self.batch.observe(seat)[0]

    def read(self, seat: int, part: str) -> np.ndarray:
        """One named slice of what a seat may know, in its shape."""
        return self.game.layout.read(self.observe(seat), part)

    def text(self, viewer: int | str) -> str:
        """The state as text, as a viewer may know it."""
        return table(self.batch.view(0, viewer))
