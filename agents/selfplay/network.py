"""The network that plays and learns: a policy over legal actions and a value, from what a seat sees."""

import hashlib
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from agents.agent import AgentError
from w51_env.core.game import Game
from w51_env.core.layout import Layout

FORMAT = "w51_env network 1"

_FORBIDDEN = -1e9  #  logit of an illegal action: its probability is 0 in every precision


class PolicyValue(nn.Module):
    """Hidden layers with a head for the policy and one for the value.

    Values are learned in units of the returns' own mean and deviation, which `measure` follows; so any reward scale learns alike.

    Args:
        layout: The observation's layout; its ranges scale the input to [-1, 1].
        num_actions: Size of the action table.
        hidden: Widths of the hidden layers.
    """

    scale: Tensor
    mean: Tensor
    deviation: Tensor

    def __init__(self, layout: Layout, num_actions: int, hidden: Sequence[int]):
        super().__init__()
        self.hidden = list(hidden)
        self.register_buffer("scale", torch.as_tensor(layout.to_float(np.ones(layout.size, np.int8))))
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("deviation", torch.ones(()))
        widths = [layout.size, *hidden]
        self.first = _linear(widths[0], widths[1], 2**0.5)
        self.others = nn.Sequential(*(layer for sizes in pairwise(widths[1:]) for layer in (_linear(*sizes, 2**0.5), nn.ReLU())))
        self.policy = _linear(widths[-1], num_actions, 0.01)
        self.value = _linear(widths[-1], 1, 1.0)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) with illegal ones at minus infinity, all but; values (B,) in normal units. Both float32.

        Args:
            observations: (B, layout.size) int8.
            masks: (B, actions) bool.
        """
        dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else torch.float32
        # The scale is put on the weights: there are fewer of them than of observations.
        features = functional.relu(functional.linear(observations.to(dtype), self.first.weight * self.scale, self.first.bias))
        features = self.others(features)
        logits = self.policy(features).float().masked_fill(~masks, _FORBIDDEN)
        return logits, self.value(features).float()[:, 0]

    @torch.no_grad()
    def measure(self, returns: Tensor, weight: float) -> None:
        """Let mean and deviation move by `weight` towards those of these returns; predictions in real units stay the same."""
        mean, deviation = self.mean.clone(), self.deviation.clone()
        self.mean += weight * (returns.mean() - self.mean)
        self.deviation += weight * (returns.std().clamp_min(1e-3) - self.deviation)
        self.value.weight *= deviation / self.deviation
        self.value.bias.copy_((self.value.bias * deviation + mean - self.mean) / self.deviation)

    def real(self, values: Tensor) -> Tensor:
        """Values in units of reward."""
        return values * self.deviation + self.mean

    def normal(self, returns: Tensor) -> Tensor:
        """Returns in the units that values are learned in."""
        return (returns - self.mean) / self.deviation


def _linear(wide: int, narrow: int, gain: float) -> nn.Linear:
    layer = nn.Linear(wide, narrow)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def tables_digest(game: Game) -> str:
    """SHA-256 of what a network's inputs and outputs mean: the slices of the observation and the actions, in order."""
    slices = [(part.name, part.start, part.stop, part.low, part.high) for part in game.layout.values()]
    return hashlib.sha256(json.dumps([game.id, slices, [action.name for action in game.actions]]).encode()).hexdigest()


def save_network(network: PolicyValue, game: Game, path: Path) -> None:
    """Write the weights, with what they are for: plain numbers and text, nothing that can be run."""
    metadata = {"format": FORMAT, "game": game.id, "tables": tables_digest(game), "hidden": json.dumps(network.hidden)}
    save_file(network.state_dict(), path, metadata)


def load_network(game: Game, path: Path) -> PolicyValue:
    """The network that `save_network` wrote.

    Raises:
        AgentError: The file cannot be read, is damaged, of another kind, or of a network for other observations or actions.
    """
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (OSError, SafetensorError) as error:
        raise AgentError(f"checkpoint {path}: not a checkpoint, or a damaged one: {error}") from None
    if metadata.get("format") != FORMAT:
        raise AgentError(f"checkpoint {path}: format {metadata.get('format')!r}, but {FORMAT!r} is needed")
    if metadata.get("tables") != tables_digest(game):
        raise AgentError(
            f"checkpoint {path}: a network for {metadata.get('game')}, whose observations or actions are not those of {game.id}"
        )
    network = PolicyValue(game.layout, len(game.actions), json.loads(metadata["hidden"]))
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise AgentError(f"checkpoint {path}: the weights do not fit the network: {error}") from None
    return network.requires_grad_(False)
