"""Auctions for PettingZoo: `env(num_players=3, ...)`, and `raw_env`, where an illegal action raises."""

from w51_env.adapters.pettingzoo_module import entry_points

env, raw_env = entry_points("auctions_v0", __name__)
