"""Agents: bots, trained policies and search. Their input is an observation and an action mask.

`make_agent("heuristic", game)` makes an agent by name or from a checkpoint. `w51_env.arena.matches.play_matches` plays
matches.
PyTorch and Stable-Baselines3 are imported only for trained agents.
"""

from w51_env.agents.agent import Agent, AgentError, BatchAgent, SingleAgent
from w51_env.agents.registry import make_agent, register_agent, registered_agents

__all__ = ["Agent", "AgentError", "BatchAgent", "SingleAgent", "make_agent", "register_agent", "registered_agents"]

if __name__ == "agents":  # a second copy of every module otherwise
    raise ImportError("agents is the package w51_env.agents: import w51_env.agents")
