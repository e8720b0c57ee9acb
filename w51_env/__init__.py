"""Auction games (Warehouse 51, Alles Futsch!) as reinforcement-learning environments.

`make_vec("warehouse51_v1", num_envs=4096, num_players=4)`: a batch of games. `from w51_env import warehouse51_v1`: the
game for PettingZoo. `gymnasium.make("w51_env/Warehouse51-v1")`: a learner against bots. `w51_env.adapters.sb3_vec_env`:
the same for Stable-Baselines3. Of these libraries only Gymnasium and PettingZoo are imported with this package.
"""

from typing import TYPE_CHECKING, Any

from w51_env.adapters.registration import register_with_gymnasium, register_with_pettingzoo
from w51_env.engine.registry import make_game, register_agent_factory, register_game, registered_games

if TYPE_CHECKING:
    from w51_env.engine.batch import Batch

__version__ = "0.1.0"
__all__ = ["__version__", "make_game", "make_vec", "register_game", "registered_games"]

register_game("warehouse51_v1", "w51_env.warehouse51:make", earlier=["warehouse51_v0"])
register_game("alles_futsch_v1", "w51_env.alles_futsch:make", earlier=["alles_futsch_v0"])
register_agent_factory("w51_agents.registry:make_agent")


def make_vec(game_id: str, num_envs: int = 1, **arguments: Any) -> "Batch":
    """A `engine.batch.Batch`: many games stepped in one call.

    Example:
        >>> batch = make_vec("warehouse51_v1", num_envs=4096, num_players=4, seed=1)
        >>> batch.reset()
        >>> batch.step(batch.sample_actions())
        >>> batch.seat.shape, batch.observation.shape, batch.action_mask.shape, batch.rewards.shape
        ((4096,), (4096, 681), (4096, 185), (4096, 4))

    Args:
        game_id: One of `registered_games()`.
        num_envs: Number of games.
        **arguments: Keyword arguments of `engine.batch.Batch`, which describes them: `seed`, `controllers`, `seating`,
            `autoreset`, `illegal_action`, `observe`, `keep_final`, `events`, `threads`; and options of the game, such
            as `num_players` and `preset`.

    Raises:
        OptionError: An unknown game, option or preset, or a value that is not allowed.
    """
    from inspect import signature

    from w51_env.adapters.spaces import bind
    from w51_env.engine.batch import Batch
    from w51_env.engine.options import check_count

    ours = [each.name for each in signature(Batch).parameters.values() if each.kind == each.KEYWORD_ONLY]
    settings = {name: arguments.pop(name) for name in ours if name in arguments}
    return Batch(bind(game_id, arguments, Batch), check_count("num_envs", num_envs), **settings)


for _game_id in registered_games():
    register_with_gymnasium(_game_id)
    register_with_pettingzoo(_game_id, f"w51_env.{_game_id}")
