"""What the module of a game for PettingZoo has: `env` and `raw_env`, as the modules of PettingZoo's own games."""

from collections.abc import Callable
from typing import Any

from w51_env.adapters.pettingzoo_env import TurnBasedEnv
from w51_env.adapters.registration import register_with_pettingzoo


def entry_points(game_id: str, module: str) -> tuple[Callable[..., TurnBasedEnv], Callable[..., TurnBasedEnv]]:
    """(env, raw_env) of a game, for the module from which users of PettingZoo import them; registers `env`."""

    def env(**arguments: Any) -> TurnBasedEnv:
        """The game as an AEC environment; an illegal action ends the game, as in PettingZoo's classic games.

        Example:
            >>> game = env(num_players=3)
            >>> game.reset(seed=1)
            >>> for agent in game.agent_iter():
            ...     observation, reward, termination, truncation, info = game.last()
            ...     action = None if termination else game.action_space(agent).sample(observation["action_mask"])
            ...     game.step(action)

        Args:
            **arguments: `num_players`, `preset` and the other options of the game (in its `rules.py`);
                `render_mode`, `render_seat`, `language`, `observation_dtype`, `illegal_action`, `events`, `history`,
                `max_cycles` (`TurnBasedEnv`).

        Raises:
            KeywordError: An unknown option, or a render mode that the environment does not have.
            OptionError: An unknown preset, or a value that is not allowed.
        """
        return raw_env(**{"illegal_action": "lose", **arguments})

    def raw_env(**arguments: Any) -> TurnBasedEnv:
        """The same, but an illegal action raises IllegalActionError; arguments as for `env`."""
        return TurnBasedEnv(game_id, **arguments)

    for function in (env, raw_env):  # pickle finds them by these names
        function.__module__, function.__qualname__ = module, function.__name__
    register_with_pettingzoo(game_id, module)
    return env, raw_env
