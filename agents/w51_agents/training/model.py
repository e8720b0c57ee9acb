"""The network that plays and learns, and the critic that only learns, with the device and precision of a config."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent import AgentError
from w51_agents.imports import allow_code
from w51_agents.policies.folding import FoldedPolicy, folded
from w51_agents.policies.layers import ValueHead
from w51_agents.policies.load import existing_checkpoint
from w51_agents.policies.network import NETWORKS, ActorCritic, CentralizedCritic, load_network, make_network
from w51_agents.training.learner_settings import LearnerConfig, LearnerSettings
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

_STATS_EVERY = 8  #  steps of a rollout: one of them enters the statistics of the inputs


class LearnerModel:
    """The network of a config with new weights, or with those of the checkpoint `start`, and its critic.

    Args:
        config: The config.
        game: The game.
        num_all_observations: Number of inputs of a centralized critic.

    Attributes:
        network: Policy and value.
        critic: The centralized critic; None: the value is that of the network.
        device, dtype: Device and precision of matrix products.
        folded: While it plays, the network for compiled code; None: it is not one that compiled code can evaluate.

    Raises:
        AgentError: A class or a checkpoint that does not exist or fit, or no GPU for `cuda`.
        OptionError: Heuristic features or slices that the game does not have.
    """

    def __init__(self, config: LearnerConfig, game: Game, num_all_observations: int):
        settings: LearnerSettings = config.settings
        self.device = device_of(config)
        self.dtype = torch.bfloat16 if settings.precision == "bfloat16" else torch.float32
        if settings.network is not None and settings.network not in NETWORKS:
            allow_code([settings.network])  # in checkpoints, too
        self.network = make_network(
            game,
            settings.network,
            hidden_sizes=settings.hidden_sizes,
            base_policy=settings.base_policy,
            heuristic_features=settings.heuristic_features,
            hidden_slices=settings.hidden_slices,
            network_settings=settings.network_settings,
        ).to(self.device)
        if settings.start is not None:
            start = load_network(game, existing_checkpoint(settings.start, game), to_start=True)
            load_start(self.network, start, f"{config.section}.start: {settings.start}")
        self._game = game
        self.folded: FoldedPolicy | None = None
        self.critic: CentralizedCritic | None = None
        if settings.critic == "centralized":
            self.critic = CentralizedCritic(num_all_observations, settings.hidden_sizes).to(self.device)

    def modules(self) -> dict[str, nn.Module]:
        """Network and critic, by name."""
        return {"network": self.network} | ({"critic": self.critic} if self.critic is not None else {})

    def parameters(self) -> list[nn.Parameter]:
        """All that is learned."""
        return [parameter for module in self.modules().values() for parameter in module.parameters()]

    @property
    def value_head(self) -> ValueHead:
        """The head that predicts values."""
        return (self.critic or self.network).value

    def forward(
        self, inputs: Tensor, masks: Tensor, base_actions: Tensor, all_observations: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) and normalised values (B,), these of the centralized critic if there is one."""
        with self.autocast():
            logits, values = self.network(inputs.to(self.device), masks.to(self.device), base_actions.to(self.device))
            if self.critic is not None:
                values = self.critic(all_observations.to(self.device))
        return logits, values

    @torch.no_grad()
    def logits_of(self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor) -> Tensor:
        """Logits (B, actions) of another network, such as a frozen copy, without gradients."""
        with self.autocast():
            return network(inputs.to(self.device), masks.to(self.device), base_actions.to(self.device))[0]

    @contextmanager
    def playing(self, snapshots: Sequence[ActorCritic]) -> Iterator[None]:
        """No parameter changes inside, neither of the network nor of these; so some numbers are computed only once."""
        with ExitStack() as stack:
            for network in (self.network, *snapshots):
                stack.enter_context(network.torso.cached_weights(self.dtype))
            self.folded = folded(self._game, self.network) if self.is_plain else None
            yield

    @property
    def is_plain(self) -> bool:
        """Whether compiled code plays and learns: a network of this class, on a processor, with its own value."""
        plain = type(self.network) is ActorCritic and self.network.residual is None and self.critic is None
        return plain and self.device.type == "cpu" and self.dtype == torch.float32 and not JIT_DISABLED

    def autocast(self) -> torch.autocast:
        """Matrix products in the precision of the config."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    @torch.no_grad()
    def update_input_stats(self, inputs: Tensor, all_observations: Tensor) -> None:
        """Include inputs of a rollout, (T, N, ...) each, in the normalisation."""
        self.network.torso.update_stats(inputs[::_STATS_EVERY].flatten(0, 1).to(self.device))
        if self.critic is not None:
            self.critic.torso.update_stats(all_observations[::_STATS_EVERY].flatten(0, 1).to(self.device))


def device_of(config: LearnerConfig) -> torch.device:
    """The device of a config; AgentError if there is no such GPU."""
    device = torch.device(config.settings.device)
    if device.type == "cuda" and (device.index or 0) >= (count := torch.cuda.device_count()):
        known = f"finds {count or 'no'} GPU{'s' * (count > 1)} here"
        raise AgentError(f"{config.section}.device: {config.settings.device!r}, but PyTorch {known}; cpu is possible")
    return device


@torch.no_grad()
def update_average(average: nn.Module, network: nn.Module, rate: float) -> None:
    """Move averaged weights towards those of a network, by this part of the way."""
    for old, new in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        old.lerp_(new, rate)


def load_start(network: ActorCritic, start: ActorCritic, source: str) -> None:
    """Load the weights of another network; heuristic features that it does not have begin with weight 0.

    Raises:
        AgentError: The shapes differ.
    """
    weights = start.state_dict()
    if network.shape != start.shape:
        if network.network is not None or network.shape != {**start.shape, "heuristic_features": True}:
            raise AgentError(f"{source} has {start.shape}, but the config {network.shape}")
        added = network.num_inputs - start.num_inputs
        for name, fill in (("first.weight", 0.0), ("mean", 0.0), ("mean_square", 1.0), ("count", 0.0)):
            weights[f"torso.{name}"] = functional.pad(weights[f"torso.{name}"], (0, added), value=fill)
    network.load_state_dict(weights)
