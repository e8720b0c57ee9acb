"""A film: a game to step through, forward and back, with what agents report of each decision."""

from collections.abc import Sequence

import numpy as np

from w51_env.agents.insight import Adviser, Insight
from w51_env.core.frames import Frame, frame_of, frames_of
from w51_env.core.game import EXTERNAL, Game
from w51_env.core.replay import Replay, begin_replayed

_NO_BREAK = "\u00a0"  # a space inside numbers, which `isprintable` does not count
_LONGEST_NAME = 24


class Film:
    """The frames of a game, as far as it has been played.

    Attributes:
        game: The game with its rules bound.
        names: A name for each seat; empty: they have none.
        frames: The frames so far; the last one has no action.
        complete: Whether no frame can be added.
    """

    def __init__(self, game: Game, names: Sequence[str], frames: list[Frame]):
        self.game = game
        self.names = tuple(map(printable, names))
        self.frames = frames
        self.complete = True
        self._insights: dict[int, Insight] = {}

    def lots(self) -> list[int]:
        """Indices of the frames at which a new lot begins."""
        return [frame.number for frame in self.frames if frame.begins_lot]

    def insight(self, index: int) -> Insight | None:
        """What an agent reports of the decision of a frame; None where there is nothing."""
        return self._insights.get(index)

    def advance(self) -> None:
        """Add a frame, if the film is not complete."""

    def replay(self) -> Replay:
        """The replay of the film. Privileged."""
        raise NotImplementedError


class ReplayFilm(Film):
    """The film of a replay.

    Args:
        replay: A replay that `Replay.load` or `verify` accepted.
        adviser: Name of an agent that is shown every decision; None: no agent.

    Raises:
        AgentError: The agent is unknown, or cannot play this game.
    """

    def __init__(self, replay: Replay, adviser: str | None = None):
        frames = list(frames_of(replay))
        super().__init__(frames[0].game, replay.players, frames)
        self._replay = replay
        self._adviser = Adviser(adviser, self.game, replay.seed) if adviser is not None else None

    def insight(self, index: int) -> Insight | None:
        if index not in self._insights and self._adviser is not None and self.frames[index].seat >= 0:
            self._insights[index] = self._adviser.decide(self.frames[index])
        return self._insights.get(index)

    def replay(self) -> Replay:
        return self._replay


class LiveFilm(Film):
    """The film of a game that agents play now, a decision at each `advance`.

    Args:
        game: The game with its rules bound.
        agents: Name of the agent in each seat, as in evaluate.py.
        seed: Seed of the game and of the agents, 0 to 2**64-1.
        trust: Load pickled models, which can run any code.

    Attributes:
        agents, seed: As given.

    Raises:
        AgentError: An agent is unknown, or cannot play this game.
    """

    def __init__(self, game: Game, agents: Sequence[str], seed: int, *, trust: bool = False):
        self._advisers = [Adviser(name, game, seed, trust=trust) for name in agents]
        self.agents = tuple(agents)
        self.seed = seed
        self._batch = begin_replayed(game, seed, (EXTERNAL,) * game.num_players)
        super().__init__(game, agents, [frame_of(self._batch, 0)])
        self.complete = False

    def insight(self, index: int) -> Insight | None:
        """As of a film; the agent to move in the last frame decides, and plays that action when the film goes on."""
        if index == len(self.frames) - 1 and not self.complete:
            self._decide()
        return super().insight(index)

    def _decide(self) -> Insight:
        frame = self.frames[-1]
        if frame.number not in self._insights:
            self._insights[frame.number] = self._advisers[frame.seat].decide(frame)
        return self._insights[frame.number]

    def advance(self) -> None:
        frame = self.frames[-1]
        if frame.seat >= 0:
            found = self._decide()
            self._batch.step(np.array([found.action]))
            self.frames[-1] = frame.chosen(found.action)
            self.frames.append(frame_of(self._batch, frame.number + 1))
        self.complete = self.frames[-1].seat < 0

    def replay(self) -> Replay:
        actions = [frame.action for frame in self.frames if frame.action is not None]
        return Replay.record(self.game, self.seed, actions, players=self.names)


def printable(text: str, most: int = _LONGEST_NAME) -> str:
    """A text without control characters, not too long: a replay of a stranger must not steer the terminal."""
    return "".join(letter if letter.isprintable() or letter == _NO_BREAK else "?" for letter in text[:most]) or "?"
