"""A rollout: the decisions of all games between two updates, and the minibatches that are learned from."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.training.game_parts import GameParts


@dataclass
class Decisions:
    """Inputs, masks, actions and log-probabilities of decisions, one row for each, on the device of the model."""

    inputs: Tensor
    all_observations: Tensor
    masks: Tensor
    base_actions: Tensor
    actions: Tensor
    logprobs: Tensor


@dataclass
class Rollout(Decisions):
    """The experience between two updates: arrays (T, N, ...), one row for each decision."""

    observations: Tensor  #  complete, with what the inputs do not contain, on the CPU
    normal_values: Tensor  #  values in the units of the network
    values: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    is_learner: np.ndarray  #  the network decided, not an opponent; or it learns from a snapshot
    targets: Tensor | None  #  probabilities of the policies that decided, float32

    @classmethod
    def empty(cls, num_steps: int, games: GameParts, device: torch.device) -> "Rollout":
        """Arrays for `num_steps` decisions in each game; with targets where snapshots are learned from."""
        size = (num_steps, games.num_envs)
        like = games.parts[0]
        actions = like.mask.shape[1]
        dtype = torch.from_numpy(like.network_inputs).dtype
        inputs = torch.zeros((*size, like.inputs.size), dtype=dtype, device=device)
        length = like.observation.shape[1]
        return cls(
            inputs=inputs,
            observations=inputs[..., :length]
            if like.inputs.contain_observations and device.type == "cpu"
            else torch.zeros((*size, length), dtype=torch.int8),
            all_observations=torch.zeros((*size, games.num_all_observations), dtype=torch.int8, device=device),
            masks=torch.zeros((*size, actions), dtype=torch.bool, device=device),
            base_actions=torch.zeros(size, dtype=torch.int64, device=device),
            actions=torch.zeros(size, dtype=torch.int64, device=device),
            logprobs=torch.zeros(size, device=device),
            normal_values=torch.zeros(size, device=device),
            values=np.zeros(size, np.float32),
            seats=np.zeros(size, np.int64),
            rewards=np.zeros((*size, games.num_seats), np.float32),
            dones=np.zeros(size, bool),
            is_learner=np.zeros(size, bool),
            targets=torch.zeros((*size, actions), device=device)
            if any(part.is_mixture.any() for part in games.parts)
            else None,
        )

    def of_games(self, rows: slice) -> "Rollout":
        """The same memory, of some of the games."""
        parts: dict[str, Any] = {name: part if part is None else part[:, rows] for name, part in vars(self).items()}
        return Rollout(**parts)


@dataclass
class Minibatch(Decisions):
    """Decisions of a rollout, flattened to (B, ...), on the device of the network.

    Attributes:
        advantages, returns: (B,) float32, in units of reward.
        standardized: (B,) float32, the advantages with mean 0 and deviation 1 over the minibatch.
        extra: More arrays with one row for each decision, of `Learner.extra_rows`.
    """

    advantages: Tensor
    returns: Tensor
    standardized: Tensor
    extra: dict[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, rollout: Rollout, advantages: Tensor, returns: Tensor, extra: dict[str, Tensor]) -> "Minibatch":
        """All decisions of a rollout."""
        parts = {part.name: getattr(rollout, part.name).flatten(0, 1) for part in fields(Decisions)}
        return cls(**parts, advantages=advantages, returns=returns, standardized=advantages.clone(), extra=extra)

    def standardize(self, rows: Tensor) -> None:
        """Compute `standardized` of the rows of a minibatch."""
        advantages = self.advantages[rows]
        # A minibatch may be a single decision: no correction of the deviation.
        self.standardized[rows] = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)

    def select(self, rows: Tensor) -> "Minibatch":
        """Some of the rows."""
        # `part[rows]` copies number by number, `index_select` row by row.
        parts = {name: part.index_select(0, rows) for name, part in vars(self).items() if name != "extra"}
        return Minibatch(**parts, extra={name: part.index_select(0, rows) for name, part in self.extra.items()})
