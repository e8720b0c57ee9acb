"""Games of a block whose replays are kept, or may be: as seed and actions, from which they are played again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from w51_env.engine.batch import Batch
from w51_env.engine.game import NO_ACTION, Game
from w51_lab.replays.replay import Replay


@dataclass(frozen=True)
class RecordedGame:
    """A game as it was played.

    Attributes:
        row: Row of the game in its block.
        seed: Seed of the game.
        controllers: Who chose the actions of each seat: `external`, or a bot's name.
        actions: Action ids of the external seats, in order.
    """

    row: Annotated[int, Field(ge=0)]
    seed: Annotated[int, Field(ge=0, lt=2**64)]
    controllers: tuple[str, ...]
    actions: tuple[int, ...]

    def replay(self, game: Game, players: Sequence[str]) -> Replay:
        """The replay of the game, with the names of the agents."""
        return Replay.record(game, self.seed, self.actions, controllers=self.controllers, players=players)


class ActionLog:
    """The actions of the first games of a batch."""

    def __init__(self, seeds: np.ndarray):
        self._seeds = seeds
        self._steps: list[np.ndarray] = []

    def read(self, actions: np.ndarray) -> None:
        """Take the (N,) actions of a step."""
        self._steps.append(actions[: len(self._seeds)].astype(np.int16))

    def game(self, row: int, batch: Batch) -> RecordedGame:
        """A finished game of the batch."""
        actions = tuple(int(step[row]) for step in self._steps if step[row] != NO_ACTION)
        return RecordedGame(row, int(self._seeds[row]), batch.controller_names(row), actions)
