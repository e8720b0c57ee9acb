"""The network of self-play: an actor over legal actions and a critic, with weights as arrays and as checkpoints."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.imports import errors_of_others, is_allowed
from w51_agents.agent.interface import AgentError
from w51_agents.networks.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.networks.layers import ILLEGAL, BaseTorso, Torso, ValueHead, linear
from w51_agents.networks.torch_settings import loading, own_settings
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object

KIND = "selfplay"

# Networks of this package beside `ActorCritic`, by their names in configs and checkpoints.
NETWORKS = {
    "items": "w51_agents.networks.items.network:ItemActorCritic",
    "history": "w51_agents.networks.history.network:HistoryActorCritic",
    "recurrent": "w51_agents.networks.recurrent.network:RecurrentActorCritic",
}

_FIRST_LOGIT_BIAS = 4.0  #  of the base policy's action
_IMPORTED: set[str] = set()


class ActorCritic(nn.Module):
    """A policy over legal actions and a value, both of what one seat observes; they share the torso.

    A network of another kind is a subclass with another `make_torso`, `make_policy` or `forward`.

    Args:
        game: The game it plays.
        hidden_sizes: Widths of the hidden layers.
        base_policy: Name of the bot whose action is an input and biases the logits; None: no such input.
        heuristic_features: Whether the game's heuristic features are inputs.
        hidden_slices: Names of slices of the observation that are 0 in the inputs.
        network_settings: Arguments of `make_torso`, plain data.

    Attributes:
        network: The name of its class, one of `NETWORKS` or `module:Class`, if a config or a checkpoint names one;
            None: this class.
        reads_items: Whether its inputs are those of a network for any items (`ItemInputs`).

    Raises:
        OptionError: The game has no heuristic features, or no slice of a name.
    """

    network: str | None = None
    reads_items = False

    def __init__(
        self,
        game: Game,
        hidden_sizes: Sequence[int],
        base_policy: str | None = None,
        heuristic_features: bool = False,
        hidden_slices: Sequence[str] = (),
        network_settings: Mapping[str, Any] | None = None,
    ):
        super().__init__()
        self.hidden_sizes = list(hidden_sizes)
        self.base_policy = base_policy
        self.heuristic_features = heuristic_features
        self.hidden_slices = list(hidden_slices)
        self.network_settings = dict(network_settings or {})
        self.num_inputs = self.inputs_for(game).size
        self.torso = self.make_torso(game, self.num_inputs, self.hidden_sizes, **self.network_settings)
        self.policy = self.make_policy(game)
        self.value = ValueHead(self.torso.width)
        self.residual = ResidualBias(len(game.actions), hidden_sizes[0]) if base_policy else None

    def make_torso(self, game: Game, num_inputs: int, hidden_sizes: Sequence[int]) -> BaseTorso:
        """The layers from inputs to features. A subclass may have more arguments: the keys of `network_settings`.

        Args:
            game: The game it plays; the first inputs are the observation, `game.layout`.
            num_inputs: Number of inputs.
            hidden_sizes: Widths of layers. An embedding of the base policy's action has the first of these widths.
        """
        return Torso(num_inputs, hidden_sizes)

    def make_policy(self, game: Game) -> nn.Module:
        """The layers of `logits`, above `self.torso`."""
        return linear(self.torso.width, len(game.actions), 0.01)

    def logits(self, features: Tensor, inputs: Any, masks: Tensor) -> Tensor:
        """(B, actions) logits of (B, width) features of the torso, of what it has read, and of (B, actions) masks."""
        return self.policy(features)

    def inputs_for(self, game: Game) -> NetworkInputs:
        """What turns observations of a game into inputs."""
        history = self.history_rows(self.network_settings)
        return NetworkInputs(game, self.heuristic_features, self.hidden_slices, self.reads_items, history)

    @classmethod
    def history_rows(cls, network_settings: Mapping[str, Any]) -> int:
        """The number of events that are inputs, the last ones that the seat may know."""
        return 0

    @property
    def inputs(self) -> dict[str, Any]:
        """What its inputs are: two networks with equal ones can read the same rows."""
        return {
            "base_policy": self.base_policy,
            "heuristic_features": self.heuristic_features,
            "hidden_slices": self.hidden_slices,
            "items": self.reads_items,
            "history": self.history_rows(self.network_settings),
        }

    @property
    def shape(self) -> dict[str, Any]:
        """The arguments of `make_network` beside the game, without those that are not used."""
        optional = {
            "hidden_slices": self.hidden_slices,
            "network": self.network,
            "network_settings": self.network_settings,
        }
        return {
            "hidden_sizes": self.hidden_sizes,
            "base_policy": self.base_policy,
            "heuristic_features": self.heuristic_features,
            **{name: value for name, value in optional.items() if value},
        }

    def features(self, read: Any, base_actions: Tensor | None = None) -> Tensor:
        """(B, width) features of the torso of what it has read; (B,) int64 actions of the base policy, as `forward`."""
        if self.residual is None or base_actions is None:
            return self.torso(read)
        return self.torso(read, self.residual.embedding(base_actions))

    def forward(self, inputs: Tensor, masks: Tensor, base_actions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits (B, actions), about minus infinity where illegal, and normalised values (B,); both float32.

        Args:
            inputs: (B, inputs) int8, of `NetworkInputs`.
            masks: (B, actions) bool.
            base_actions: (B,) int64, the actions of the base policy, if there is one.
        """
        read = self.torso.read(inputs)
        features = self.features(read, base_actions)
        logits = self.logits(features, read, masks).float()
        if self.residual is not None and base_actions is not None:
            logits = self.residual.add_to(logits, base_actions)
        # An illegal action has probability 0, so no loss has a gradient with respect to its logit.
        with torch.no_grad():
            logits.masked_fill_(~masks, ILLEGAL)
        return logits, self.value(features)


class ResidualBias(nn.Module):
    """The action of a base policy as input: an embedding, and a learned bias on the action's logit.

    The bias starts high, so the network begins close to the base policy and learns where to deviate (Silver et al.,
    Residual Policy Learning, arXiv:1812.06298).

    Args:
        num_actions: Size of the action table.
        width: Width of the network's first layer.
    """

    def __init__(self, num_actions: int, width: int):
        super().__init__()
        self.logit_bias = nn.Parameter(torch.full((num_actions,), _FIRST_LOGIT_BIAS))
        self.embedding = nn.Embedding(num_actions, width)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def add_to(self, logits: Tensor, base_actions: Tensor) -> Tensor:
        """(B, actions) logits, changed in place: the bias of each of the (B,) base actions is added."""
        return logits.scatter_add_(1, base_actions[:, None], self.logit_bias[base_actions][:, None])


def network_class(name: str | None) -> type[ActorCritic]:
    """The class of networks of a name: one of `NETWORKS`, a subclass of `ActorCritic` as `module:Class`, or None.

    Raises:
        AgentError: There is no such class.
    """
    if name is None:
        return ActorCritic
    with errors_of_others(f"network {name!r} cannot be made"):
        imported = import_object(NETWORKS.get(name, name))
    if not (isinstance(imported, type) and issubclass(imported, ActorCritic)):
        raise AgentError(
            f"network {name!r}: {getattr(imported, '__name__', imported)} is not a subclass of ActorCritic"
        )
    return imported


@own_settings()
def make_network(game: Game, network: str | None = None, **arguments: Any) -> ActorCritic:
    """A network with new weights.

    Args:
        game: The game it plays.
        network: The name of its class, as for `network_class`.
        **arguments: Arguments of the class beside the game.

    Raises:
        AgentError: There is no such class, or it cannot be made.
        OptionError: As for `ActorCritic`.
    """
    make = network_class(network)
    if network is None:
        if settings := arguments.get("network_settings"):
            raise AgentError(f"network_settings: {settings!r}, but without `network` there are none")
        return make(game, **arguments)
    with errors_of_others(f"network {network!r} cannot be made"):
        made = make(game, **arguments)
    made.network = network
    if network not in NETWORKS:
        _IMPORTED.add(network)
    return made


def imported_networks() -> list[str]:
    """The third-party classes that `make_network` has imported in this process."""
    return sorted(_IMPORTED)


# ---- weights and checkpoints


def weights_of(module: nn.Module) -> dict[str, np.ndarray]:
    """Copies of all parameters and buffers, by name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def set_weights(module: nn.Module, weights: Mapping[str, np.ndarray]) -> None:
    """Load what `weights_of` returned.

    Raises:
        RuntimeError: Names or shapes differ from those of the module.
        ValueError: A weight is infinite or nan.
    """
    module.load_state_dict(tensors_of(weights))
    for name, tensor in module.state_dict().items():
        if not tensor.isfinite().all():
            raise ValueError(f"{name} has values that are not finite")


def tensors_of(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """Copies of arrays as tensors."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def load_weights(module: nn.Module, checkpoint: Checkpoint, path: Path) -> None:
    """Load the weights of a checkpoint; AgentError if they do not fit."""
    try:
        set_weights(module, checkpoint.weights)
    except (RuntimeError, ValueError) as error:
        raise AgentError(f"checkpoint {path}: the weights do not fit the network: {error}") from None


def save_network(network: ActorCritic, game: Game, path: Path) -> None:
    """Write a network as a checkpoint."""
    write_checkpoint(Checkpoint(KIND, weights_of(network), network.shape, network.reads_items), game, path)


def load_network(game: Game, path: Path, *, to_start: bool = False) -> ActorCritic:
    """The network in a checkpoint file, as `read_checkpoint` and `network_of` give it; AgentError if there is none."""
    return network_of(read_checkpoint(path, game, to_start=to_start), game, path)


@loading()
def network_of(checkpoint: Checkpoint, game: Game, path: Path, *, trust: bool = False) -> ActorCritic:
    """The network of a checkpoint.

    Args:
        checkpoint: The content of the file.
        game: The game it plays.
        path: The file, for messages.
        trust: Import the class of its network, whatever it is; else only one of `allow_code`.

    Raises:
        AgentError: It is of another kind, its class is not allowed, or the weights do not fit.
    """
    if checkpoint.kind != KIND:
        raise AgentError(f"checkpoint {path}: of kind {checkpoint.kind!r}, but {KIND!r} is needed")
    name = checkpoint.shape.get("network")
    if name is not None and name not in NETWORKS and not (trust or is_allowed(name)):
        raise AgentError(
            f"checkpoint {path}: its network is third-party code: {name}; it was not imported. If you trust it, "
            f"add --trust (trust=True); in training, --allow {shlex.quote(name)}"
        )
    network = make_network(game, **checkpoint.shape)
    load_weights(network, checkpoint, path)
    return network.requires_grad_(False)
