"""Auction games (Warehouse 51, Alles Futsch!, auctions of theory) as reinforcement-learning environments.

`make_vec("warehouse51_v1", num_envs=4096, num_players=4)`: a batch of games. `from w51_env import warehouse51_v1`: the
game for PettingZoo. `gymnasium.make("w51_env/Warehouse51-v1")`: a learner against bots. `w51_env.adapters.sb3_vec_env`:
the same for Stable-Baselines3. Of these libraries only Gymnasium and PettingZoo are imported with this package.
"""

from typing import TYPE_CHECKING, Any

from w51_env.adapters.registration import register_with_gymnasium, register_with_pettingzoo
from w51_env.engine.registry import make_game, register_game, registered_games

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from w51_env.engine.batch import Batch

__version__ = "0.1.0"
__all__ = ["__version__", "make_game", "make_vec", "register_game", "registered_games"]

register_game("warehouse51_v1", "w51_env.warehouse51:make", earlier=["warehouse51_v0"])
register_game("alles_futsch_v1", "w51_env.alles_futsch:make", earlier=["alles_futsch_v0"])
register_game("auctions_v0", "w51_env.auctions:make")


def make_vec(
    game_id: str,
    num_envs: int = 1,
    *,
    seed: int | None = None,
    controllers: "Sequence[str] | np.ndarray | None" = None,
    seating: str = "fixed",
    autoreset: str = "same_step",
    illegal_action: str = "raise",
    observe: bool = True,
    keep_final: bool = True,
    events: bool = False,
    history: int = 0,
    threads: int = 1,
    **options: Any,
) -> "Batch":
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
        seed: Seed of all games; None: a random seed.
        controllers: Who chooses the actions of each seat, `"external"` or a bot's name; None: all external.
        seating: What happens to the controllers at each new episode: `fixed`, `rotate`, `shuffle`.
        autoreset: `same_step`, `next_step`, `disabled`.
        illegal_action: `raise`, or `lose`.
        observe: False: no observations and masks, for speed.
        keep_final: Keep every seat's observation of finished games.
        events: Log what happens.
        history: Number of events of the past that `Batch.history` gives; 0: none are kept.
        threads: Number of threads that step the games. The docstring of `engine.batch.Batch` has all details.
        **options: Options of the game, such as `num_players` and `preset`.

    Raises:
        OptionError: An unknown game, option or preset, or a value that is not allowed.
    """
    from w51_env.adapters.spaces import bind
    from w51_env.engine.batch import Batch
    from w51_env.engine.options import check_count

    return Batch(
        *(bind(game_id, options, Batch), check_count("num_envs", num_envs)),
        seed=seed,
        controllers=controllers,
        seating=seating,
        autoreset=autoreset,
        illegal_action=illegal_action,
        observe=observe,
        keep_final=keep_final,
        events=events,
        history=history,
        threads=threads,
    )


for _game_id in registered_games():
    register_with_gymnasium(_game_id)
    register_with_pettingzoo(_game_id, f"w51_env.{_game_id}")
