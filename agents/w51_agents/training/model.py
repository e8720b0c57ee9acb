"""The network that plays and learns, with its critic, and the gradients of a loss."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.imports import allow_code
from w51_agents.agent.interface import AgentError
from w51_agents.networks.layers import StyleHead, Torso, ValueHead
from w51_agents.networks.learning import Outputs, TrainingTask
from w51_agents.networks.load import existing_checkpoint
from w51_agents.networks.making import FORMS, form_of, load_network, make_network
from w51_agents.networks.network import ActorCritic
from w51_agents.training.learner_settings import OF_NETWORK, LearnerConfig, LearnerSettings
from w51_agents.training.plan import PlannedGames, num_envs_of, num_seats_of
from w51_agents.training.rollout import Losses, Minibatch, Rollout
from w51_agents.training.share import Share
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game

_STATS_EVERY = 8  #  decisions of a game: one of them enters the statistics of the inputs


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
        device: Where it is.

    Attributes:
        network: Policy and value.
        learning: How the network plays and learns here.
        critic: The centralized critic; None: the value is that of the network.
        styles: Tells who plays the other seats, in training alone; None: nothing does.
        device, dtype: Device and precision of matrix products.

    Raises:
        AgentError: A class or a checkpoint that does not exist or fit.
        OptionError: Heuristic features or slices that the game does not have.
    """

    def __init__(self, config: LearnerConfig, game: Game, planned: Sequence[PlannedGames], device: torch.device):
        self._settings: LearnerSettings = (settings := config.settings)
        self.device = device
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
        self.styles: StyleHead | None = None
        if names := settings.told_styles:
            if len(names) < 2:
                raise AgentError(
                    f"kinds_weight: the players are {', '.join(names)}, but games of `self` against others are needed"
                )
            others = max(games.num_players for games in settings.games) - 1
            self.styles = StyleHead(self.network.torso.width, others, names).to(self.device)
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
        """Network, critic and what tells styles, by name."""
        all_modules = {"network": self.network, "critic": self.critic, "kinds": self.styles}
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
        self,
        loss: Callable[[Tensor], Losses],
        groups: Sequence[Tensor],
        share: Share,
        least: int | None,
        threads: ThreadPoolExecutor | None,
        names: Sequence[str],
    ) -> dict[str, Tensor]:
        """Set the gradients of all parameters to those of a loss over some rows, which ranks and threads share.

        The rows of each group of parts are computed in pieces, a thread each. Pieces are summed in their order, and
        then groups in theirs, so that the bytes depend neither on threads nor on ranks.

        Args:
            loss: Of the rows of a piece, numbers in the rollout of this rank.
            groups: One of `Share.minibatches`.
            share: That of this rank.
            least: Rows of a piece, on a processor; None: all.
            threads: The threads; None: the caller computes.
            names: Of the terms of the loss.

        Returns:
            The means of the `total` and of the terms of `Losses`, by name.
        """
        parameters = self.parameters()
        size = sum(map(len, groups))
        own = [self._pieces(rows, least) for rows in groups[share.groups]]

        def compute(piece: Tensor) -> tuple[Tensor | None, ...]:
            with torch.enable_grad():
                losses = loss(share.own_numbers(piece))
                weight = torch.full_like(losses.total, len(piece) / size)
                gradients = torch.autograd.grad(losses.total, parameters, weight, allow_unused=True)
            found = losses.total, *map(losses.terms.get, names)  # a schedule may have ended a term
            return *gradients, *(None if term is None else term.detach() * weight for term in found)

        pieces = [piece for group in own for piece in group]
        with self.learning.frozen():
            computed = map(compute, pieces) if threads is None or len(pieces) == 1 else threads.map(compute, pieces)
            results = iter([*computed])
        terms = [_summed([next(results) for _ in group]) for group in own]
        shapes = [*(parameter.shape for parameter in parameters), *[torch.Size()] * (1 + len(names))]
        sums = share.sum_gradients(terms, shapes)
        gradients, means = sums[: len(parameters)], sums[len(parameters) :]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            # The fused optimizer reads a gradient as it lies in memory, which must be as the parameter does.
            parameter.grad = None if gradient is None else gradient.contiguous()
        return {name: mean for name, mean in zip(("total", *names), means, strict=True) if mean is not None}

    def _pieces(self, rows: Tensor, least: int | None) -> Sequence[Tensor]:
        """The decisions of a group in pieces of about equal size."""
        if not len(rows):
            return []
        size = self._rows_at_once(least)
        count = 1 if size is None else max(1, round(len(rows) / size))
        return self.learning.split(rows, -(-len(rows) // count))

    def _rows_at_once(self, least: int | None) -> int | None:
        """Rows of a piece of a minibatch; None: all."""
        return None if least is None or self.device.type != "cpu" else max(least, self.learning.min_rows)

    def num_groups(self, least: int | None, num_parts: int, num_ranks: int) -> int:
        """Groups of parts, each with enough rows of a minibatch; on a GPU one for each rank, for its speed.

        Args:
            least: As of `set_gradients`.
            num_parts: Number of parts.
            num_ranks: Number of ranks.
        """
        if least is None:  # the loss is one of whole minibatches
            return 1
        if (size := self._rows_at_once(least)) is None:
            return num_ranks
        is_given, most = self._settings.parts is not None, self._settings.minibatch_size // size
        return num_parts if is_given else min(num_parts, max(1, most))

    def _autocast(self) -> AbstractContextManager[Any]:
        """Matrix products in the precision of the config."""
        return torch.autocast(self.device.type, self.dtype) if self.dtype == torch.bfloat16 else nullcontext()

    @torch.no_grad()
    def update_input_stats(self, rollout: Rollout, share: Share) -> None:
        """Include inputs of the rollouts of all ranks in the normalisation; they are summed part by part."""
        kept, counted = [self.learning.sums_of], [(self.network.torso, rollout.inputs)]
        if self.critic is not None:
            kept.append(self.critic.torso.sums_of)
            counted.append((self.critic.torso, rollout.all_observations))
        for sums_of, (torso, inputs) in zip(kept, counted, strict=True):
            of_parts = [_spread(inputs[:, rows]) for rows in share.rows]
            found = torch.stack([sums_of(seen) for seen in of_parts]).cpu().numpy(), np.array([*map(len, of_parts)])
            sums, counts = share.gather(*found, counts=share.part_counts)
            total = torch.from_numpy(sums.sum(0, dtype=np.float64)).to(self.device)
            torso.include(total, counts.sum())


def _spread(inputs: Tensor) -> Tensor:
    """(B, inputs), those that are counted of (T, N, inputs): in each game at other steps.

    Where seats decide in turn, a step shows the same seat of all games.
    """
    return torch.cat([of_step[-step % _STATS_EVERY :: _STATS_EVERY] for step, of_step in enumerate(inputs)])


def _summed(pieces: Sequence[tuple[Tensor | None, ...]]) -> list[Tensor | None]:
    """The sum of what was computed of the pieces of a group, in their order; nothing of no pieces."""
    return [None if terms[0] is None else sum(terms[1:], terms[0]) for terms in zip(*pieces, strict=True)]


@torch.no_grad()
def update_average(average: nn.Module, network: nn.Module, rate: float) -> None:
    """Move averaged weights towards those of a network, by this part of the way."""
    for old, new in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        old.lerp_(new, rate)
