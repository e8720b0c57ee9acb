"""The network that plays and learns, with its critic, and the gradients of a loss."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager

import torch
from torch import Tensor, nn

from w51_agents.agent.imports import allow_code
from w51_agents.networks.layers import KindHead, Torso, ValueHead
from w51_agents.networks.learning import Outputs, TrainingTask
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import FORMS, form_of, load_network, make_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.kinds import check_kinds
from w51_agents.training.learner_settings import OF_NETWORK, LearnerConfig, LearnerSettings
from w51_agents.training.plan import PlannedGames, num_envs_of, num_seats_of
from w51_agents.training.rollout import Losses, Minibatch, Rollout
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

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
        planned: The games of the training.

    Attributes:
        network: Policy and value.
        learning: How the network plays and learns here.
        critic: The centralized critic; None: the value is that of the network.
        kinds: Tells who plays the other seats, in training alone; None: nothing does.
        device, dtype: Device and precision of matrix products.

    Raises:
        AgentError: A class or a checkpoint that does not exist or fit.
        OptionError: Heuristic features or slices that the game does not have.
    """

    def __init__(self, config: LearnerConfig, game: Game, planned: Sequence[PlannedGames]):
        settings: LearnerSettings = config.settings
        self.device = torch.device(settings.device)
        self.dtype = torch.bfloat16 if settings.precision == "bfloat16" else torch.float32
        if settings.network is not None and settings.network not in FORMS:
            allow_code([settings.network])  # in checkpoints, too
        arguments = {name: getattr(settings, name) for name in OF_NETWORK if name != "network"}
        self.network = make_network(game, settings.network, **arguments).to(self.device)
        if settings.start is not None:
            start = load_network(game, existing_checkpoint(settings.start, game), to_start=True)
            self.network.start_from(start, f"{config.section}.start: {settings.start}")
        num_seats = num_seats_of(planned)
        self.critic: CentralizedCritic | None = None
        if settings.critic == "centralized":
            self.critic = CentralizedCritic(num_seats * game.layout.size, settings.hidden_sizes).to(self.device)
        self.kinds: KindHead | None = None
        if names := settings.told_kinds:
            check_kinds(names)
            others = max(games.num_players for games in settings.games) - 1
            self.kinds = KindHead(self.network.torso.width, others, names).to(self.device)
        on_processor = self.device.type == "cpu" and self.dtype == torch.float32
        task = TrainingTask(
            games=[games.game for games in planned],
            num_envs=num_envs_of(planned),
            num_seats=num_seats,
            device=self.device,
            is_fast=settings.compiled and on_processor and self.critic is None and not JIT_DISABLED,
            burn_in=settings.burn_in,
        )
        self.learning = form_of(self.network).learning(self.network, task)
        self._is_reference = False

    def modules(self) -> dict[str, nn.Module]:
        """Network, critic, what tells kinds, and what the network keeps in a training, by name."""
        all_modules = {"network": self.network, "critic": self.critic, "kinds": self.kinds, **self.learning.modules()}
        return {name: module for name, module in all_modules.items() if module is not None}

    def parameters(self) -> list[nn.Parameter]:
        """All that is learned."""
        return [parameter for module in self.modules().values() for parameter in module.parameters()]

    @property
    def value_head(self) -> ValueHead:
        """The head that predicts values."""
        return (self.critic or self.network).value

    def outputs(self, minibatch: Minibatch) -> Outputs:
        """Logits of the legal actions, values (those of the centralized critic if there is one) and features."""
        compute = self.learning.reference if self._is_reference else self.learning.outputs
        with self._autocast():
            outputs = compute(self.network, minibatch)
            return outputs if self.critic is None else outputs._replace(values=self.critic(minibatch.all_observations))

    @torch.no_grad()
    def logits_of(self, network: ActorCritic, minibatch: Minibatch) -> Tensor:
        """Logits (B, K) of the legal actions, of another network, such as a frozen copy; without gradients."""
        with self._autocast():
            return self.learning.outputs(network, minibatch).logits

    def step(
        self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor, states: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Decisions in games, of the network or a snapshot, as `ActorCritic.step`; their values are the network's."""
        with self._autocast():
            return self.learning.step(network, inputs, masks, base_actions, states)

    def criticized(self, all_observations: Tensor) -> Tensor | None:
        """(B,) normalised values of the centralized critic; None: there is none."""
        with self._autocast():
            return None if self.critic is None else self.critic(all_observations)

    @contextmanager
    def in_pytorch(self) -> Iterator[None]:
        """Inside, PyTorch alone computes outputs and gradients."""
        self._is_reference = True
        try:
            with self.learning.in_pytorch():
                yield
        finally:
            self._is_reference = False

    def playing(self, rollout: Rollout, snapshots: Sequence[ActorCritic]) -> AbstractContextManager[None]:
        """As `Learning.playing`, of the network and these snapshots."""
        return self.learning.playing(rollout, [self.network, *snapshots], self.dtype)

    def set_gradients(
        self, loss: Callable[[Tensor], Losses], rows: Tensor, least: int | None, threads: ThreadPoolExecutor | None
    ) -> dict[str, Tensor]:
        """Set the gradients of all parameters to those of a loss over some rows; parts of them in a thread each.

        Parts are summed in their order, so that the bytes do not depend on threads.

        Args:
            loss: Of the rows of a part.
            rows: (B,) int64, a minibatch.
            least: Rows of a part, on a processor; None: all.
            threads: The threads; None: the caller computes.

        Returns:
            The means of the `total` and of the terms of `Losses`, by name.
        """
        parameters, learning = self.parameters(), self.learning
        in_parts = least is not None and self.device.type == "cpu"
        parts = learning.split(rows, max(least or 0, learning.min_rows) if in_parts else len(rows))

        def compute(part: Tensor) -> tuple[dict[str, Tensor], tuple[Tensor | None, ...]]:
            with torch.enable_grad():
                losses = loss(part)
                weight = torch.full_like(losses.total, len(part) / len(rows))
                gradients = torch.autograd.grad(losses.total, parameters, weight, allow_unused=True)
            terms = {"total": losses.total, **losses.terms}
            return {name: term.detach() * weight for name, term in terms.items()}, gradients

        with learning.frozen():
            results = map(compute, parts) if threads is None or len(parts) == 1 else threads.map(compute, parts)
            means, gradients = zip(*results, strict=True)
        for parameter, *terms in zip(parameters, *gradients, strict=True):
            # The fused optimizer reads a gradient as it lies in memory, which must be as the parameter does.
            parameter.grad = None if terms[0] is None else sum(terms[1:], terms[0]).contiguous()
        return {name: sum((mean[name] for mean in means[1:]), term) for name, term in means[0].items()}

    def _autocast(self) -> torch.autocast:
        """Matrix products in the precision of the config."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    @torch.no_grad()
    def update_input_stats(self, rollout: Rollout) -> None:
        """Include inputs of a rollout in the normalisation."""
        self.learning.update_stats(rollout.inputs[::_STATS_EVERY].flatten(0, 1))
        if self.critic is not None:
            self.critic.torso.update_stats(rollout.all_observations[::_STATS_EVERY].flatten(0, 1))


@torch.no_grad()
def update_average(average: nn.Module, network: nn.Module, rate: float) -> None:
    """Move averaged weights towards those of a network, by this part of the way."""
    for old, new in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        old.lerp_(new, rate)
