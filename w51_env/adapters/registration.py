"""Games in the registries of Gymnasium and PettingZoo, by strings: nothing of the engine is imported."""

import gymnasium
import pettingzoo

NAMESPACE = "w51_env"


def register_with_gymnasium(game_id: str) -> None:
    """Register a game: `some_game_v0` becomes `w51_env/SomeGame-v0`."""
    name, _, version = game_id.rpartition("_v")
    gymnasium.register(
        f"{NAMESPACE}/{name.title().replace('_', '')}-v{version}",
        entry_point="w51_env.adapters.gymnasium_env:LearnerEnv",
        vector_entry_point="w51_env.adapters.gymnasium_vector:LearnerVectorEnv",
        kwargs={"game": game_id},
    )


def register_with_pettingzoo(game_id: str, module: str) -> None:
    """Register `module.env` for `pettingzoo.make("aec", "w51_env/<game_id>")`, if PettingZoo has a registry (1.27)."""
    if hasattr(pettingzoo, "register"):
        spec = pettingzoo.EnvSpec(f"{NAMESPACE}/{game_id}", entry_point=f"{module}:env")
        pettingzoo.aec_registry.setdefault(spec.id, spec)
