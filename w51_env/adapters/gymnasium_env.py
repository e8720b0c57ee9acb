"""Gymnasium: one game, the learner in one seat, opponents in the others."""

from typing import Any

import gymnasium
import numpy as np

from w51_env.adapters.learner_adapter import LearnerAdapter
from w51_env.adapters.learner_seats import consecutive_seeds
from w51_env.adapters.rendering import HUMAN, RENDER_FPS, RENDER_MODES
from w51_env.adapters.spaces import action_id, of_game
from w51_env.engine.errors import GameOverError
from w51_env.engine.events import Events
from w51_env.engine.game import Game
from w51_env.engine.options import check_flag, check_seed
from w51_env.pictures.svg import draw
from w51_env.views.view import View


class LearnerEnv(LearnerAdapter, gymnasium.Env[Any, np.int64]):
    """A game as a single-agent environment.

    Observation: Box (layout.size,), relative to the learner's seat. Action: Discrete, one table for all phases; the
    legal actions are those of `info["action_mask"]`, also returned by `action_masks()`. Reward: that of the learner's
    seat, at the end of the game. The episode ends with the game and is never truncated.

    `info` has the same keys at every reset and step: `action_mask` int8 (num_actions,), all zero when the game is over;
    the learner's `seat`; and the results `scores` int16, `ranks` int8, `rewards` float32, each (num_players,), the
    learner's `rank`, and `illegal`, whether an illegal action ended the game. Results are 0 before the end; a rank is
    at least 1 then. All are arrays or numbers of numpy, whose dtypes TorchRL reads. With `events` also `events`, those
    that the learner may know since its last decision.

    Args:
        game: A game with its rules bound, or the id of a registered one.
        learner_seat: A seat; `"random"` (default): learner and bots are shuffled over the seats for each episode;
            `"rotate"`: all move one seat clockwise for each episode, and the first seat is the seed modulo the number
            of players.
        opponents: A bot's name (`Game.bots`), the name of an agent (`pretrained`, `search:playouts=20`, a checkpoint),
            or an object with the methods of an agent (`w51_agents.Agent`), for all other seats; or one for
            each, clockwise from the learner's left. Bots play inside the batch; an agent decides many games at once.
        observation_dtype: `float32` in [-1, 1] (default), or `int8`.
        history: Number of events, K; not 0: the observation is a Dict of `observation` and `history`, (K, 6) int16, the
            last events that the learner may know (docs/observations.md#history).
        illegal_action: `lose` (default, because Gymnasium's own checks sample actions without the mask): the game ends,
            with -1 for the learner; or `raise`: IllegalActionError, and the game has not changed.
        events: Put events into `info`.
        render_mode: None; `ansi`: `render` returns a text table of what the learner may know; `rgb_array`: its picture,
            (720, 1280, 3) uint8; `human`: every reset and step shows it, in a window or printed (`pictures.window`).
        language: Of texts that are rendered: `en` (default, whatever the locale is), `fr`, `de` or `hu`.
        **options: Options of the game, if `game` is an id.

    Raises:
        KeywordError: An unknown option, or a render mode that the environment does not have.
        OptionError: An unknown game, bot or agent, or a value that is not allowed.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012 (Gymnasium's own form)

    def __init__(self, game: Game | str, *, events: bool = False, **arguments: Any):
        super().__init__(game, 1, RENDER_MODES, {"autoreset": "disabled", "events": True}, **arguments)
        self.metadata = {**self.metadata, "render_modes": self._render_modes}
        self._events = check_flag("events", events)
        self.observation_space = self._games.observation_space
        self.action_space = self._games.action_space
        self._action = np.zeros(1, np.int64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode: that of `seed`, or the next one if it is None. `options` are not used."""
        if seed is not None:
            seed = check_seed("seed", seed)
        super().reset(seed=seed)
        self._games.reset(None if seed is None else consecutive_seeds(seed, 1))
        if self.render_mode == HUMAN:
            self.render()
        return of_game(self._games.observe(), 0), self._info()

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, and all that the bots do before the learner's next decision.

        Raises:
            IllegalActionError: An action that is no integer; with `illegal_action="raise"` also one that is not legal.
            GameOverError: The game is over, or not begun. After an error the game has not changed.
        """
        batch = self._games.batch
        if batch.games["over"][0]:
            raise GameOverError(f"action {action}, but the game is over; reset it")
        self._action[0] = action_id(action, self.game)
        self._games.step(self._action)
        over = bool(self._games.done[0])
        info = self._info()
        if self.render_mode == HUMAN:
            self.render()
        return of_game(self._games.observe(), 0), float(self._games.reward[0]), over, False, info

    def action_masks(self) -> np.ndarray:
        """(num_actions,) bool, new: the learner's legal actions; all False when the game is over.

        Raises:
            GameOverError: Before the first reset.
        """
        return super().action_masks()[0]

    def events(self) -> Events:
        """The events since the learner's last decision that its seat may know."""
        return self._games.events()

    @property
    def seat(self) -> int:  # type: ignore[override]
        """The learner's seat in this episode; GameOverError before the first reset."""
        self._games.check_begun("seat")
        return int(self._games.seat[0])

    def render(self) -> Any:
        """What the learner may know: a text table (`ansi`), (720, 1280, 3) uint8 (`rgb_array`), or shown (`human`)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render: the environment was made without a render_mode; choose one")
            return None
        self._games.check_begun("render")
        return self._renderer(self._view())

    def _repr_svg_(self) -> str | None:
        """The picture of `render` for notebooks, in any render mode; None before the first reset."""
        return draw(self._view(), theme="auto") if self._games.has_begun else None

    def _view(self) -> View:
        return self._games.batch.view(0, self.seat, words=self._renderer.words)

    def _info(self) -> dict[str, Any]:
        results = self._games.final_info(0)
        results["rank"], results["illegal"] = np.int64(results["rank"]), np.array(results["illegal"])
        mask = self._games.batch.action_mask[0].copy()
        info: dict[str, Any] = {"action_mask": mask, "seat": np.int64(self.seat), **results}
        if self._events:
            info["events"] = self.events()
        return info
