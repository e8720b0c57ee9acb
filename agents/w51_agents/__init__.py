"""Agents: bots, trained policies, search and language models."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from w51_agents.agent.interface import Agent, AgentError, BatchAgent, SingleAgent
    from w51_agents.agent.memory import RecurrentAgent
    from w51_agents.named.registry import make_agent, register_agent, registered_agents

__all__ = [
    "Agent",
    "AgentError",
    "BatchAgent",
    "RecurrentAgent",
    "SingleAgent",
    "make_agent",
    "register_agent",
    "registered_agents",
]


def __getattr__(name: str) -> Any:
    """The public names, imported at first use: `w51 --help` imports this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = "memory" if name == "RecurrentAgent" else "agent" if name[0].isupper() else "registry"
    return getattr(import_module(f"w51_agents.{module}"), name)
