"""Forms of networks: what the rest of the package needs of one, in one record."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from w51_agents.agent.interface import Agent
from w51_agents.networks.fast.folded import Fold
from w51_agents.networks.learning import Learning, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.policy_agent import ActorCriticAgent


@dataclass(frozen=True)
class NetworkForm:
    """A form of network; those of this package are listed in `making`.

    Attributes:
        network: Its modules in PyTorch, the reference.
        agent: Makes the agent that plays it: `agent(game, network, greedy=True)`.
        learning: Makes how it plays and learns in a training; PyTorch alone is `Learning`.
        fold: Makes its layers the arrays of compiled play; None: PyTorch plays.
    """

    network: type[ActorCritic]
    agent: Callable[..., Agent] = ActorCriticAgent
    learning: Callable[[Any, TrainingTask], Learning] = Learning
    fold: Fold | None = None
