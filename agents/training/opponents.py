"""Agents as opponents of a learner. A network that draws its actions is compiled: it takes a quarter of the time."""

import numpy as np

from w51_env.agents.agent import Agent, AgentError, BatchAgent, Infos
from w51_env.agents.policies.compiled import CompiledPolicy
from w51_env.agents.policies.policy_agent import ActorCriticAgent
from w51_env.agents.registry import make_agent
from w51_env.core.game import Game


class CompiledAgent(BatchAgent):
    """Draws the actions of a network's policy in compiled code.

    Args:
        policy: The policy.
    """

    stateless = True

    def __init__(self, policy: CompiledPolicy):
        self._policy = policy
        self.reset(0)

    def reset(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray, infos: Infos = None) -> np.ndarray:
        """(N,) int64 action ids, of (N, size) int8 observations and (N, actions) masks; `infos` is not used."""
        bits = self._generator.integers(2**64, size=len(observations), dtype=np.uint64)
        return self._policy.choose(observations, action_masks, bits)


def make_opponent(name: str, game: Game) -> Agent:
    """The agent of a name, as `make_agent`; compiled if it draws from a network that reads observations alone.

    Raises:
        AgentError: There is no such agent.
    """
    agent = make_agent(name, game)
    if type(agent) is not ActorCriticAgent or agent.greedy:
        return agent
    try:
        return CompiledAgent(CompiledPolicy(game, agent.network))
    except AgentError:  # it reads more, or is of a user's class
        return agent
