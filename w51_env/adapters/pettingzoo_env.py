"""PettingZoo's agent-environment cycle (AEC): all seats are agents, which act one after another."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from w51_env.adapters import spaces
from w51_env.adapters.rendering import HUMAN, RENDER_FPS, RENDER_MODES, Renderer, modes_here
from w51_env.engine.batch import Batch
from w51_env.engine.errors import GameOverError, IllegalActionError
from w51_env.engine.event_log import check_rows
from w51_env.engine.events import EventJournal, Events
from w51_env.engine.game import PUBLIC, Game
from w51_env.engine.options import check_choice, check_count, check_flag, check_seed
from w51_env.pictures.svg import draw
from w51_env.views.language import ENGLISH, Words
from w51_env.views.view import View

_SET_BY_RESET = {"agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"}


class TurnBasedEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """A game with an agent `player_0`, `player_1`, ... for each seat.

    Observation: `{"observation": (layout.size,), "action_mask": int8 (num_actions,)}`, relative to the agent's seat;
    the mask is all zero for an agent that is not to move. Action: Discrete, one table for all agents and phases.
    Rewards come at the end of the game, for all agents. The environment checks the order of calls itself, as
    PettingZoo's OrderEnforcingWrapper does.

    `infos` are empty. With `events=True`, `infos[agent]["events"]` are those that `events(agent)` returns, set when the
    agent is to move and when the game is over.

    Args:
        game: A game with its rules bound, or the id of a registered one.
        render_mode: None; `ansi`: `render` returns a text table; `rgb_array`: a picture, (720, 1280, 3) uint8; `human`:
            every reset and step shows it, in a window or printed (`pictures.window`).
        render_seat: The seat whose knowledge is rendered; None: public information only.
        language: Of texts that are rendered: `en` (default, whatever the locale is), `fr`, `de` or `hu`.
        observation_dtype: `float32` in [-1, 1] (default), or `int8`.
        illegal_action: `raise` (default of `raw_env`): IllegalActionError, and the game has not changed; or `lose`
            (default of `env`): PettingZoo's warning, and the game ends with the least reward for the agent and the
            opposite divided equally among the others. An action that is not in the action space always raises.
        events: Put events into `infos`.
        history: Number of events, K; not 0: observations also have `history`, (K, 6) int16, the last events that the
            agent may know (docs/observations.md#history).
        max_cycles: The game is truncated, without rewards, after `max_cycles` times the number of agents decisions;
            None: no limit.
        **options: Options of the game, if `game` is an id.

    Attributes:
        observation_spaces, action_spaces: The spaces of each agent.
        batch: The game as a batch of one. PRIVILEGED: it holds what is hidden from the agents.

    Raises:
        KeywordError: An unknown option, or a render mode that the environment does not have.
        OptionError: An unknown game, or a value that is not allowed.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        render_mode: str | None = None,
        language: str = ENGLISH,
        render_seat: int | None = None,
        observation_dtype: str = spaces.OBSERVATION_DTYPE,
        illegal_action: str = "raise",
        events: bool = False,
        history: int = 0,
        max_cycles: int | None = None,
        **options: Any,
    ):
        super().__init__()
        self._dtype, self.render_mode = spaces.check_look(observation_dtype, render_mode, RENDER_MODES)
        self._events = check_flag("events", events)
        self.game = spaces.bind(game, options, type(self))
        if max_cycles is not None:
            max_cycles = check_count("max_cycles", max_cycles)
        self.render_seat = check_choice("render_seat", render_seat, (None, *range(self.game.num_players)))
        self._history = check_rows("history", history, 0)
        self.batch = Batch(
            self.game, 1, autoreset="disabled", illegal_action=illegal_action, events=True, history=self._history,
            keep_final=False,
        )  # fmt: skip
        self._is_float = self._dtype == spaces.OBSERVATION_DTYPE  # read in each step
        self.metadata = {
            "name": self.game.id,
            "is_parallelizable": False,
            "render_modes": modes_here(RENDER_MODES, render_mode),
            "render_fps": RENDER_FPS,
        }
        self._renderer = Renderer(self.render_mode, language)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.state_space = gymnasium.spaces.Box(0, 255, (self.game.record.itemsize,), np.uint8)
        self.action_spaces = {agent: spaces.action_space(self.game) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._space() for agent in self.possible_agents}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._action = np.zeros(1, np.int64)
        self._num_actions = len(self.game.actions)
        self._turn = 0  # number of resets and steps
        self._max_decisions = None if max_cycles is None else max_cycles * self.game.num_players

    def __getattr__(self, name: str) -> Any:
        """The error for an attribute that does not exist, or not before the first reset."""
        when = " before the first reset" if name in _SET_BY_RESET else ""
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{when}")

    def observation_space(self, agent: str) -> gymnasium.spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: that of `seed`, or the next one if it is None. `options` are not used."""
        self.batch.reset(None if seed is None else check_seed("seed", seed))
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._journal = EventJournal(self.game.event_types, self.game.num_players)
        self._skip_agent_selection = None
        self._decisions, self._has_ended = 0, False
        self._look(None)

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move; None for an agent whose game is over.

        Raises:
            IllegalActionError: An action that is not in the action space, or, with `illegal_action="raise"`, not legal.
            GameOverError: An action in a game that is over, or not begun. After either error the game has not changed.
        """
        if self.batch.gate.closed is not None:
            raise self.batch.gate.refusal("step")
        agent = self.agent_selection
        if self._has_ended:
            self._step_after_the_end(action)
            return
        if type(action) is not int or not 0 <= action < self._num_actions:
            action = spaces.action_id(action, self.game)
            if not 0 <= action < self._num_actions:
                raise IllegalActionError(f"action {action}: ids go from 0 to {self._num_actions - 1}")
        self._action[0] = action
        self.batch.step(self._action)
        if self._max_decisions is not None:
            self._decisions += 1
        self._cumulative_rewards[agent] = 0.0
        self._look(self._seats[agent])

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The agent's current observation and action mask; new arrays."""
        if self.batch.gate.closed is not None:
            raise self.batch.gate.refusal("observe")
        batch = self.batch
        seat = self._seats[agent]
        if seat == batch.seat[0]:
            current = batch.observation_float() if self._is_float else batch.observation.copy()
            seen = {"observation": current[0], "action_mask": batch.action_mask[0].copy()}
        else:
            observation, mask = batch.observe(seat)[0], np.zeros(self._num_actions, np.int8)
            seen = {"observation": spaces.as_dtype(self.game, observation, self._dtype), "action_mask": mask}
        if self._history:
            seen["history"] = batch.history(viewer=seat)[0][0].copy()
        return seen

    def last(self, observe: bool = True) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """Observation (None if not `observe`), reward, termination, truncation and info of the agent to move."""
        if self.batch.gate.closed is not None:
            raise self.batch.gate.refusal("last")
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agents to move, one after the other, until all games are over."""
        self._check_begun("agent_iter")
        return self._agents_to_move(max_iter)

    def events(self, agent: str) -> Events:
        """The events since the agent's last decision that its seat may know."""
        self._check_begun("events")
        return self._journal.since_decision(self._seats[agent])

    def view(self, agent: str, words: Words | None = None) -> View:
        """What the agent may know, as plain data with words, with its legal actions and the events since its last
        decision; `words`: language and names, None: English.
        """
        self._check_begun("view")
        seat = self._seats[agent]
        return self.batch.view(0, seat, news=self._journal.since_decision(seat), words=words)

    def state(self) -> np.ndarray:
        """(game.record.itemsize,) uint8: PRIVILEGED. The bytes of the complete state, with all that is hidden from
        agents.

        For centralized critics and search only. `batch.games[0]` is the same state with named fields.
        """
        self._check_begun("state")
        return self.batch.games.view(np.uint8).copy()

    def render(self) -> Any:
        """What `render_seat` may know: text (`ansi`), (720, 1280, 3) uint8 (`rgb_array`), or shown (`human`)."""
        self._check_begun("render")
        if self.render_mode is None:
            gymnasium.logger.warn("render: the environment was made without a render_mode; choose one")
            return None
        return self._renderer(self._rendered_view())

    def _repr_svg_(self) -> str | None:
        """The picture of `render` for notebooks, in any render mode; None before the first reset."""
        return draw(self._rendered_view(), theme="auto") if self.batch.gate.closed is None else None

    def close(self) -> None:
        self._renderer.close()
        self.batch.close()

    def _check_begun(self, call: str) -> None:
        if self.batch.gate.closed is not None:
            raise self.batch.gate.refusal(call)

    def _rendered_view(self) -> View:
        viewer = PUBLIC if self.render_seat is None else self.render_seat
        return self.batch.view(0, viewer, words=self._renderer.words)

    def _look(self, decided: int | None) -> None:
        """Take over the results of the last call of the batch, the decision of seat `decided` (None: a reset)."""
        batch = self.batch
        self._turn += 1
        self._journal.add(batch.event_bytes(0), decided)
        seat = batch.seat[0]
        if seat < 0:
            self._end()
        elif self._decisions == self._max_decisions:
            self.truncations = dict.fromkeys(self.agents, True)
            self._select_after_the_end()
        else:
            self.agent_selection = self.possible_agents[seat]
            if self._events:
                self._give_events(self.agent_selection)
        if self.render_mode == HUMAN:
            self.render()

    def _end(self) -> None:
        """Take over the results of a game that is over. Only a finished game has rewards."""
        self.rewards = dict(zip(self.agents, self.batch.rewards[0].tolist(), strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self._select_after_the_end()
        if self.batch.illegal[0]:
            EnvLogger.warn_on_illegal_move()

    def _select_after_the_end(self) -> None:
        self._has_ended = True
        self.agent_selection = self.agents[0]
        if self._events:
            for agent in self.agents:
                self._give_events(agent)

    def _give_events(self, agent: str) -> None:
        self.infos[agent] = {"events": self.events(agent)}

    def _agents_to_move(self, max_iter: int) -> Iterator[str]:
        shown = None
        while self.agents and max_iter > 0:
            if shown == self._turn:
                raise GameOverError("agent_iter: step or reset was not called in the loop")
            shown = self._turn
            max_iter -= 1
            yield self.agent_selection

    def _step_after_the_end(self, action: int | None) -> None:
        if action is not None or not self.agents:
            raise GameOverError(
                f"action {action}, but the game is over: {'only None can be played' if self.agents else 'reset it'}"
            )
        self._was_dead_step(None)
        self._turn += 1

    def _space(self) -> gymnasium.spaces.Space:
        mask = gymnasium.spaces.Box(0, 1, (len(self.game.actions),), np.int8)
        space = gymnasium.spaces.Dict(
            {"observation": spaces.observation_space(self.game, self._dtype), "action_mask": mask}
        )
        return spaces.with_history(space, self.game, self._history)
