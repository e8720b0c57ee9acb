"""Alles Futsch! for PettingZoo: `env(num_players=4, ...)`, and `raw_env` without PettingZoo's check of the order of calls."""

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from w51_env.adapters.pettingzoo_env import TurnBasedEnv, ordered, register

ID = "alles_futsch_v0"


def env(**arguments: Any) -> OrderEnforcingWrapper:
    """Alles Futsch! as an AEC environment.

    Example:
        >>> env = alles_futsch_v0.env(num_players=2)
        >>> env.reset(seed=1)
        >>> for agent in env.agent_iter():
        ...     observation, reward, termination, truncation, info = env.last()
        ...     action = None if termination else env.action_space(agent).sample(observation["action_mask"])
        ...     env.step(action)

    Args:
        **arguments: `num_players`, `preset` and the other options of the game (`alles_futsch.rules.Options`); `render_mode`,
            `render_seat`, `observation_dtype`, `illegal_action`, `events` (`adapters.pettingzoo_env.TurnBasedEnv`).

    Raises:
        OptionError: An unknown option or preset, or a value that is not allowed.
    """
    return ordered(raw_env(**arguments))


def raw_env(**arguments: Any) -> TurnBasedEnv:
    """The same without a wrapper; arguments as for `env`."""
    return TurnBasedEnv(ID, **arguments)


register(ID, __name__)
