"""Agents: bots, trained policies and search. Their input is an observation and an action mask.

`make_agent("heuristic", game)` makes an agent by name or from a checkpoint; `arena.matches.play_matches` plays matches.
PyTorch and Stable-Baselines3 are imported only for trained agents.
"""

from agents.agent import Agent, AgentError, BatchAgent, SingleAgent
from agents.registry import make_agent, register_agent, registered_agents

__all__ = ["Agent", "AgentError", "BatchAgent", "SingleAgent", "make_agent", "register_agent", "registered_agents"]
