"""The network that plays and learns: a policy over legal actions and a value, from what a seat sees."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.agent import AgentError
from agents.policies.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from agents.policies.inputs import Inputs
from agents.policies.weights import load_weights, weights_of
from w51_env.core.game import Game

KIND = "selfplay"

_FORBIDDEN = -1e9  #  logit of an illegal action: its probability is 0 in every precision
_TRUST = 4.0  #  by which the logit of an advised action is raised at first
_LEAST_SPREAD = 0.1  #  of an input: one that hardly ever differs is not blown up


class Body(nn.Module):
    """Hidden layers over an observation, each input in units of its own mean and deviation, which `follow` measures.

    Args:
        num_inputs: Numbers of an observation.
        hidden: Widths of the layers.
    """

    mean: Tensor
    square: Tensor
    seen: Tensor

    def __init__(self, num_inputs: int, hidden: Sequence[int]):
        super().__init__()
        self.hidden = list(hidden)
        self.register_buffer("mean", torch.zeros(num_inputs))
        self.register_buffer("square", torch.ones(num_inputs))
        self.register_buffer("seen", torch.zeros(num_inputs))
        self.first = _linear(num_inputs, hidden[0], 2**0.5)
        self._kept: tuple[Tensor, ...] = ()
        self.others = nn.Sequential(
            *(layer for sizes in pairwise(hidden) for layer in (_linear(*sizes, 2**0.5), nn.ReLU()))
        )

    def forward(self, observations: Tensor, beside: Tensor | float = 0.0) -> Tensor:
        """(B, hidden[-1]) of (B, num_inputs) int8; `beside`, (B, hidden[0]), is added to the first layer before it is rectified."""
        device = observations.device.type
        dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else torch.float32
        weight, bias = self._kept or self.in_units()
        return self.others(
            functional.relu(functional.linear(observations.to(dtype), weight.to(dtype), bias.to(dtype)) + beside)
        )

    def in_units(self) -> tuple[Tensor, Tensor]:
        """Weights and bias of the first layer for inputs as they come: the units are put on the weights, of which there are fewer."""
        weight = self.first.weight / (self.square - self.mean**2).clamp_min(_LEAST_SPREAD**2).sqrt()
        return weight, self.first.bias - weight @ self.mean

    @contextmanager
    def unchanging(self, dtype: torch.dtype) -> Iterator[None]:
        """While nothing changes, the weights of the first layer are worked out once."""
        with torch.no_grad():
            self._kept = tuple(part.to(dtype) for part in self.in_units())
        try:
            yield
        finally:
            self._kept = ()

    @torch.no_grad()
    def follow(self, observations: Tensor) -> None:
        """Take these (B, num_inputs) into mean and deviation, with as much weight as all that were taken in before at one time."""
        self.seen += 1
        inputs = observations.float()
        self.mean += (inputs.mean(0) - self.mean) / self.seen
        self.square += ((inputs**2).mean(0) - self.square) / self.seen


class Value(nn.Module):
    """A value, learned in units of the returns' own mean and deviation, which `measure` follows; so any reward scale learns alike."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("deviation", torch.ones(()))
        self.last = _linear(width, 1, 1.0)

    def forward(self, features: Tensor) -> Tensor:
        """(B,) float32 in normal units."""
        return self.last(features).float()[:, 0]

    @torch.no_grad()
    def measure(self, returns: Tensor, weight: float) -> None:
        """Let mean and deviation move by `weight` towards those of these returns; predictions in real units stay the same."""
        mean, deviation = self.mean.clone(), self.deviation.clone()
        self.mean += weight * (returns.mean() - self.mean)
        self.deviation += weight * (returns.std(correction=0).clamp_min(1e-3) - self.deviation)
        self.last.weight *= deviation / self.deviation
        self.last.bias.copy_((self.last.bias * deviation + mean - self.mean) / self.deviation)

    def real(self, values: Tensor) -> Tensor:
        """Values in units of reward."""
        return values * self.deviation + self.mean

    def normal(self, returns: Tensor) -> Tensor:
        """Returns in the units that values are learned in."""
        return (returns - self.mean) / self.deviation


class Advice(nn.Module):
    """What a network makes of the choice of a bot: at first it does the same most of the time, and learns where not to.

    Args:
        num_actions: Size of the action table.
        width: Of the network's first layer.
    """

    def __init__(self, num_actions: int, width: int):
        super().__init__()
        self.trust = nn.Parameter(torch.full((num_actions,), _TRUST))
        self.meaning = nn.Embedding(num_actions, width)
        nn.init.normal_(self.meaning.weight, std=0.1)

    def add_to(self, logits: Tensor, advice: Tensor) -> Tensor:
        """Logits (B, actions), changed in place: those of the advised actions (B,) are raised."""
        return logits.scatter_add_(1, advice[:, None], self.trust[advice][:, None])


class ActorCritic(nn.Module):
    """A policy over legal actions and a value, from what a seat sees; they share their hidden layers.

    Args:
        game: The game it plays.
        hidden: Widths of the hidden layers.
        advisor: The name of the bot whose choice the network is told; None if of none.
        reckoning: Whether it is shown the game's reckoning beside the observation (`inputs.Inputs`).

    Raises:
        OptionError: The game has no reckoning.
    """

    def __init__(self, game: Game, hidden: Sequence[int], advisor: str | None = None, reckoning: bool = False):
        super().__init__()
        self.advisor = advisor
        self.reckoning = reckoning
        self.body = Body(Inputs(game, reckoning).size, hidden)
        self.policy = _linear(hidden[-1], len(game.actions), 0.01)
        self.value = Value(hidden[-1])
        self.advice = Advice(len(game.actions), hidden[0]) if advisor else None

    def forward(self, observations: Tensor, masks: Tensor, advice: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) with illegal ones at minus infinity, all but; values (B,) in normal units. Both float32.

        Args:
            observations: (B, inputs) int8, as `Inputs` shows them.
            masks: (B, actions) bool.
            advice: (B,) int64, the advisor's choices, if there is one.
        """
        if self.advice is None or advice is None:
            features = self.body(observations)
            logits = self.policy(features).float()
        else:
            features = self.body(observations, self.advice.meaning(advice))
            logits = self.advice.add_to(self.policy(features).float(), advice)
        with torch.no_grad():  # the probability of an illegal action is 0, and so is what any loss can ask of its logit
            logits.masked_fill_(~masks, _FORBIDDEN)
        return logits, self.value(features)


class CentralizedCritic(nn.Module):
    """A value from what all seats of a table see: more than the one whose value it is may know, so it serves training only."""

    def __init__(self, num_inputs: int, hidden: Sequence[int]):
        super().__init__()
        self.body = Body(num_inputs, hidden)
        self.value = Value(hidden[-1])

    def forward(self, observations: Tensor) -> Tensor:
        """(B,) in normal units, of (B, num_inputs) int8."""
        return self.value(self.body(observations))


def _linear(wide: int, narrow: int, gain: float) -> nn.Linear:
    layer = nn.Linear(wide, narrow)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def save_network(network: ActorCritic, game: Game, path: Path) -> None:
    """Write a network as a checkpoint."""
    write_checkpoint(Checkpoint(KIND, weights_of(network), shape_of(network)), game, path)


def shape_of(network: ActorCritic) -> dict[str, Any]:
    """What a network is made with, beside its game."""
    return {"hidden": network.body.hidden, "advisor": network.advisor, "reckoning": network.reckoning}


def load_network(game: Game, path: Path) -> ActorCritic:
    """The network that `save_network` wrote; AgentError if the file is none of this game (see `read_checkpoint`)."""
    return network_of(read_checkpoint(path, game), game, path)


def network_of(checkpoint: Checkpoint, game: Game, path: Path) -> ActorCritic:
    """The network of a checkpoint.

    Raises:
        AgentError: It is of another trainer, or the weights do not fit.
    """
    if checkpoint.kind != KIND:
        raise AgentError(f"checkpoint {path}: of {checkpoint.kind!r}, but {KIND!r} is needed")
    network = ActorCritic(game, **checkpoint.shape)
    load_weights(network, checkpoint, path)
    return network.requires_grad_(False)
