"""What the environments in which a learner has one seat share, in Gymnasium and Stable-Baselines3."""

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from w51_env.adapters.opponents import Opponents, make_games
from w51_env.adapters.rendering import Renderer, modes_here
from w51_env.adapters.spaces import OBSERVATION_DTYPE, bind, check_look
from w51_env.engine.game import Game
from w51_env.engine.options import check_count
from w51_env.views.language import ENGLISH
from w51_env.views.view import View


class LearnerAdapter:
    """Base class of the environments in which a learner has one seat; its keywords are those of all of them.

    Args:
        game: A game with its rules bound, or the id of a registered one.
        num_envs: Number of games.
        render_modes: Those of the environment.
        batch: Further arguments of `make_games`.
        learner_seat, opponents, observation_dtype, illegal_action, history, render_mode, language, **options: As
            `gymnasium_env.LearnerEnv` says.
    """

    render_mode: str | None

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        render_modes: Sequence[str],
        batch: dict[str, Any],
        *,
        learner_seat: int | str = "random",
        opponents: Opponents = "random",
        observation_dtype: str = OBSERVATION_DTYPE,
        illegal_action: str = "lose",
        history: int = 0,
        render_mode: str | None = None,
        language: str = ENGLISH,
        **options: Any,
    ):
        dtype, self.render_mode = check_look(observation_dtype, render_mode, render_modes)
        self.game = bind(game, options, type(self))
        self._renderer = Renderer(self.render_mode, language)
        self._games = make_games(
            self.game,
            check_count("num_envs", num_envs),
            opponents,
            learner_seat=learner_seat,
            observation_dtype=dtype,
            illegal_action=illegal_action,
            history=history,
            **{"events": render_mode is not None, **batch},  # a picture shows the news
        )
        self._render_modes = modes_here(render_modes, render_mode)

    @property
    def seat(self) -> np.ndarray:
        """(N,) int64: the learners' seats in the current episodes; GameOverError before the first reset."""
        return self._games.current_seat.copy()

    def action_masks(self) -> np.ndarray:
        """(N, num_actions) bool, new: the learners' legal actions; all False where a game is over.

        Raises:
            GameOverError: Before the first reset.
        """
        self._games.check_begun("action_masks")
        return self._games.batch.action_mask.astype(np.bool_)

    def close(self) -> None:
        """Close the window, if there is one, and end the threads."""
        self._renderer.close()
        self._games.batch.close()

    def _views(self) -> Iterator[View]:
        """What the learner of each game may know."""
        self._games.check_begun("render")
        for index, seat in enumerate(self._games.current_seat.tolist()):
            yield self._games.batch.view(index, seat, words=self._renderer.words)

    def _refuse_to_set(self, name: str) -> NoReturn:
        """AttributeError for an attribute of single games."""
        raise AttributeError(
            f"{name}: the games share one batch; make another {type(self).__name__} with other options"
        )
