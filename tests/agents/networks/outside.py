"""A trainer, a network and a reward as a user has them, outside the package, by the public parts of it only."""

from typing import Any, ClassVar

import numpy as np
import torch
from pydantic import Field
from torch import nn
from torch.nn import functional

from w51_agents.networks.layers import BaseTorso
from w51_agents.networks.network import ActorCritic
from w51_agents.training.learner import Learner, Losses
from w51_agents.training.learner_settings import LearnerConfig, LearnerSettings, learner_spec
from w51_agents.training.objective import kl_divergence, logprobs_and_entropies
from w51_agents.training.rollout import Minibatch


class ReferenceSettings(LearnerSettings):
    kl_coef: float = Field(0.1, ge=0, description="Weight of the KL penalty to the reference policy.")
    refresh_every: int = Field(3, ge=1, description="Updates between two reference policies.")


class ReferenceConfig(LearnerConfig):
    section: ClassVar[str] = "reference"
    reference: ReferenceSettings = ReferenceSettings()


class ReferenceTrainer(Learner[ReferenceSettings]):
    """Mirror descent: a policy gradient with a KL penalty to a reference policy, which is refreshed."""

    terms = ("entropy", "value_loss")

    def __init__(self, config, game):
        super().__init__(config, game)
        self.reference = self.frozen_copy()

    def loss(self, minibatch: Minibatch, progress: float) -> Losses:
        logits, values, _ = self.model.outputs(minibatch)
        logprobs, entropies = logprobs_and_entropies(logits, minibatch.column_of(minibatch.actions))
        log_ratio = logprobs - minibatch.logprobs
        advantages = minibatch.advantages / (minibatch.advantages.std(correction=0) + 1e-8)
        value_loss = functional.mse_loss(values, self.model.value_head.normalize(minibatch.returns))
        kl = kl_divergence(logits, self.model.logits_of(self.reference, minibatch))
        total = 0.5 * value_loss - (log_ratio.exp() * advantages).mean() + self.settings.kl_coef * kl
        return Losses(total, {"entropy": entropies.mean(), "value_loss": value_loss})

    def finish_update(self) -> None:
        if (self.updates + 1) % self.settings.refresh_every == 0:
            self.reference.load_state_dict(self.model.network.state_dict())

    def modules(self) -> dict[str, nn.Module]:
        return {**super().modules(), "reference": self.reference}


SPEC = learner_spec(ReferenceConfig, ReferenceTrainer)


class AttentionTorso(BaseTorso):
    """One token for each slice of the observation, mixed by one head of self-attention."""

    def __init__(self, game, num_inputs: int, width: int, tokens: int):
        super().__init__(num_inputs, width)
        self.parts = [part.slice for part in game.layout.values()]
        self.embeddings = nn.ModuleList(nn.Linear(part.stop - part.start, tokens) for part in self.parts)
        self.query_key_value = nn.Linear(tokens, 3 * tokens)
        self.last = nn.Linear(tokens * len(self.parts), width)

    def forward(self, inputs, embedding=0.0):
        shown = self.normalize(inputs)
        tokens = torch.stack(
            [layer(shown[:, part]) for layer, part in zip(self.embeddings, self.parts, strict=True)], 1
        )
        mixed = functional.scaled_dot_product_attention(*self.query_key_value(tokens).chunk(3, -1))
        return torch.relu(self.last((tokens + mixed).flatten(1)) + embedding)


class Attention(ActorCritic):
    def make_torso(self, game, num_inputs, hidden_sizes, tokens=4):
        return AttentionTorso(game, num_inputs, hidden_sizes[-1], tokens)


class NoNetwork:
    """No subclass of `ActorCritic`."""

    def __init__(self, game, **arguments: Any):
        pass


class OwnBid:
    """The potential of a bid, in the auction of one lot."""

    def __init__(self, game):
        self.players = game.num_players

    def __call__(self, games: np.ndarray) -> np.ndarray:
        return 0.5 * (games["bids"][:, : self.players] + 1)


class OneNumber:
    def __init__(self, game):
        pass

    def __call__(self, games: np.ndarray) -> np.ndarray:
        return np.zeros(len(games))


class Constant:
    """The same potential in all states, those that begin a game, too."""

    def __init__(self, game):
        self.players = game.num_players

    def __call__(self, games: np.ndarray) -> np.ndarray:
        return np.full((len(games), self.players), 2.5)
