"""Recording the games of a batch as replays while they are played."""

from collections.abc import Sequence

import numpy as np

from w51_agents.system.json_text import JsonObject
from w51_env.engine.batch import Batch
from w51_env.engine.errors import ReplayError
from w51_lab.replays.beginning import begin_replayed
from w51_lab.replays.replay import Replay


class Recorder:
    """Records one game of a batch, episode after episode. Step the batch with this object's `step`.

    Args:
        batch: A batch that has been reset.
        index: The game to record, at the beginning of an episode.
        players, metadata: Names of the players and further facts, written into each replay.

    Attributes:
        replays: The finished episodes. An illegal action that ended an episode (`illegal_action="lose"`) is not a move:
            the replay ends with the move before.

    Raises:
        ReplayError: The game is not at the beginning of an episode.

    Example:
        >>> recorder = Recorder(batch, 0)
        >>> while not recorder.replays:
        ...     recorder.step(batch.sample_actions())
        >>> recorder.replays[0].save("game.json")
    """

    def __init__(
        self, batch: Batch, index: int = 0, *, players: Sequence[str] = (), metadata: JsonObject | None = None
    ):
        self.batch = batch
        self.index = index
        self.replays: list[Replay] = []
        self._players, self._metadata = tuple(players), dict(metadata or {})
        self.begin()

    def begin(self) -> None:
        """Begin to record a new episode; needed after `batch.reset` only."""
        self._seed = int(self.batch.seeds[self.index])
        self._controllers = self.batch.controller_names(self.index)
        self._actions: list[int] = []
        if begin_replayed(self.batch.game, self._seed, self._controllers).state_bytes(0) != self.batch.state_bytes(
            self.index
        ):
            raise ReplayError(f"game {self.index} is under way; a recorder follows it from the beginning of an episode")

    def step(self, actions: np.ndarray) -> None:
        """`batch.step(actions)`, with the action of the recorded game stored."""
        running = self.batch.seat[self.index] >= 0
        self.batch.step(actions)
        if running and not self.batch.illegal[self.index]:
            self._actions.append(int(actions[self.index]))
        if running and self.batch.done[self.index]:
            self.replays.append(self.replay())
        if self.batch.seat[self.index] >= 0 and (not running or self.batch.done[self.index]):
            self.begin()

    def replay(self) -> Replay:
        """The replay of the current episode up to now."""
        return Replay.record(
            self.batch.game,
            self._seed,
            self._actions,
            controllers=self._controllers,
            players=self._players,
            metadata=self._metadata,
        )
