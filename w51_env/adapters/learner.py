"""Games with a learner in one seat and opponents in the others: what the single-agent adapters share.

The opponents play between the learner's decisions. The learner's next observation is therefore that of its own next
decision, and its reward is the sum of its seat's rewards since its last one.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from w51_env.adapters import spaces
from w51_env.adapters.decision_infos import DecisionInfos
from w51_env.adapters.learner_seats import ENDED, consecutive_seeds, follow, followed_dtype, seated
from w51_env.adapters.opponents import Opponents, OpponentTable
from w51_env.engine.batch import Batch
from w51_env.engine.errors import OptionError, not_begun
from w51_env.engine.event_log import check_rows
from w51_env.engine.events import COLUMNS, Events
from w51_env.engine.game import EXTERNAL, EXTERNAL_INDEX, Game
from w51_env.engine.options import check_choice
from w51_env.engine.slots import MAX_EPISODES

_SEATINGS = {"random": "shuffle", "rotate": "rotate"}
# Views of arrays, and calls that read them, which a copy makes anew.
_BOUND = {"_results", "_final_observation", "done", "learner", "seat", "_current", "reward", "ended", "_follow"}


class LearnerGames:
    """N games of a `Batch` with one learner each.

    Args:
        game: The game with its rules bound.
        num_games: Number of games, N.
        learner_seat, opponents, observation_dtype, history: As for `gymnasium_env.LearnerEnv`.
        seed: Game i has seed + i; None: random seeds. The same seed is the same game in any batch.
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
        *,
        learner_seat: int | str = "random",
        opponents: Opponents = "random",
        observation_dtype: str = spaces.OBSERVATION_DTYPE,
        history: int = 0,
        seed: int | None = None,
        **arguments: Any,
    ):
        learner_seat = check_choice("learner_seat", learner_seat, (*_SEATINGS, *range(game.num_players)))
        self._learner_seat = learner_seat
        self._opponents = OpponentTable(game, opponents, observation_dtype)
        self._dtype = observation_dtype
        history = check_rows("history", history, 0)
        self.observation_space = spaces.with_history(spaces.observation_space(game, observation_dtype), game, history)
        self.action_space: gymnasium.spaces.Discrete = spaces.action_space(game)
        names = [EXTERNAL if code < 0 else game.bots[code] for code in self._opponents.controllers.tolist()]
        seating = _SEATINGS.get(str(learner_seat), "fixed")
        self.batch = batch = Batch(
            game,
            num_games,
            controllers=names,
            seating=seating,
            history=max(history, self._opponents.history),
            **arguments,
        )
        self._history, self._infos = history, DecisionInfos(batch)
        self._final_history = np.zeros((num_games if history else 0, history, COLUMNS), np.int16)
        # The decisions of agents are steps of their own, which overwrite the results of the batch.
        self._kept = (batch.slots.copy(), batch.final_observation.copy()) if self._opponents.agents else None
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
        self._results, self._final_observation = self._kept or (batch.slots, batch.final_observation)
        self.done, self.learner = self._results["done"].view(np.bool_), self._results["learner"]
        of = self._followed
        self.seat, self._current, self.reward = of["seat"], of["current"], of["reward"]
        self.ended = {name: of[name] if of[name].ndim == 1 else of[name][:, :players] for name in ENDED}
        self._follow = follow.bind(batch.slots, self._results, of, self._counts)

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
            chosen = slice(None) if which is None else which
            self.batch.first_controllers[chosen] = seated(self._opponents.controllers, self._learner_seat, seeds)[
                chosen
            ]
            is_partial = self.has_begun and which is not None and not np.all(which)
            self._opponents.reset(int(seeds[0]), is_partial)
        self._infos.begin(slice(None) if which is None else which)
        self.has_begun = True
        self.batch.reset(seeds, which)
        self._keep_events(first=True)
        if self._kept is not None:
            chosen = np.ones(self.batch.num_games, np.bool_) if which is None else which
            self._clear_results()
            self._play_opponents(chosen, chosen)
        self.seat[:] = self._learner_seats()
        self._follow(False)

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
        waiting = self.over if self._kept is not None else None
        self.batch.step(actions, which)
        if self._logs_events:
            self._keep_events(first=True)
        if waiting is not None:
            self._infos.begin(self.batch.done)
            self._clear_results()
            self._keep_results(self.batch.done)
            self._play_opponents(waiting | self.done, waiting & (self.batch.autoreset == "next_step"))
        self._follow(True)

    def restore(self, snapshot: bytes) -> None:
        """Continue from a `snapshot` of the batch."""
        self.batch.restore(snapshot)
        self.has_begun = True
        self._infos.begin()  # what agents remember is not in a snapshot
        if self._kept is not None:
            self._clear_results()
            self._keep_results(np.ones(self.batch.num_games, np.bool_))
        self.seat[:] = np.where(self.done, self.learner, self._learner_seats())
        self._follow(False)

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
        return Events(rows, self.batch.game.event_kinds, int(self.seat[0]))

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
        if self._kept is None:
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

    def _play_opponents(self, new: np.ndarray, restarted: np.ndarray) -> None:
        """Play the decisions of agents up to the learners' next decisions, or to the ends of the games.

        Episodes in which the learner decides nothing are left out, as those against bots are.

        Args:
            new: (N,) bool, the games in which the learner has decided nothing in the current episode, or that are over.
            restarted: (N,) bool, the games that began a new episode in this call; they must not be over after it.
        """
        batch, new = self.batch, new.copy()
        skipped = np.zeros(batch.num_games, np.int64)
        try:
            while True:
                while (asked := self._opponents.actions(self._infos)) is not None:
                    batch.step(*asked)
                    self._infos.begin(batch.done)
                    self._keep_events()
                    self._keep_results(batch.done & ~new)
                    skipped += batch.done & new
                    new |= batch.done
                    if skipped.max() >= MAX_EPISODES:
                        raise OptionError(
                            f"game {skipped.argmax()}: {MAX_EPISODES} episodes in a row ended without a decision of "
                            f"the learner; {batch.game!r}"
                        )
                again = restarted & self.over
                if not again.any():
                    return
                batch.reset(None, again)
        except BaseException:
            self.has_begun = False  # the games stand between two decisions of the learner
            raise

    def _clear_results(self) -> None:
        for name in ("done", "rewards", "illegal"):
            self._results[name] = 0

    def _keep_results(self, ended: np.ndarray) -> None:
        """Keep the results of the games that `ended` (N,) bool marks."""
        self._results[ended] = self.batch.slots[ended]
        self._final_observation[ended] = self.batch.final_observation[ended]
        if self._history:
            self._keep_histories(ended)

    def _keep_events(self, first: bool = False) -> None:
        """Keep the events of the last call, if the log is on; `first`: of the learner's decision or a reset."""
        if self._logs_events:
            if first:
                self._event_rows.clear()
            self._event_rows.append(self.batch.event_bytes(0))
