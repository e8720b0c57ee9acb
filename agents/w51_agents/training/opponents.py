"""Agents as opponents of a learner: made by name, and compiled where they can be."""

from w51_agents.agent.bots import CompiledAgent
from w51_agents.agent.interface import Agent
from w51_agents.named.composed import ComposedAgent
from w51_agents.named.registry import make_agent
from w51_agents.networks.fast.compiled import CompiledPolicy, is_compilable
from w51_agents.networks.policy_agent import ActorCriticAgent
from w51_env.engine.game import Game


def make_opponent(name: str, game: Game) -> Agent:
    """The agent of a name, as `make_agent`; networks of this package, also inside others, are compiled.

    Raises:
        AgentError: There is no such agent.
    """
    return _compiled(make_agent(name, game), game)


def is_compiled(agent: Agent) -> bool:
    """Whether it is compiled code of this package alone, which several threads can call, each for an agent."""
    return isinstance(agent, CompiledAgent) or (
        isinstance(agent, ComposedAgent) and all(map(is_compiled, agent.agents))
    )


def _compiled(agent: Agent, game: Game) -> Agent:
    if isinstance(agent, ComposedAgent):
        agent.agents = [_compiled(part, game) for part in agent.agents]
    if type(agent) is not ActorCriticAgent or not is_compilable(agent.network):
        return agent
    return CompiledAgent(CompiledPolicy(agent.game, agent.network, game.layout.size, agent.tilt, agent.greedy))
