"""Warehouse 51 for PettingZoo: `env(num_players=4, ...)`, and `raw_env`, where an illegal action raises."""

from w51_env.adapters.pettingzoo_module import entry_points

env, raw_env = entry_points("warehouse51_v1", __name__)
