"""PettingZoo's agent-environment cycle (AEC): all seats are agents, which act one after another."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from w51_env.adapters.spaces import RENDER_MODES, action_id, action_space, as_dtype, bind, check_look, observation_space
from w51_env.core.batch import Batch
from w51_env.core.errors import GameOverError, not_begun
from w51_env.core.events import EventJournal
from w51_env.core.game import PUBLIC, Game
from w51_env.core.options import check_choice, check_seed


class TurnBasedEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """A game with an agent `player_0`, `player_1`, ... for each seat.

    Observation: `{"observation": (layout.size,), "action_mask": int8 (num_actions,)}`, relative to the agent's seat;
    the mask is all zero for an agent that is not to move. Action: Discrete, one table for all agents and phases.
    Rewards come at the end of the game, for all agents. Games are never truncated.

    `infos[agent]["events"]`: the events since the agent's last decision that its seat may know (`core.events.Events`),
    set when the agent is to move and when the game is over.

    Args:
        game: A game with its rules bound, or the id of a registered one.
        render_mode: None; `ansi`: `render` returns a table; `human`: every reset and step prints it.
        render_seat: The seat whose knowledge is rendered; None: public information only.
        observation_dtype: `int8`, or `float32` in [-1, 1].
        illegal_action: `raise` (default): IllegalActionError, and the game has not changed; or `lose`: the game ends,
            with -1 for the agent and 1 divided equally among the others.
        events: Put events into `infos`.
        **options: Options of the game, if `game` is an id.

    Raises:
        OptionError: An unknown game or option, or a value that is not allowed.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        render_mode: str | None = None,
        render_seat: int | None = None,
        observation_dtype: str = "int8",
        illegal_action: str = "raise",
        events: bool = True,
        **options: Any,
    ):
        super().__init__()
        check_look(observation_dtype, render_mode)
        self.game = bind(game, options)
        check_choice("render_seat", render_seat, (None, *range(self.game.num_players)))
        self.batch = Batch(
            self.game, 1, autoreset="disabled", illegal_action=illegal_action, events=events, keep_final=False
        )
        self.metadata = {
            "name": self.game.id,
            "is_parallelizable": False,
            "render_modes": list(RENDER_MODES),
            "render_fps": 1,
        }
        self.render_mode = render_mode
        self.render_seat = render_seat
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.state_space = gymnasium.spaces.Box(0, 255, (self.game.record.itemsize,), np.uint8)
        self._dtype = observation_dtype
        self._events = events
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._action_spaces = {agent: action_space(self.game) for agent in self.possible_agents}
        self._observation_spaces = {agent: self._space() for agent in self.possible_agents}
        self._action = np.zeros(1, np.int64)
        self._begun = False

    def observation_space(self, agent: str) -> gymnasium.spaces.Space:
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: that of `seed`, or the next one if it is None. `options` are not used."""
        self.batch.reset(None if seed is None else check_seed("seed", seed))
        self._begun = True
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._journal = EventJournal(self.game.event_kinds, self.game.num_players)
        self._skip_agent_selection = None
        self._look()

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move; None for an agent whose game is over.

        Raises:
            IllegalActionError: An action that is not legal, or no integer.
            GameOverError: An action in a game that is over, or not begun. After either error the game has not changed.
        """
        self._check_begun("step")
        agent = self.agent_selection
        if not self.agents or self.terminations[agent]:
            self._step_after_the_end(action)
            return
        self._action[0] = action_id(action, self.game)
        self.batch.step(self._action)
        self._cumulative_rewards[agent] = 0.0
        self._look()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The agent's current observation and action mask; new arrays."""
        self._check_begun("observe")
        batch = self.batch
        seat = self._seats[agent]
        if seat == batch.seat[0]:
            observation, mask = batch.observation[0], batch.action_mask[0].copy()
        else:
            observation, mask = batch.observe(seat)[0], np.zeros(len(self.game.actions), np.int8)
        return {"observation": as_dtype(self.game, observation, self._dtype), "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[dict[str, np.ndarray] | None, float, bool, bool, dict[str, Any]]:
        """Observation (None if not `observe`), reward, termination, truncation and info of the agent to move."""
        self._check_begun("last")
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents to move, one after the other, until all games are over."""
        self._check_begun("agent_iter")
        return super().agent_iter(max_iter)

    def state(self) -> np.ndarray:
        """(game.record.itemsize,) uint8: PRIVILEGED. The bytes of the complete state, with all that is hidden from
        agents.

        For centralized critics and search only. `batch.games[0]` is the same state with named fields.
        """
        self._check_begun("state")
        return self.batch.games.view(np.uint8).copy()

    def render(self) -> str | None:  # type: ignore[override]
        """What `render_seat` may know, as a table: returned (`ansi`) or printed (`human`)."""
        self._check_begun("render")
        if self.render_mode is None:
            gymnasium.logger.warn("render: the environment was made without a render_mode; choose ansi or human")
            return None
        viewer = PUBLIC if self.render_seat is None else self.render_seat
        text = self.game.state_text(self.game, self.batch.games[0], viewer)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        self.batch.close()

    def _check_begun(self, call: str) -> None:
        if not self._begun:
            raise not_begun(call)

    def _look(self) -> None:
        """Take over the results of the last call of the batch."""
        batch = self.batch
        rewards = batch.rewards[0].tolist()
        if any(rewards) or any(self.rewards.values()):
            self.rewards = dict(zip(self.agents, rewards, strict=True))
            self._accumulate_rewards()
        if self._events:
            self._journal.add(batch.events(0))
        seat = batch.seat[0]
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
            self._give_events(self.agent_selection)
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            for agent in self.agents:
                self._give_events(agent)
        if self.render_mode == "human":
            self.render()

    def _give_events(self, agent: str) -> None:
        """Put the events since the agent's last decision into its info."""
        if self._events:
            self.infos[agent] = {"events": self._journal.take(self._seats[agent])}

    def _step_after_the_end(self, action: int | None) -> None:
        if action is not None or not self.agents:
            raise GameOverError(
                f"action {action}, but the game is over: {'only None can be played' if self.agents else 'reset it'}"
            )
        self._was_dead_step(None)

    def _space(self) -> gymnasium.spaces.Dict:
        mask = gymnasium.spaces.Box(0, 1, (len(self.game.actions),), np.int8)
        return gymnasium.spaces.Dict({"observation": observation_space(self.game, self._dtype), "action_mask": mask})


def ordered(env: TurnBasedEnv) -> OrderEnforcingWrapper:
    """The environment in PettingZoo's order-enforcing wrapper; the engine checks actions itself."""
    return OrderEnforcingWrapper(env)


def entry_points(game_id: str, module: str) -> tuple[Callable[..., OrderEnforcingWrapper], Callable[..., TurnBasedEnv]]:
    """(env, raw_env) of a game, for the module from which users of PettingZoo import them; registers `env`."""

    def env(**arguments: Any) -> OrderEnforcingWrapper:
        """The game as an AEC environment.

        Example:
            >>> game = env(num_players=3)
            >>> game.reset(seed=1)
            >>> for agent in game.agent_iter():
            ...     observation, reward, termination, truncation, info = game.last()
            ...     action = None if termination else game.action_space(agent).sample(observation["action_mask"])
            ...     game.step(action)

        Args:
            **arguments: `num_players`, `preset` and the other options of the game (the `Options` in its `rules.py`);
                `render_mode`, `render_seat`, `observation_dtype`, `illegal_action`, `events` (`TurnBasedEnv`).

        Raises:
            OptionError: An unknown option or preset, or a value that is not allowed.
        """
        return ordered(raw_env(**arguments))

    def raw_env(**arguments: Any) -> TurnBasedEnv:
        """The same without PettingZoo's order-enforcing wrapper; arguments as for `env`."""
        return TurnBasedEnv(game_id, **arguments)

    for function in (env, raw_env):  # pickle finds them by these names
        function.__module__, function.__qualname__ = module, function.__name__
    register(game_id, module)
    return env, raw_env


def register(game_id: str, module: str) -> None:
    """Register `module.env` for `pettingzoo.make("aec", "w51_env/<game_id>")`, if PettingZoo has a registry."""
    try:
        from pettingzoo.env_registry.registration import aec_registry
        from pettingzoo.env_registry.registration import register as register_env
        from pettingzoo.env_registry.spec import EnvSpec
    except ImportError:
        return
    if EnvSpec(f"w51_env/{game_id}").id not in aec_registry:
        register_env("aec", f"w51_env/{game_id}", entry_point=f"{module}:env")
