"""Stable-Baselines3 on a batch: a VecEnv without an environment object for each game."""

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from w51_env.adapters.learner_adapter import LearnerAdapter
from w51_env.adapters.learner_seats import consecutive_seeds
from w51_env.adapters.rendering import RENDER_FPS, RGB_ARRAY
from w51_env.engine.batch import Batch
from w51_env.engine.call_arguments import check_bytes
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.options import check_seed
from w51_env.engine.saved_states import CHECKSUM_BYTES, checksum
from w51_env.pictures.raster import rgb_array

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices
except ModuleNotFoundError as error:
    raise ImportError("Stable-Baselines3 is not installed; it comes with: pip install 'w51_env[sb3]'") from error


class LearnerVecEnv(LearnerAdapter, VecEnv):
    """N games with a learner in each, for SB3's algorithms; action masks reach sb3-contrib's MaskablePPO.

    Observation: Box (layout.size,); action: Discrete. The learner's observation is always that of its own next
    decision; its reward is the sum of its seat's rewards since its last one. The step that ends a game also begins the
    next one. Its info has `terminal_observation`, `TimeLimit.truncated` (False), `episode` with return `r`, learner's
    decisions `l` and seconds `t`, the learner's `seat` and `rank`, `scores`, `ranks` and `rewards` of all seats, and
    `illegal`; other infos are empty. Arrays are new at each call.

    Args:
        game: A game with its rules bound, or the id of a registered one.
        num_envs: Number of games, N.
        illegal_action: `raise` (default): IllegalActionError names the game, and no game has changed; or `lose`: the
            game ends, with -1 for the learner, as algorithms without masks need it.
        seed: Game i has seed + i; `seed(seed)` does the same for the next reset. None: random seeds.
        threads: Number of threads that step the games.
        **arguments: As for `gymnasium_env.LearnerEnv`. With `render_mode="rgb_array"` `render` returns one tiled
            picture of all games, `get_images` each one.

    Raises:
        KeywordError, OptionError: As by `LearnerEnv`.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        *,
        illegal_action: str = "raise",
        seed: int | None = None,
        threads: int = 1,
        **arguments: Any,
    ):
        batch = {"seed": seed, "threads": threads}
        super().__init__(game, num_envs, (RGB_ARRAY,), batch, illegal_action=illegal_action, **arguments)
        self.num_envs = self._games.batch.num_games
        self._actions = np.empty(0, np.int64)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._start = time.time()
        VecEnv.__init__(self, self.num_envs, self._games.observation_space, self._games.action_space)
        self.metadata["render_fps"] = RENDER_FPS  # type: ignore[assignment]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed game i with seed + i at the next reset (None: a random seed); returns the seeds of the games."""
        return super().seed(None if seed is None else check_seed("seed", seed))

    def reset(self) -> Any:
        """Begin an episode in each game, that of its seed if `seed` was called since; observations (N, size)."""
        seed = self._seeds[0]
        self._games.reset(None if seed is None else consecutive_seeds(seed, self.num_envs))
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        return self._games.observe()

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play the actions given to `step_async`, (N,) integers.

        Returns:
            Observations (N, size), rewards float32 (N,), dones bool (N,), infos, a dict for each game.

        Raises:
            IllegalActionError: An action is not legal. No game has changed.
        """
        games = self._games
        games.step(self._actions)
        rewards = games.reward.astype(np.float32)
        dones = games.done.copy()
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in dones]
        if games.num_done:  # otherwise all rewards are 0
            self._returns += rewards
            finished = np.flatnonzero(dones)
            seconds = round(time.time() - self._start, 6)
            for index, last in zip(finished.tolist(), games.final_observation(finished), strict=True):
                infos[index] = {
                    **games.final_info(index),
                    "seat": int(games.seat[index]),
                    "terminal_observation": last,
                    "TimeLimit.truncated": False,
                    "episode": {"r": float(self._returns[index]), "l": int(self._lengths[index]), "t": seconds},
                }
            self._returns[finished] = 0
            self._lengths[finished] = 0
        return games.observe(), rewards, dones, infos

    @property
    def batch(self) -> Batch:
        """The games, with all that is hidden: for reward shaping, not for observations."""
        return self._games.batch

    def get_images(self) -> Sequence[np.ndarray]:
        """For each game (720, 1280, 3) uint8: what the learner may know."""
        return list(map(rgb_array, self._views()))

    def snapshot(self) -> bytes:
        """The state of all games as bytes, for `restore` of an equal VecEnv. Privileged.

        What agents among the opponents remember is not in it.
        """
        games = self._games.batch.snapshot()
        running = b"".join(array.tobytes() for array in self._running())
        return checksum(running, games) + running + games

    def restore(self, snapshot: bytes) -> Any:
        """Continue from a `snapshot`; returns its observations (N, size).

        Raises:
            OptionError: The bytes are damaged, or of other games.
        """
        check_bytes("snapshot", snapshot, "snapshot")
        if snapshot[:CHECKSUM_BYTES] != checksum(snapshot[CHECKSUM_BYTES:]):
            raise OptionError(f"snapshot: {len(snapshot)} bytes that are damaged, or of something else")
        sizes = [array.nbytes for array in self._running()]
        self._games.restore(snapshot[CHECKSUM_BYTES + sum(sizes) :])
        start = CHECKSUM_BYTES
        for array, size in zip(self._running(), sizes, strict=True):
            array[:] = np.frombuffer(snapshot, array.dtype, len(array), start)
            start += size
        return self._games.observe()

    def _running(self) -> tuple[np.ndarray, ...]:
        """The sums over the current episodes."""
        return (self._returns, self._lengths)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute for each of `indices`: `seat` and `action_masks` (a function) of the game, any other of the
        VecEnv.

        Raises:
            AttributeError: There is no attribute of this name.
        """
        chosen = self._get_indices(indices)
        if attr_name == "seat":
            return [int(self.seat[index]) for index in chosen]
        if attr_name == "action_masks":
            return [lambda index=index: self.action_masks()[index] for index in chosen]
        value = getattr(self, attr_name)
        return [value for _ in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Always raises AttributeError: the games of a batch have their options in common."""
        self._refuse_to_set(attr_name)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks`: a row (num_actions,) bool for each of `indices`.

        Raises:
            AttributeError: Another method; single games have no other.
        """
        if method_name != "action_masks":
            raise AttributeError(f"{method_name}: a single game has the method action_masks only")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """True for SB3's Monitor, because infos have its `episode`; False for any other wrapper."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]
