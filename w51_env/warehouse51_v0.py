"""Warehouse 51 for PettingZoo: `env(num_players=4, ...)`, and `raw_env` without the order-enforcing wrapper."""

from w51_env.adapters.pettingzoo_env import entry_points

env, raw_env = entry_points("warehouse51_v0", __name__)
