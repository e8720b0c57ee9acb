"""How a network plays and learns in a training: by PyTorch alone. Rooms of networks have faster ways."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.inputs import NetworkInputs
from w51_agents.networks.layers import ILLEGAL, gather_legal
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


class DecisionInputs(Protocol):
    """Decisions of a minibatch, one row for each: what a network computes its outputs from."""

    inputs: Tensor  #  (B, size), of `Learning.inputs_for`
    masks: Tensor  #  (B, actions) bool
    base_actions: Tensor  #  (B,) int64
    numbers: Tensor  #  (B,) int64, of these decisions in the flattened rollout

    @property
    def legal(self) -> Tensor:
        """(B, K) int64, as of `list_legal`."""

    @property
    def is_legal(self) -> Tensor:
        """(B, K) bool, whether `legal` has an action there, and not what fills its rows up."""


class Played(Protocol):
    """A rollout: arrays (T, N, ...) of decisions."""

    inputs: Tensor
    seats: np.ndarray  #  the seat that decides
    dones: np.ndarray  #  whether the step ended an episode
    is_learner: np.ndarray  #  whether the decision is learned from


class Outputs(NamedTuple):
    """What a network computes of B decisions.

    Attributes:
        logits: (B, K), of the actions that `DecisionInputs.legal` lists; about minus infinity where there is none.
        values: (B,), normalised.
        features: (B, width), of which policy and value are computed.
    """

    logits: Tensor
    values: Tensor
    features: Tensor


def logits_of_legal(logits: Tensor, decisions: DecisionInputs) -> Tensor:
    """(B, K) as of `Outputs`, of (B, actions); where `legal` lists all actions, some are illegal."""
    return gather_legal(logits, decisions.legal).masked_fill(~decisions.is_legal, ILLEGAL)


class Moves(NamedTuple):
    """The arrays of the games that one call decides, a row for each game.

    Attributes:
        observations: (N, size) int8, of the seats to move.
        inputs: (N, inputs), as of `Learning.inputs_for`.
        base_actions: (N,) int64; -1 without a base policy.
        masks: (N, actions) int8, none of them empty.
        drawn: (N,) float32, uniform in [0, 1), with which actions are drawn.
        actions: (N,) int64, written; so are the next two.
        logprobs: (N,) float32, log-probabilities of the actions.
        values: (N,) float32, normalised.
    """

    observations: np.ndarray
    inputs: np.ndarray
    base_actions: np.ndarray
    masks: np.ndarray
    drawn: np.ndarray
    actions: np.ndarray
    logprobs: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class TrainingTask:
    """What of a training its network's way of learning depends on.

    Attributes:
        games: The games, all with the same observations and actions.
        num_envs, num_seats: Number of all games at once, and of seats of the largest.
        device: Of the network.
        is_fast: Whether compiled code may compute: float32 on a processor, with the network's own value.
        burn_in: As of `LearnerSettings`.
    """

    games: Sequence[Game]
    num_envs: int
    num_seats: int
    device: torch.device
    is_fast: bool
    burn_in: int | None = 0


class Learning:
    """A network in a training: what is kept of a rollout, its outputs for a minibatch, its decisions.

    Attributes:
        network: The same.
        plays_compiled: Whether compiled code plays: `decider` gives calls, and snapshots are compiled, too.
        is_compiled: Whether compiled code computes `outputs`, or plays.
        min_rows: Fewer rows of a minibatch are not worth a thread.
        states: (num_envs, num_seats, state_size), what the network remembers, kept with the games; None: nothing. A
            rank has those of its games.
    """

    plays_compiled = False
    is_compiled = False
    min_rows = 1
    states: Tensor | None = None

    def __init__(self, network: ActorCritic, task: TrainingTask):
        self.network = network

    def inputs_for(self, game: Game) -> NetworkInputs:
        """What is kept of the observations of a game."""
        return self.network.inputs_for(game)

    def keep(self, games: slice) -> None:
        """Remember these games of all alone."""
        if self.states is not None:
            self.states = self.states[games]

    def read(self, inputs: Tensor) -> Tensor:
        """(B, inputs) as the layers of the network read them, of what is kept."""
        return inputs

    def step(
        self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor, states: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """As `ActorCritic.step`, of what is kept; `network` is the one that learns, or a snapshot of it."""
        return network.step(self.read(inputs), masks, base_actions, states)

    def outputs(self, network: ActorCritic, decisions: DecisionInputs) -> Outputs:
        """The outputs of the network that learns, or of a copy of it."""
        return self.reference(network, decisions)

    def reference(self, network: ActorCritic, decisions: DecisionInputs) -> Outputs:
        """As `outputs`, by PyTorch alone."""
        inputs = self.read(decisions.inputs)
        logits, values, features = network.evaluate(inputs, decisions.masks, decisions.base_actions)
        return Outputs(logits_of_legal(logits, decisions), values, features)

    @contextmanager
    def in_pytorch(self) -> Iterator[None]:
        """Inside, `reference` is PyTorch alone also where the layers of a network have compiled code of their own."""
        yield

    def split(self, rows: Tensor, size: int) -> Sequence[Tensor]:
        """Parts of some `size` of the decisions `rows` (B,), in their order, that can be learned from by themselves.

        `rows` are numbers in the rollout of all games.
        """
        return rows.split(size)

    @contextmanager
    def playing(self, rollout: Played, networks: Sequence[ActorCritic], dtype: torch.dtype) -> Iterator[None]:
        """Inside, games are played: no parameter of `networks` changes, and some numbers are computed only once.

        Args:
            rollout: What is written.
            networks: The network that learns, and snapshots.
            dtype: Of matrix products.
        """
        with ExitStack() as stack:
            for network in networks:
                stack.enter_context(network.torso.cached_weights(dtype))
            yield

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Inside, no parameter changes while gradients are computed."""
        yield

    def decider(self, game: Game, moves: Moves) -> Callable[[int], int] | None:
        """While `playing`, a compiled call that decides in the games of these arrays; None: PyTorch decides."""
        return None

    def sums_of(self, inputs: Tensor) -> Tensor:
        """As of `BaseTorso`, of (B, size) of what is kept."""
        return self.network.torso.sums_of(inputs, self.read)

    def share(self, gather: Callable[[Tensor], Tensor]) -> None:
        """After each rollout: what `split` needs of the decisions of all ranks.

        Args:
            gather: Of (T, N) the same of all games.
        """
