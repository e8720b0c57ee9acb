"""The form of a network in its name: `pretrained:sampled` draws actions, `pretrained:greedy` takes the likeliest."""

from typing import Any

from w51_env.agents.agent import Agent, AgentError

SAMPLED, GREEDY = "sampled", "greedy"
FORMS = (SAMPLED, GREEDY)


def in_form(name: str, agent: Agent, form: str) -> Agent:
    """The agent, which from now on draws its actions (`sampled`) or takes the likeliest one (`greedy`).

    Args:
        name: Name of the agent, for the message.
        agent: An agent with a bool attribute `greedy`, as every network of this package has.
        form: One of `FORMS`.

    Raises:
        AgentError: The agent has only one form.
    """
    network: Any = agent
    if not isinstance(getattr(agent, "greedy", None), bool):
        raise AgentError(f"agent {name!r}: {':' + form!r} is for networks, and {type(agent).__name__} is none")
    network.greedy = form == GREEDY
    return agent
