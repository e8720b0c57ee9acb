"""Agents as opponents of a learner: made by name, and compiled where they can be."""

from w51_agents.agent.interface import Agent
from w51_agents.named.composed import ComposedAgent
from w51_agents.named.registry import make_agent
from w51_agents.networks.making import compiled_agent
from w51_env.engine.game import Game


def make_opponent(name: str, game: Game) -> Agent:
    """The agent of a name, as `make_agent`; networks of this package, also inside others, are compiled.

    Raises:
        AgentError: There is no such agent.
    """
    return _compiled(make_agent(name, game), game)


def _compiled(agent: Agent, game: Game) -> Agent:
    if isinstance(agent, ComposedAgent):
        agent.agents = [_compiled(part, game) for part in agent.agents]
    return compiled_agent(agent, game)
