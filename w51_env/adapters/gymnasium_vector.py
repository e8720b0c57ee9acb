"""Gymnasium's vector interface on a batch: N games stepped in one call."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from w51_env.adapters.learner_adapter import LearnerAdapter
from w51_env.adapters.learner_seats import consecutive_seeds
from w51_env.adapters.rendering import ANSI, RENDER_FPS, RGB_ARRAY
from w51_env.adapters.spaces import of_game
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.options import check_count, check_name, check_seed, check_seeds, is_list

_RESULTS = ("scores", "ranks", "rewards", "rank", "illegal")  # of an episode that ended, in `infos`


class LearnerVectorEnv(LearnerAdapter, VectorEnv[Any, np.ndarray, np.ndarray]):
    """N games, each with the interface of `LearnerEnv`; the same seed is the same game in both, for any N.

    The results of `step` have the form of `gymnasium.vector.SyncVectorEnv`, in each autoreset mode: `infos` has arrays
    over the games, and for each `key` a mask `_key`; with SAME_STEP the results of an episode are in `final_obs` and
    `final_info`. All arrays are new at each call.

    Args:
        game: A game with its rules bound, or the id of a registered one.
        num_envs: Number of games, N.
        autoreset_mode: A `gymnasium.vector.AutoresetMode` or its value; declared in `metadata`. NEXT_STEP (default, as
            Gymnasium's own): the step after the end begins the next episode and ignores the action. SAME_STEP: the step
            that ends an episode also begins the next. DISABLED: a finished game takes the action -1 until
            `reset(options={"reset_mask": ...})`.
        max_episode_steps: Number of the learner's decisions after which an episode is truncated, as
            `gymnasium.wrappers.TimeLimit` does it; None or -1: no limit.
        threads: Number of threads that step the games.
        **arguments: As for `LearnerEnv`. `illegal_action="raise"` names the game, and all games are as before the call;
            `render` returns a text table of each game (`render_mode="ansi"`), or pixels of each (`rgb_array`).

    Raises:
        KeywordError, OptionError: As by `LearnerEnv`.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int = 1,
        **arguments: Any,
    ):
        self._max_steps = None if max_episode_steps == -1 else max_episode_steps
        if self._max_steps is not None:
            check_count("max_episode_steps", self._max_steps)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        batch = {"autoreset": self.autoreset_mode.name.lower(), "threads": threads}
        super().__init__(game, num_envs, (ANSI, RGB_ARRAY), batch, **arguments)
        self.num_envs = self._games.batch.num_games
        self.metadata = {
            "autoreset_mode": self.autoreset_mode,
            "render_modes": self._render_modes,
            "render_fps": RENDER_FPS,
        }
        self._all = np.ones(self.num_envs, np.bool_)
        self._steps, self._truncated = np.zeros(self.num_envs, np.int64), np.zeros(self.num_envs, np.bool_)
        self._nothing_legal = np.zeros_like(self._games.batch.action_mask)
        self._no_results = {key: np.zeros_like(self._games.ended[key]) for key in _RESULTS}
        self.single_observation_space = self._games.observation_space
        self.single_action_space = self._games.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | np.ndarray | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: An int: game i has seed + i. Or a sequence with a seed for each game. None: a game's next episode.
            options: `{"reset_mask": (N,) bool}` resets these games only.

        Raises:
            OptionError: A seed or a mask that is not allowed.
        """
        which = self._reset_mask(options)
        if seed is None:
            self._games.reset(which=which)
        elif is_list(seed):
            seeds = check_seeds("seed", [0 if number is None else number for number in seed], self.num_envs)
            seeded = np.array([number is not None for number in seed])
            self._games.reset(which=which & ~seeded)
            self._games.reset(seeds, which & seeded)
        else:
            seed = check_seed("seed", seed)
            super().reset(seed=seed)
            self._games.reset(consecutive_seeds(seed, self.num_envs), which)
        self._steps[which], self._truncated[which] = 0, False
        infos = self._infos()
        for value in infos.values():
            value[~which] = 0
        return self._games.observe(), infos

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play the learners' actions.

        Args:
            actions: (N,) integers.

        Returns:
            Observations (N, size), rewards float64 (N,), terminations bool (N,), truncations bool (N,), infos.

        Raises:
            IllegalActionError, GameOverError: An action is not allowed. No game has changed.
        """
        games, same_step = self._games, self.autoreset_mode is AutoresetMode.SAME_STEP
        begins = None  # where the limit ended an episode and this call begins the next one
        if self._max_steps is not None:
            over = games.over
            begins = self._truncated & ~over & (self.autoreset_mode is AutoresetMode.NEXT_STEP)
            games.step(actions, ~begins)
            self._steps = np.where(over | begins, 0, self._steps + 1)
            self._truncated = self._steps >= self._max_steps
        else:
            games.step(actions)
        done, truncated, rewards = games.done.copy(), self._truncated.copy(), games.reward.copy()
        infos = self._infos()
        if same_step and (games.num_done or (self._max_steps is not None and truncated.any())):
            infos.update(self._same_step_infos(done, truncated))
            if self._max_steps is not None:
                self._steps[done | truncated] = 0
                begins = truncated & ~done
        if begins is not None and begins.any():
            games.reset(which=begins)
            infos.update(_copies(self._current(), self._all))
        return games.observe(), rewards, done, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """What the learner of each game may know: text tables (`ansi`), or (720, 1280, 3) uint8 each (`rgb_array`)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render: the environment was made without a render_mode; choose ansi or rgb_array")
            return None
        return tuple(map(self._renderer, self._views()))

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A method or an attribute of each game, as `gymnasium.vector.SyncVectorEnv` has it.

        `action_masks`, `render`, `seat`: that of each game; attributes of the vector environment: the same for all.

        Raises:
            AttributeError: A single game has no other method.
        """
        if name == "seat":
            return tuple(self.seat.tolist())
        if name in ("action_masks", "render"):
            return tuple(getattr(self, name)(*args, **kwargs))
        value = getattr(self, name)
        if callable(value):
            raise AttributeError(f"{name}: a single game has the methods action_masks and render only")
        return (value,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each game; see `call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Always raises AttributeError: the games of a batch have their options in common."""
        self._refuse_to_set(name)

    close = VectorEnv.close

    def close_extras(self, **kwargs: Any) -> None:
        LearnerAdapter.close(self)

    def _reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if (
            not isinstance(mask, np.ndarray)
            or mask.shape != (self.num_envs,)
            or mask.dtype != np.bool_
            or not mask.any()
        ):
            raise OptionError(
                f"reset_mask: {mask!r}, but bools of shape ({self.num_envs},) with at least one True are needed"
            )
        return mask

    def _current(self) -> dict[str, np.ndarray]:
        """The mask and the seat of all games, not copied."""
        return {"action_mask": self._games.batch.action_mask, "seat": self._games.current_seat}

    def _infos(self) -> dict[str, Any]:
        """The current `info` of all games, with the results of episodes that ended, unless `final_info` has them."""
        ended = self._no_results if self.autoreset_mode is AutoresetMode.SAME_STEP else self._games.ended
        return _copies({**self._current(), **{key: ended[key] for key in _RESULTS}}, self._all)

    def _same_step_infos(self, done: np.ndarray, truncated: np.ndarray) -> dict[str, Any]:
        """`final_obs` and `final_info` of the episodes that `done` and `truncated`, both (N,), mark."""
        games = self._games
        last = np.full(self.num_envs, None, dtype=object)
        ended = done
        indices = np.flatnonzero(done)
        for index, observation in zip(indices, games.final_observation(indices), strict=True):
            last[index] = observation
        results = {key: games.ended[key] for key in _RESULTS}
        values = {"action_mask": self._nothing_legal, "seat": games.ended["learner"], **results}
        if self._max_steps is not None:
            ended, cut = done | truncated, truncated & ~done
            observations = games.observe()
            for index in np.flatnonzero(cut):
                last[index] = of_game(observations, int(index))
            values["action_mask"] = np.where(cut[:, None], games.batch.action_mask, 0)
            values["seat"] = np.where(cut, games.current_seat, values["seat"])
        return {
            "final_obs": last,
            "_final_obs": ended.copy(),
            "final_info": _copies(values, ended),
            "_final_info": ended.copy(),
        }


def _copies(values: dict[str, np.ndarray], marked: np.ndarray) -> dict[str, np.ndarray]:
    """Copies of arrays over the games, each with a mask: `marked`, the games that have a value."""
    infos = {}
    for key, value in values.items():
        infos[key] = value.copy()
        infos[f"_{key}"] = marked.copy()
    return infos


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    allowed = [known.value for known in AutoresetMode]
    return AutoresetMode(mode if isinstance(mode, AutoresetMode) else check_name("autoreset_mode", mode, allowed))
