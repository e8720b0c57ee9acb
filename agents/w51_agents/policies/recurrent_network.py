"""A network that remembers (`network: recurrent`): a GRU between the torso and the heads, with a state for each seat.

Each seat of a game has a state of its own, which is 0 before its first decision. Features are those of the torso plus
the new state, so both have the last of `hidden_sizes` as width, and the heads are those of `ActorCritic`.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from w51_agents.agent.interface import AgentError
from w51_agents.networks.layers import ILLEGAL
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


class RecurrentActorCritic(ActorCritic):
    """An `ActorCritic` with a state; the arguments are those of `ActorCritic`, without a base policy.

    Attributes:
        memory: The recurrent layer, a GRU (Cho et al., arXiv:1406.1078).
        width: Length of a state.

    Raises:
        AgentError: It has a base policy.
    """

    network = "recurrent"  # its name in configs and checkpoints

    def __init__(self, game: Game, *arguments: Any, **named: Any):
        super().__init__(game, *arguments, **named)
        if self.residual is not None:
            raise AgentError("base_policy: a network with `network: recurrent` has none; set it to null")
        self.width = self.torso.width
        self.memory = nn.GRU(self.width, self.width, batch_first=True)
        for name, parameter in self.memory.named_parameters():
            if name.startswith("weight_hh"):
                for gate in parameter.data.split(self.width):
                    nn.init.orthogonal_(gate)

    def initial_states(self, count: int) -> Tensor:
        """(count, width) float32, the states before the first decisions."""
        return torch.zeros(count, self.width)

    def forward(self, inputs: Tensor, masks: Tensor, base_actions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Refuses: a decision depends on the state; `step` has it.

        Raises:
            AgentError: Always.
        """
        raise AgentError("network: recurrent decides with the state of a seat: RecurrentActorCritic.step")

    def step(self, inputs: Tensor, masks: Tensor, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits (B, actions) and normalised values (B,) as of `ActorCritic`, and (B, width) the states afterwards.

        Args:
            inputs: (B, inputs) int8, of `NetworkInputs`.
            masks: (B, actions) bool.
            states: (B, width) float32, before these decisions.
        """
        return self.step_features(self.torso(self.torso.read(inputs)), masks, states)

    def step_features(self, features: Tensor, masks: Tensor, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `step`, of (B, width) features of the torso."""
        after = torch.gru_cell(features, states.to(features.dtype), *self.memory.parameters())
        features = features + after
        logits = self.logits(features, None, masks).float().masked_fill(~masks, ILLEGAL)
        return logits, self.value(features), after.float()

    def unroll(self, features: Tensor, places: tuple[Tensor, Tensor], states: Tensor) -> Tensor:
        """(B, width), the state after each of some decisions in sequences.

        Args:
            features: (B, width), of the torso.
            places: (B,) int64, the sequence of each decision; (B,) int64, its place in it. No place is left out.
            states: (S, width), before each sequence.
        """
        (which, place), count = places, len(states)
        order = torch.bincount(which, minlength=count).argsort(descending=True, stable=True)
        rank = torch.empty_like(order)
        rank[order] = torch.arange(count, device=order.device)
        by_place = (place * count + rank[which]).argsort()
        packed = PackedSequence(features[by_place], torch.bincount(place).cpu())
        after = self.memory(packed, states[order].to(features.dtype)[None])[0].data
        return torch.empty_like(after).index_copy(0, by_place, after)
