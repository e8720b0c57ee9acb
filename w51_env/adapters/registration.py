"""Games in the registries of Gymnasium and PettingZoo, by strings: nothing of the engine is imported."""

from typing import Any

import gymnasium
import pettingzoo
from gymnasium.envs.registration import EnvSpec

NAMESPACE = "w51_env"


def gymnasium_spec(game_id: str, **arguments: Any) -> EnvSpec:
    """What makes a game in Gymnasium: `some_game_v0` is `w51_env/SomeGame-v0`; `arguments`: of `LearnerEnv`."""
    name, _, version = game_id.rpartition("_v")
    return EnvSpec(
        f"{NAMESPACE}/{name.title().replace('_', '')}-v{version}",
        entry_point="w51_env.adapters.gymnasium_env:LearnerEnv",
        vector_entry_point="w51_env.adapters.gymnasium_vector:LearnerVectorEnv",
        kwargs={"game": game_id, **arguments},
    )


def register_with_gymnasium(game_id: str) -> None:
    """Register a game in Gymnasium."""
    spec = gymnasium_spec(game_id)
    gymnasium.registry[spec.id] = spec


def register_with_pettingzoo(game_id: str, module: str) -> None:
    """Register `module.env` for `pettingzoo.make("aec", "w51_env/<game_id>")`, if PettingZoo has a registry (1.27)."""
    if hasattr(pettingzoo, "register"):
        spec = pettingzoo.EnvSpec(f"{NAMESPACE}/{game_id}", entry_point=f"{module}:env")
        pettingzoo.aec_registry.setdefault(spec.id, spec)
