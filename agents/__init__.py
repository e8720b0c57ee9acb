"""Players: random, scripted and learned. They see what an agent sees, an observation and an action mask, and nothing else.

`make_agent("heuristic", game)` makes one by name or from a checkpoint; `play_matches` lets any of them play each other.
PyTorch and Stable-Baselines3 are loaded only when a learned agent is asked for.
"""

from agents.agent import Agent, AgentError, BatchAgent, SingleAgent
from agents.registry import make_agent, register_agent, registered_agents

__all__ = [
    "Agent",
    "AgentError",
    "BatchAgent",
    "SingleAgent",
    "make_agent",
    "register_agent",
    "registered_agents",
]
