"""The network that plays and learns, with its critic, and the gradients of a loss."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent.imports import allow_code
from w51_agents.agent.interface import AgentError
from w51_agents.networks.fast.compiled import folded, is_compilable
from w51_agents.networks.fast.decisions import FoldedPolicy
from w51_agents.networks.fast.layers import LegalLogits
from w51_agents.networks.history.network import HistoryActorCritic
from w51_agents.networks.items.learning import ItemLearner, table_of
from w51_agents.networks.layers import ILLEGAL, KindHead, Torso, ValueHead, gather_legal, sparse_features, sparse_rows
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import NETWORKS, load_network, make_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.kinds import check_kinds
from w51_agents.training.learner_settings import LearnerConfig, LearnerSettings
from w51_agents.training.rollout import Losses, Minibatch, Rollout
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

_ITEM_ROWS = 2048  #  of experience that share the rows of a matrix for each item, and their gradients
_STATS_EVERY = 8  #  steps of a rollout: one of them enters the statistics of the inputs


class CentralizedCritic(nn.Module):
    """A value of what all seats observe. No seat may know that much while it plays, so it serves training only."""

    def __init__(self, num_inputs: int, hidden_sizes: Sequence[int]):
        super().__init__()
        self.torso = Torso(num_inputs, hidden_sizes)
        self.value = ValueHead(hidden_sizes[-1])

    def forward(self, observations: Tensor) -> Tensor:
        """(B,) normalised values, of (B, num_inputs) int8."""
        return self.value(self.torso(observations))


class LearnerModel:
    """The network of a config with new weights, or with those of the checkpoint `start`, and its critic.

    Args:
        config: The config.
        game: The game.
        num_all_observations: Number of inputs of a centralized critic.
        items: Compiled code for a network for any items, whose inputs are then rows of `ItemObservations`.

    Attributes:
        network: Policy and value.
        critic: The centralized critic; None: the value is that of the network.
        kinds: Tells who plays the other seats, in training alone; None: nothing does.
        device, dtype: Device and precision of matrix products.
        plays_compiled: Whether compiled code plays: a network of this package without memory and with its own value, on
            a processor, in float32.
        is_compiled: Whether it computes the first layer and the logits of legal actions where the network learns, which
            is one without base policy, with history or without.
        rows_at_once: Fewer rows of a minibatch are not worth a thread.
        folded: While it plays, the network for compiled code, by game; empty: PyTorch plays.

    Raises:
        AgentError: A class or a checkpoint that does not exist or fit.
        OptionError: Heuristic features or slices that the game does not have.
    """

    def __init__(self, config: LearnerConfig, game: Game, num_all_observations: int, items: ItemLearner | None = None):
        settings: LearnerSettings = config.settings
        self._items = items
        self.device = torch.device(settings.device)
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
        self.critic: CentralizedCritic | None = None
        if settings.critic == "centralized":
            self.critic = CentralizedCritic(num_all_observations, settings.hidden_sizes).to(self.device)
        self.kinds: KindHead | None = None
        if names := settings.told_kinds:
            check_kinds(names)
            others = max(kind.num_players for kind in settings.games) - 1
            self.kinds = KindHead(self.network.torso.width, others, names).to(self.device)
        on_processor = self.device.type == "cpu" and self.dtype == torch.float32 and not JIT_DISABLED
        own, network = on_processor and self.critic is None, self.network
        both = network.reads_items and network.heuristic_features  # which the rollout does not keep so
        self.plays_compiled = own and is_compilable(network) and not both
        is_plain = not network.reads_items and network.residual is None
        self.is_compiled = self.plays_compiled and (is_plain or items is not None)
        self.is_compiled |= own and type(network) is HistoryActorCritic
        self.rows_at_once = _ITEM_ROWS if items is not None else 1
        self.folded: dict[Game, FoldedPolicy] = {}
        self._sparse_rows: tuple[Tensor, Tensor] | None = None

    def modules(self) -> dict[str, nn.Module]:
        """Network, critic and what tells kinds, by name."""
        all_modules = {"network": self.network, "critic": self.critic, "kinds": self.kinds}
        return {name: module for name, module in all_modules.items() if module is not None}

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
        if self._sparse_rows is not None and not torch.is_grad_enabled():
            features = self._sparse_features(inputs)
            return self.network.policy(features).masked_fill_(~masks, ILLEGAL), self.network.value(features)
        with self._autocast():
            logits, values = self._outputs(self.network, inputs, masks, base_actions)
            if self.critic is not None:
                values = self.critic(all_observations.to(self.device))
        return logits, values

    def forward_legal(self, minibatch: Minibatch) -> tuple[Tensor, Tensor]:
        """As `forward`, with logits (B, K) of `minibatch.legal`, so that a loss computes with small matrices."""
        return self.outputs(minibatch)[:2]

    def outputs(self, minibatch: Minibatch) -> tuple[Tensor, Tensor, Tensor | None]:
        """As `forward_legal`, and what `kinds` tells."""
        network, legal = self.network, minibatch.legal
        if self.is_compiled and self._items is not None:
            return *self._items(network, minibatch.inputs, legal), None
        if self.is_compiled:
            features, policy = self._sparse_features(minibatch.inputs), network.policy
            logits, values = LegalLogits.apply(features, policy.weight, policy.bias, legal), network.value(features)
            return logits, values, self.kinds(features) if self.kinds else None
        inputs = minibatch.inputs, minibatch.masks, minibatch.base_actions
        logits, values = self.forward(*inputs, minibatch.all_observations)
        told = self.kinds(network.torso(network.torso.read(minibatch.inputs))) if self.kinds else None
        return gather_legal(logits, legal), values, told

    @torch.no_grad()
    def logits_of(self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor) -> Tensor:
        """Logits (B, actions) of another network, such as a frozen copy, without gradients."""
        with self._autocast():
            return self._outputs(network, inputs, masks, base_actions)[0]

    def _outputs(
        self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits and normalised values of a network."""
        read = inputs if self._items is None else self._items.expand(inputs)
        return network(read.to(self.device), masks.to(self.device), base_actions.to(self.device))

    def legal_logits_of(self, network: ActorCritic, minibatch: Minibatch) -> Tensor:
        """As `logits_of`, (B, K) of `minibatch.legal`."""
        if self.is_compiled and self._items is not None:
            with torch.no_grad():
                return self._items(network, minibatch.inputs, minibatch.legal)[0]
        inputs = minibatch.inputs, minibatch.masks, minibatch.base_actions
        return gather_legal(self.logits_of(network, *inputs), minibatch.legal)

    def set_gradients(
        self, loss: Callable[[Tensor], Losses], rows: Tensor, least: int | None, threads: ThreadPoolExecutor | None
    ) -> Tensor:
        """Set the gradients of all parameters to those of a loss over some rows; parts of them in a thread each.

        Parts are summed in their order, so that the bytes do not depend on threads.

        Args:
            loss: Of the rows of a part.
            rows: (B,) int64, a minibatch.
            least: Rows of a part, on a processor; None: all.
            threads: The threads; None: the caller computes.

        Returns:
            (4,) the means of `Losses`.
        """
        parameters = self.parameters()
        at_once = len(rows) if least is None or self.device.type != "cpu" else max(least, self.rows_at_once)
        parts = self.split(rows, at_once)

        def compute(part: Tensor) -> tuple[Tensor, tuple[Tensor | None, ...]]:
            with torch.enable_grad():
                losses = loss(part)
                weight = torch.full_like(losses.total, len(part) / len(rows))
                gradients = torch.autograd.grad(losses.total, parameters, weight, allow_unused=True)
            return torch.stack(losses).detach() * weight, gradients

        with self.learning():
            results = map(compute, parts) if threads is None or len(parts) == 1 else threads.map(compute, parts)
            means, gradients = zip(*results, strict=True)
        for parameter, *terms in zip(parameters, *gradients, strict=True):
            # The fused optimizer reads a gradient as it lies in memory, which must be as the parameter does.
            parameter.grad = None if terms[0] is None else sum(terms[1:], terms[0]).contiguous()
        return sum(means[1:], means[0])

    def split(self, rows: Tensor, size: int) -> Sequence[Tensor]:
        """Parts of some `size` of the decisions `rows` (B,), in their order, that can be learned from by themselves."""
        return rows.split(size)

    @contextmanager
    def playing(self, snapshots: Sequence[ActorCritic], games: Iterable[Game]) -> Iterator[None]:
        """No parameter changes inside, neither of the network nor of these; so some numbers are computed only once.

        Args:
            snapshots: Networks that play, too.
            games: The games that are played.
        """
        with ExitStack() as stack:
            for network in (self.network, *snapshots):
                stack.enter_context(network.torso.cached_weights(self.dtype))
            if isinstance(self.network, HistoryActorCritic):
                stack.enter_context(self.learning())
            if self.plays_compiled:
                self._fold(games)
            yield

    def _fold(self, games: Iterable[Game]) -> None:
        """Set `folded`; games with the same items have one network."""
        torso, by_items = self.network.torso, dict[bytes, FoldedPolicy]()
        layers = torso.arrays() if isinstance(torso, Torso) else None
        for game in games:
            key = table_of(game) if self.network.reads_items else b""
            if key not in by_items:
                by_items[key] = folded(game, self.network, layers=layers)
            self.folded[game] = by_items[key]

    @contextmanager
    def learning(self) -> Iterator[None]:
        """No parameter changes inside, so the first layer is folded only once."""
        torso = self.network.torso
        if self.is_compiled and self._items is None and isinstance(torso, Torso):
            self._sparse_rows = sparse_rows(torso)
        yield
        self._sparse_rows = None

    def _sparse_features(self, inputs: Tensor) -> Tensor:
        """(B, width), by compiled code."""
        torso = self.network.torso
        assert isinstance(torso, Torso)
        return sparse_features(torso, inputs, self._sparse_rows or sparse_rows(torso))

    def _autocast(self) -> torch.autocast:
        """Matrix products in the precision of the config."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    @torch.no_grad()
    def update_input_stats(self, rollout: Rollout) -> None:
        """Include inputs of a rollout in the normalisation."""
        inputs = rollout.inputs[::_STATS_EVERY].flatten(0, 1).to(self.device)
        self.network.torso.update_stats(inputs, *(() if self._items is None else (self._items.expand,)))
        if self.critic is not None:
            self.critic.torso.update_stats(rollout.all_observations[::_STATS_EVERY].flatten(0, 1).to(self.device))


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
