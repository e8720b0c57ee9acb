"""Games with a learner in one seat and bots in the others: what the single-agent adapters share.

The bots play inside the batch. The learner's next observation is therefore that of its own next decision, and its
reward is the sum of its seat's rewards since its last one.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from w51_env.adapters.spaces import OBSERVATION_DTYPE, action_space, as_dtype, observation_space
from w51_env.core.batch import Batch
from w51_env.core.errors import OptionError, nearest, not_begun
from w51_env.core.game import EXTERNAL, Game
from w51_env.core.options import check_choice, check_seed, is_list

_SEATINGS = {"random": "shuffle", "rotate": "rotate"}


class LearnerGames:
    """N games of a `Batch` with one learner each.

    Args:
        game: The game with its rules bound.
        num_games: Number of games, N.
        learner_seat: A seat; `"random"`: learner and bots are shuffled over the seats for each episode; `"rotate"`: all
            move one seat clockwise for each episode, and the first seat is the game's seed modulo the number of
            players.
        opponents: A bot's name for all other seats, or one for each, clockwise from the learner's left.
        observation_dtype: `float32` in [-1, 1] (default), or `int8`.
        seed: Game i has seed + i; None: random seeds. The same seed is the same game in any batch.
        **arguments: Further arguments of `Batch`.

    Attributes:
        batch: The games.
        observation_space, action_space: Of one game.
        over: (N,) bool, the games that are over until a reset.
        seat: (N,) int64, the learner's seat in the episode of the last step.
        reward: (N,) float64, the learner's reward of the last step.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        *,
        learner_seat: int | str = "random",
        opponents: str | Sequence[str] = "random",
        observation_dtype: str = OBSERVATION_DTYPE,
        seed: int | None = None,
        **arguments: Any,
    ):
        check_choice("learner_seat", learner_seat, (*_SEATINGS, *range(game.num_players)))
        self._learner_seat = learner_seat
        controllers = [EXTERNAL, *_opponent_names(game, opponents)]
        self._dtype = observation_dtype
        self.observation_space: gymnasium.spaces.Box = observation_space(game, observation_dtype)
        self.action_space: gymnasium.spaces.Discrete = action_space(game)
        self.batch = Batch(
            game, num_games, controllers=controllers, seating=_SEATINGS.get(str(learner_seat), "fixed"), **arguments
        )
        self._table = self.batch.controllers[0].copy()  # clockwise from the learner
        drawn = np.random.SeedSequence().generate_state(num_games, np.uint64)
        self._seeds = drawn if seed is None else consecutive_seeds(seed, num_games)
        self._begun = False
        self._everyone = np.arange(num_games)

    def reset(self, seeds: np.ndarray | None = None, which: np.ndarray | None = None) -> None:
        """Begin new episodes, in all games or where `which` (N,) bool is True.

        Args:
            seeds: (N,) uint64, of the games to reset; None: each game begins its next episode.
            which: The games to reset; None for all.
        """
        if seeds is None and not self._begun:
            seeds = self._seeds
        if seeds is not None:
            chosen = slice(None) if which is None else which
            self.batch.first_controllers[chosen] = self._seated(seeds)[chosen]
        self._begun = True
        self.batch.reset(seeds, which)
        self.seat = (self.batch.controllers == -1).argmax(axis=1)

    def step(self, actions: np.ndarray) -> None:
        """Play the learners' actions, (N,) integers, and all that the bots do before the learners' next decisions."""
        self.batch.step(actions)
        self.seat = np.where(self.batch.done, self.batch.learner, self.current_seat)

    def restore(self, snapshot: bytes) -> None:
        """Continue from a `snapshot` of the batch."""
        self.batch.restore(snapshot)
        self._begun = True
        self.seat = np.where(self.batch.done, self.batch.learner, (self.batch.controllers == -1).argmax(axis=1))

    def check_begun(self, call: str) -> None:
        """GameOverError before the first reset, for a call that needs a game."""
        if not self._begun:
            raise not_begun(call)

    @property
    def current_seat(self) -> np.ndarray:
        """(N,) int64: the learner's seat in the current episode."""
        seat = self.batch.seat
        return np.where(seat >= 0, seat, self.seat)

    @property
    def over(self) -> np.ndarray:
        return self.batch.seat < 0

    @property
    def reward(self) -> np.ndarray:
        return self.batch.rewards[self._everyone, self.seat].astype(np.float64)

    def observe(self) -> np.ndarray:
        """(N, size), new: each learner's observation; where the game is over, its last one."""
        observation = as_dtype(self.batch.game, self.batch.observation, self._dtype)
        over = self.over
        if over.any():
            observation[over] = self.final_observation(np.flatnonzero(over))
        return observation

    def final_observation(self, indices: np.ndarray) -> np.ndarray:
        """(K, size), new: the learner's last observation of the episodes that ended last in games `indices` (K,)."""
        return as_dtype(
            self.batch.game, self.batch.final_observation[indices, self.batch.learner[indices]], self._dtype
        )

    def final_info(self, index: int) -> dict[str, Any]:
        """Results of the episode that game `index` finished in the last step.

        `scores` int16, `ranks` int8, `rewards` float32, each (num_players,), by seat; the learner's `rank`; `illegal`:
        whether an illegal action ended the episode.
        """
        batch = self.batch
        return {
            "scores": batch.final_scores[index].copy(),
            "ranks": batch.final_ranks[index].copy(),
            "rewards": batch.rewards[index].copy(),
            "rank": int(batch.final_ranks[index, batch.learner[index]]),
            "illegal": bool(batch.illegal[index]),
        }

    def _seated(self, seeds: np.ndarray) -> np.ndarray:
        """(N, num_players) int8, the controllers of each game's first episode."""
        players = len(self._table)
        if self._learner_seat == "rotate":
            shift = (seeds % np.uint64(players)).astype(np.int64)
        else:
            shift = np.full(len(seeds), 0 if self._learner_seat == "random" else self._learner_seat)
        return self._table[(np.arange(players) - shift[:, None]) % players]


def consecutive_seeds(seed: int, count: int) -> np.ndarray:
    """(count,) uint64: seed, seed + 1, ..., as the libraries number their environments; 2**64 - 1 is followed by 0."""
    return (np.arange(count, dtype=np.uint64) + np.uint64(check_seed("seed", seed))).astype(np.uint64)


def _opponent_names(game: Game, opponents: str | Sequence[str]) -> list[str]:
    others = game.num_players - 1
    names: list[Any] = list(opponents) if is_list(opponents) else [opponents] * others
    if len(names) != others:
        raise OptionError(
            f"opponents: {len(names)} names, but one for all or one for each of {others} other seats is needed"
        )
    for name in names:
        if not isinstance(name, str) or name not in game.bots:
            raise OptionError(f"opponents: {name!r}, but allowed are {', '.join(game.bots)}{nearest(name, game.bots)}")
    return names
