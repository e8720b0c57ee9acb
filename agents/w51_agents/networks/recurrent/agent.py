"""The agent of a network with memory."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.memory import RecurrentAgent
from w51_agents.networks.policy_agent import check_exportable, draw
from w51_agents.networks.recurrent.network import RecurrentActorCritic
from w51_agents.networks.tensor_policy import TensorInputs
from w51_agents.networks.torch_settings import playing
from w51_env.engine.game import Game


class RecurrentPolicyAgent(RecurrentAgent):
    """The policy of a `RecurrentActorCritic`, with a state for each game and seat.

    Args:
        game: The game that the network knows.
        network: The network, which does not change any more.
        greedy: Take the likeliest action (default); False: draw from the policy.

    Attributes:
        shown: As of `PolicyAgent`.
    """

    def __init__(self, game: Game, network: RecurrentActorCritic, *, greedy: bool = True):
        self.game, self.network, self.greedy = game, network, greedy
        self.shown = game.layout
        self._inputs = network.inputs_for(game)
        self.extra_argument = {"state": network.state_size}
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

    def probabilities_after(
        self, observations: np.ndarray, action_masks: np.ndarray, states: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(N, actions) float64, 1 for the likeliest action if greedy, and the states (N, width) afterwards."""
        probabilities, after = self.forward(observations, action_masks, states)
        if self.greedy:
            return np.eye(probabilities.shape[1])[probabilities.argmax(1)], after
        probabilities = probabilities.astype(np.float64)
        return probabilities / probabilities.sum(1, keepdims=True), after

    def forward(
        self, observations: np.ndarray, action_masks: np.ndarray, states: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(N, actions) float32 probabilities, also if the agent is greedy, and the states (N, width) afterwards."""
        inputs = self._inputs(np.ascontiguousarray(self.shown.to_int8(observations)[:, : self.game.layout.size]))
        known = torch.as_tensor(inputs), torch.as_tensor(np.asarray(action_masks, bool))
        with playing():
            logits, _, after = self.network.step(*known, None, torch.as_tensor(np.asarray(states, np.float32)))
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
        logits, _, after = self.network.step(self.inputs(observation), mask != 0, None, state)
        return torch.softmax(logits, 1), after
