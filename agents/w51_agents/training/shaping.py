"""Potential-based shaping of rewards, which leaves the best policy as it is."""

from typing import Protocol

import numpy as np

from w51_agents.agent import AgentError
from w51_agents.training.games import SelfPlayGames
from w51_env.engine.errors import OptionError, W51Error
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object
from w51_env.engine.standing import Standing


class Shaping(Protocol):
    """Potentials of states, in units of reward. A class of these is made with the game: `Class(game)`."""

    def __call__(self, games: np.ndarray) -> np.ndarray:
        """(N, num_players) floats, the potential of each state for each seat.

        Args:
            games: (N,) records of the game's state (`Batch.games`), not to be changed. They hold all that is hidden:
                potentials serve training only.
        """


# Shapings of this package, by their names in configs.
SHAPINGS = {"standing": "w51_agents.training.shaping:StandingMargin"}


class StandingMargin:
    """What each seat would get if the game ended now: its points less the mean of the others'.

    Args:
        game: The game, with the reward `margin`.

    Raises:
        OptionError: Another reward, or a game that counts no points before its end.
    """

    def __init__(self, game: Game):
        if game.options["reward"] != "margin":
            raise OptionError(f"shaping: 'standing' needs reward=margin, but it is {game.options['reward']}")
        self._standing = Standing(game)

    def __call__(self, games: np.ndarray) -> np.ndarray:
        scores = self._standing.scores(games).astype(np.float32)
        players = scores.shape[1]
        return (scores * players - scores.sum(1, keepdims=True)) / (players - 1)


class Potentials:
    """The potentials of a shaping in the states of one game.

    Args:
        name: One of `SHAPINGS`, or a class of `Shaping` as `module:Class`.
        game: The game.

    Raises:
        AgentError: There is no such class, or it cannot be made.
    """

    def __init__(self, name: str, game: Game):
        self._name = name
        self._num_players = game.num_players
        try:
            self._shaping: Shaping = import_object(SHAPINGS.get(name, name))(game)
        except W51Error:
            raise
        except Exception as error:  # third-party code can fail in any way
            raise AgentError(f"shaping {name!r} cannot be made: {type(error).__name__}: {error}") from error

    def __call__(self, games: np.ndarray) -> np.ndarray:
        """(N, num_players) floats; AgentError if the class returns anything else."""
        values = np.asarray(self._shaping(games))
        if values.shape != (len(games), self._num_players) or not np.isfinite(values).all():
            raise AgentError(
                f"shaping {self._name!r}: {values.dtype} of shape {values.shape}, but finite numbers of shape "
                f"({len(games)}, {self._num_players}) are needed"
            )
        return values


class ShapedRewards:
    """The terms that shaping adds to the rewards of each step (Ng et al., ICML 1999).

    A step from s to t adds the potential of t less that of s; that of an ended game is 0. So a whole game adds only a
    constant, whatever its seats do.

    Args:
        name: As for `Potentials`.
        games: The games; their current states are those before the first step.

    Raises:
        AgentError: As of `Potentials`.
    """

    def __init__(self, name: str, games: SelfPlayGames):
        self._potentials = [Potentials(name, group.game) for group in games.groups]
        self._games = games
        self._now, self._before = (np.zeros(games.rewards.shape, np.float32) for _ in range(2))
        self.begin()

    def begin(self) -> None:
        """Take the current states as those before the next step."""
        for batch, rows, compute in zip(self._games.batches, self._games.rows, self._potentials, strict=True):
            self._now[rows, : batch.game.num_players] = compute(batch.games)

    def terms(self) -> np.ndarray:
        """(N, seats) float32, to be added to the rewards of the step that the games have just made."""
        self._before, self._now = self._now, self._before
        self.begin()
        return self._now * ~self._games.done[:, None] - self._before
