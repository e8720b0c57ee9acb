"""The agent of a network with memory, and the agent of any network that self-play trains."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.interface import AgentError
from w51_agents.agent.memory import RecurrentAgent
from w51_agents.networks.history.agent import HistoryPolicyAgent
from w51_agents.networks.history.network import HistoryActorCritic
from w51_agents.networks.making import load_network
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.policy_agent import ActorCriticAgent, check_exportable, draw
from w51_agents.networks.recurrent.network import RecurrentActorCritic
from w51_agents.networks.tensor_policy import TensorInputs
from w51_agents.networks.torch_settings import playing
from w51_env.engine.game import Game


class RecurrentPolicyAgent(RecurrentAgent):
    """The policy of a `RecurrentActorCritic`, with a state for each game and seat.

    Args:
        game: The game that the network knows.
        network: The checkpoint, a safetensors file; or a network that does not change any more.
        greedy: Take the likeliest action (default); False: draw from the policy.

    Attributes:
        shown: As of `PolicyAgent`.

    Raises:
        AgentError: As for `ActorCriticAgent`, or a network without memory.
    """

    def __init__(self, game: Game, network: str | Path | ActorCritic, *, greedy: bool = True):
        loaded = load_network(game, Path(network)) if isinstance(network, str | Path) else network
        if not isinstance(loaded, RecurrentActorCritic):
            raise AgentError(f"{type(loaded).__name__}: a network without memory; ActorCriticAgent plays it")
        self.game, self.network, self.greedy = game, loaded, greedy
        self.shown = game.layout
        self._inputs = loaded.inputs_for(game)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Forget all games, and seed the draws."""
        super().reset(seed)
        self._generator = np.random.default_rng(seed)

    def initial_state(self, count: int) -> np.ndarray:
        return self.network.initial_states(count).numpy()

    def step(
        self, observations: np.ndarray, action_masks: np.ndarray, states: np.ndarray, histories: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Actions (N,) int64, and the states (N, width) after them; arguments as of `RecurrentAgent`."""
        probabilities, after = self.forward(observations, action_masks, states)
        actions = probabilities.argmax(axis=1) if self.greedy else draw(probabilities, self._generator)
        return actions, after

    def forward(
        self, observations: np.ndarray, action_masks: np.ndarray, states: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(N, actions) float32 probabilities, also if the agent is greedy, and the states (N, width) afterwards."""
        inputs = self._inputs(np.ascontiguousarray(self.shown.to_int8(observations)[:, : self.game.layout.size]))
        arrays = inputs, np.asarray(action_masks, bool), np.asarray(states, np.float32)
        with playing():
            logits, _, after = self.network.step(*map(torch.as_tensor, arrays))
            return torch.softmax(logits, 1).numpy(), after.numpy()

    def tensor_policy(self) -> nn.Module:
        """As of `PolicyAgent`, with a state as third argument and as second result."""
        check_exportable(self.network)
        return RecurrentTensorPolicy(self)


class RecurrentTensorPolicy(nn.Module):
    """A policy with memory as a module of tensors alone."""

    def __init__(self, agent: RecurrentPolicyAgent):
        super().__init__()
        self.inputs, self.network = TensorInputs(agent.network.inputs_for(agent.game)), agent.network

    def forward(self, observation: Tensor, mask: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """(B, actions) float32 probabilities, 0 where illegal, and the (B, width) states after these decisions.

        Args:
            observation: (B, size) int8, as `Batch.observation`.
            mask: (B, actions) int8, as `Batch.action_mask`.
            state: (B, width) float32, 0 at a seat's first decision of a game.
        """
        logits, _, after = self.network.step(self.inputs(observation), mask != 0, state)
        return torch.softmax(logits, 1), after


def agent_of_network(
    game: Game, network: ActorCritic, *, greedy: bool = True
) -> ActorCriticAgent | RecurrentPolicyAgent | HistoryPolicyAgent:
    """The agent that plays a network, with memory or without."""
    if isinstance(network, RecurrentActorCritic):
        return RecurrentPolicyAgent(game, network, greedy=greedy)
    if isinstance(network, HistoryActorCritic):
        return HistoryPolicyAgent(game, network, greedy=greedy)
    return ActorCriticAgent(game, network, greedy=greedy)
