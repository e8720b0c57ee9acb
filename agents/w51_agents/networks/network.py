"""An actor over legal actions and a critic, in PyTorch: the reference of every form of network."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent.interface import AgentError
from w51_agents.networks.inputs import NetworkInputs
from w51_agents.networks.layers import ILLEGAL, BaseTorso, StyleHead, Torso, ValueHead, linear
from w51_env.engine.game import Game

_FIRST_LOGIT_BIAS = 4.0  #  of the base policy's action


class ActorCritic(nn.Module):
    """A policy over legal actions and a value, both of what one seat observes; they share the torso.

    A network of another form is a subclass with another `make_torso`, `make_policy` or `evaluate`. What else the
    package needs of it (its agent, faster code) is said by its `NetworkForm`.

    Args:
        game: The game it plays.
        hidden_sizes: Widths of the hidden layers.
        base_policy: Name of the bot whose action is an input and biases the logits; None: no such input.
        heuristic_features: Whether the game's heuristic features are inputs.
        hidden_slices: Names of slices of the observation that are 0 in the inputs.
        network_settings: Arguments of `make_torso`, plain data.

    Attributes:
        network: The name of its form, as in configs and checkpoints; None: this class.
        plays_any_items: Whether it reads the features of a game's items, not their names.
        state_size: How many numbers it remembers of each seat.
        belief: Tells the styles of players in the other seats apart; None: nothing does.

    Raises:
        OptionError: The game has no heuristic features, or no slice of a name.
    """

    network: str | None = None
    plays_any_items = False
    state_size = 0
    belief: StyleHead | None

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
        self.belief = None
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
        return NetworkInputs(game, self.heuristic_features, self.hidden_slices)

    @property
    def inputs(self) -> dict[str, Any]:
        """What its inputs are: two networks with equal ones can read the same rows."""
        return {
            "base_policy": self.base_policy,
            "heuristic_features": self.heuristic_features,
            "hidden_slices": self.hidden_slices,
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

    def evaluate(
        self, inputs: Tensor, masks: Tensor, base_actions: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """As `forward`, with any logits where illegal; and the features (B, width) that they are computed from."""
        read = self.torso.read(inputs)
        features = self.features(read, base_actions)
        logits = self.logits(features, read, masks).float()
        if self.residual is not None and base_actions is not None:
            logits = self.residual.add_to(logits, base_actions)
        return logits, self.value(features), features

    def forward(self, inputs: Tensor, masks: Tensor, base_actions: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Logits (B, actions), about minus infinity where illegal, and normalised values (B,); both float32.

        Args:
            inputs: (B, inputs) int8, of `NetworkInputs`.
            masks: (B, actions) bool.
            base_actions: (B,) int64, the actions of the base policy, if there is one.
        """
        logits, values, _ = self.evaluate(inputs, masks, base_actions)
        # An illegal action has probability 0, so no loss has a gradient with respect to its logit.
        with torch.no_grad():
            logits.masked_fill_(~masks, ILLEGAL)
        return logits, values

    def step(
        self, inputs: Tensor, masks: Tensor, base_actions: Tensor | None, states: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """As `forward`, and the states (B, state_size) of the seats after these decisions; before them `states`."""
        return *self(inputs, masks, base_actions), states

    def start_from(self, start: "ActorCritic", source: str) -> None:
        """Load the weights of another network; heuristic features that it does not have begin with weight 0.

        Raises:
            AgentError: The shapes differ.
        """
        weights = start.state_dict()
        if self.shape != start.shape:
            if self.network is not None or self.shape != {**start.shape, "heuristic_features": True}:
                raise AgentError(f"{source} has {start.shape}, but the config {self.shape}")
            added = self.num_inputs - start.num_inputs
            for name, fill in (("first.weight", 0.0), ("mean", 0.0), ("mean_square", 1.0), ("count", 0.0)):
                weights[f"torso.{name}"] = functional.pad(weights[f"torso.{name}"], (0, added), value=fill)
        self.load_state_dict(weights)


class ResidualBias(nn.Module):
    """The action of a base policy as input: an embedding, and a learned bias on the action's logit.

    The bias starts high, so the network begins close to the base policy and learns where to deviate (Silver et al.,
    Residual Policy Learning, arXiv:1812.06298).
    """

    def __init__(self, num_actions: int, width: int):
        super().__init__()
        self.logit_bias = nn.Parameter(torch.full((num_actions,), _FIRST_LOGIT_BIAS))
        self.embedding = nn.Embedding(num_actions, width)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def add_to(self, logits: Tensor, base_actions: Tensor) -> Tensor:
        """(B, actions) logits, changed in place: the bias of each of the (B,) base actions is added."""
        return logits.scatter_add_(1, base_actions[:, None], self.logit_bias[base_actions][:, None])
