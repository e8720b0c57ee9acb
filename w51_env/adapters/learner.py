"""Games with a learner in one seat and opponents in the others: what the single-agent adapters share.

The opponents play between the learner's decisions. The learner's next observation is therefore that of its own next
decision, and its reward is the sum of its seat's rewards since its last one.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from w51_env.adapters import spaces
from w51_env.adapters.learner_seats import ENDED, consecutive_seeds, follow, followed_dtype, seated
from w51_env.engine.batch import Batch
from w51_env.engine.errors import not_begun
from w51_env.engine.event_log import check_rows
from w51_env.engine.events import COLUMNS, Events
from w51_env.engine.game import EXTERNAL, EXTERNAL_INDEX, Game
from w51_env.engine.options import check_choice

_SEATINGS = {"random": "shuffle", "rotate": "rotate"}
# Views of arrays, and calls that read them, which a copy makes anew.
_BOUND = {"_results", "_final_observation", "done", "learner", "seat", "_current", "reward", "ended", "_follow"}


class LearnerGames:
    """N games of a `Batch` with one learner each.

    Args:
        game: The game with its rules bound.
        num_games: Number of games, N.
        controllers: (num_players,) int8, of the learner and its opponents as `Batch.controllers` has them: -1 for the
            learner, a bot's index, or a number below -1 for an agent.
        learner_seat, observation_dtype, history: As for `gymnasium_env.LearnerEnv`.
        seed: Game i has seed + i; None: random seeds. The same seed is the same game in any batch.
        least_history: Rows of the past that the batch keeps at least.
        **arguments: Further arguments of `Batch`.

    Attributes:
        batch: The games.
        observation_space, action_space: Of one game.
        has_begun: Whether there was a first reset.
        over: (N,) bool, the games that are over until a reset.
        seat: (N,) int64, the learner's seat in the episode of the last step.
        reward: (N,) float64, the learner's reward of the last step.
        done, learner: Results of the last step, as those of `Batch`.
        ended: Arrays over the games of the results of the episodes that ended in the last step, 0 where none did: the
            keys of `final_info`, and `learner`, its seat.
        num_done, num_over: How many games are `done` and `over`.

    All arrays are overwritten by the next call.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        controllers: np.ndarray,
        *,
        learner_seat: int | str = "random",
        observation_dtype: str = spaces.OBSERVATION_DTYPE,
        history: int = 0,
        seed: int | None = None,
        least_history: int = 0,
        **arguments: Any,
    ):
        learner_seat = check_choice("learner_seat", learner_seat, (*_SEATINGS, *range(game.num_players)))
        self._learner_seat, self._controllers, self._dtype = learner_seat, controllers, observation_dtype
        self._history = history = check_rows("history", history, 0)
        self.observation_space = spaces.with_history(spaces.observation_space(game, observation_dtype), game, history)
        self.action_space: gymnasium.spaces.Discrete = spaces.action_space(game)
        names = [EXTERNAL if code < 0 else game.bots[code] for code in controllers.tolist()]
        seating, kept = _SEATINGS.get(str(learner_seat), "fixed"), max(history, least_history)
        self.batch = batch = Batch(game, num_games, controllers=names, seating=seating, history=kept, **arguments)
        self._final_history = np.zeros((num_games if history else 0, history, COLUMNS), np.int16)
        self._logs_events = batch.logs_events
        self._followed = np.zeros(num_games, followed_dtype(game.max_players))
        self._counts = np.zeros(2, np.int64)
        self._bind()
        drawn = np.random.SeedSequence().generate_state(num_games, np.uint64)
        self._seeds = drawn if seed is None else consecutive_seeds(seed, num_games)
        self.has_begun = False
        self._event_rows: list[bytes] = []

    def _bind(self) -> None:
        """Make the views of the arrays, and the call that reads them."""
        batch, players = self.batch, self.batch.game.num_players
        self._results, self._final_observation = self._result_arrays()
        self.done, self.learner = self._results["done"].view(np.bool_), self._results["learner"]
        of = self._followed
        self.seat, self._current, self.reward = of["seat"], of["current"], of["reward"]
        self.ended = {name: of[name] if of[name].ndim == 1 else of[name][:, :players] for name in ENDED}
        self._follow = follow.bind(batch.slots, self._results, of, self._counts)

    def _result_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Slots and last observations with the results of the last step."""
        return self.batch.slots, self.batch.final_observation

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _BOUND}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def reset(self, seeds: np.ndarray | None = None, which: np.ndarray | None = None) -> None:
        """Begin new episodes, in all games or where `which` (N,) bool is True.

        Args:
            seeds: (N,) uint64, of the games to reset; None: each game begins its next episode. Agents among the
                opponents are reset by the first seed.
            which: The games to reset; None for all.
        """
        if seeds is None and not self.has_begun:
            seeds = self._seeds
        if seeds is not None:
            first = seated(self._controllers, self._learner_seat, seeds)
            np.copyto(self.batch.first_controllers, first, where=True if which is None else which[:, None])
        self._play_reset(seeds, which)
        self.seat[:] = self._learner_seats()
        self._follow(False)

    def _play_reset(self, seeds: np.ndarray | None, which: np.ndarray | None) -> None:
        """Reset the batch, and play to the learners' first decisions."""
        self.has_begun = True
        self.batch.reset(seeds, which)
        self._keep_events(first=True)

    def step(self, actions: np.ndarray, which: np.ndarray | None = None) -> None:
        """Play the learners' actions, (N,) integers, and all that happens before the learners' next decisions.

        Args:
            actions: An action for each game.
            which: (N,) bool, the games to step; None for all.

        Raises:
            IllegalActionError: An action is not legal, and no game has changed; or an opponent's is not: then the games
                need a reset.
        """
        self.check_begun("step")
        self._play(actions, which)
        self._follow(True)

    def _play(self, actions: np.ndarray, which: np.ndarray | None) -> None:
        """Step the batch, and play to the learners' next decisions; as of `step`."""
        self.batch.step(actions, which)
        if self._logs_events:
            self._keep_events(first=True)

    def restore(self, snapshot: bytes) -> None:
        """Continue from a `snapshot` of the batch."""
        self.batch.restore(snapshot)
        self.has_begun = True
        self._take_results()
        self.seat[:] = np.where(self.done, self.learner, self._learner_seats())
        self._follow(False)

    def _take_results(self) -> None:
        """Called when the batch has the results of another step."""

    def _learner_seats(self) -> np.ndarray:
        return (self.batch.controllers == EXTERNAL_INDEX).argmax(axis=1)

    def check_begun(self, call: str) -> None:
        """GameOverError before the first reset, for a call that needs a game."""
        if not self.has_begun:
            raise not_begun(call)

    @property
    def current_seat(self) -> np.ndarray:
        """(N,) int64: the learner's seat in the current episode."""
        self.check_begun("seat")
        return self._current

    @property
    def over(self) -> np.ndarray:
        return self.batch.seat < 0

    @property
    def num_done(self) -> int:
        return int(self._counts[0])

    @property
    def num_over(self) -> int:
        return int(self._counts[1])

    def events(self) -> Events:
        """The events of game 0 since its learner's last decision, as far as the learner may know them."""
        self.check_begun("events")
        rows = np.frombuffer(b"".join(self._event_rows), np.int16).reshape(-1, COLUMNS)
        return Events(rows, self.batch.game.event_types, int(self.seat[0]))

    def observe(self) -> Any:
        """(N, size), new: each learner's observation; where the game is over, its last one. With history a dict."""
        batch = self.batch
        observation = batch.observation.copy() if self._dtype == "int8" else batch.observation_float()
        if self.num_over:
            over = self.over
            observation[over] = self._last_observations(np.flatnonzero(over))
        if not self._history:
            return observation
        return {"observation": observation, "history": self.batch.history(self._history, self._current)[0].copy()}

    def final_observation(self, indices: np.ndarray) -> Sequence[Any] | np.ndarray:
        """The learner's last observation, new, of the episodes that ended in the last step in games `indices` (K,)."""
        last = self._last_observations(indices)
        if not self._history:
            return last
        if self._results is self.batch.slots:
            self._keep_histories(self.done)
        return [
            {"observation": observation, "history": self._final_history[index].copy()}
            for observation, index in zip(last, indices, strict=True)
        ]

    def _last_observations(self, indices: np.ndarray) -> np.ndarray:
        last = self._final_observation[indices, self.learner[indices]]
        return spaces.as_dtype(self.batch.game, last, self._dtype)

    def _keep_histories(self, ended: np.ndarray) -> None:
        """Keep the learners' histories of the games that `ended` (N,) bool marks, and that ended in the last call."""
        history, _ = self.batch.history(self._history, self.batch.learner, final=True)
        self._final_history[ended] = history[ended]

    def final_info(self, index: int) -> dict[str, Any]:
        """Results of the episode that game `index` finished in the last step; all 0 if it goes on.

        `scores` int16, `ranks` int8, `rewards` float32, each (num_players,), by seat; the learner's `rank`; `illegal`:
        whether an illegal action ended the episode.
        """
        ended = self.ended
        by_seat = {name: ended[name][index].copy() for name in ("scores", "ranks", "rewards")}
        return {**by_seat, "rank": int(ended["rank"][index]), "illegal": bool(ended["illegal"][index])}

    def _keep_events(self, first: bool = False) -> None:
        """Keep the events of the last call, if the log is on; `first`: of the learner's decision or a reset."""
        if self._logs_events:
            if first:
                self._event_rows.clear()
            self._event_rows.append(self.batch.event_bytes(0))
