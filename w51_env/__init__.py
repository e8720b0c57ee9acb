"""Warehouse 51 and other bidding games as reinforcement learning environments."""

from w51_env.core.registry import make_game, register_game, registered_games

register_game("warehouse51_v0", "w51_env.warehouse51:make")

__all__ = ["make_game", "register_game", "registered_games"]
