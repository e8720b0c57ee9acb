"""Learning with memory: each seat's decisions of a game are a sequence, whose states are kept from rollout to rollout.

The gradient goes back to the beginning of a rollout's part of a sequence, where the state is the one that the network
played with (truncated back-propagation through time). `SelfPlayTrainer.loss` is the loss, as without memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent.interface import AgentError
from w51_agents.networks.fast.layers import LegalLogits
from w51_agents.networks.layers import ILLEGAL, Torso, gather_legal
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.recurrent.network import RecurrentActorCritic
from w51_agents.training.game_parts import GameParts
from w51_agents.training.games import SelfPlayGames
from w51_agents.training.learner_settings import MIXTURE, LearnerConfig, LearnerSettings
from w51_agents.training.model import LearnerModel
from w51_agents.training.player import Player
from w51_agents.training.pool import Pool
from w51_agents.training.rollout import Minibatch, Rollout
from w51_agents.training.seats import LEARNER
from w51_env.compiler.compile import JIT_DISABLED
from w51_env.engine.game import Game


@dataclass(frozen=True)
class Sequences:
    """The decisions of a rollout by game and seat, as many as S sequences; B = T * N decisions.

    Attributes:
        number: (B,) int64, the sequence of each decision.
        place: (B,) int64, its place in the sequence.
        order: (B,) int64, all decisions, sequence by sequence.
        starts: (S,) int64, where a sequence starts in `order`.
        states: (S, width) float32, before its first decision.
        goes_on: (S,) bool, whether the seat has decided in this game before.
    """

    number: Tensor
    place: Tensor
    order: Tensor
    starts: Tensor
    states: Tensor
    goes_on: Tensor

    @classmethod
    def of(cls, seats: np.ndarray, dones: np.ndarray, states: Tensor) -> "Sequences":
        """The sequences of a rollout.

        Args:
            seats: (T, N) the seat that moves.
            dones: (T, N) whether the step ended an episode.
            states: (N, seats, width), at the beginning of the rollout; 0 where the seat has not decided yet.
        """
        (steps, games), num_seats = seats.shape, states.shape[1]
        episode = dones.cumsum(0) - dones
        key = ((np.arange(games) * num_seats + seats) * (steps + 1) + episode).ravel()
        order = key.argsort(kind="stable")  # so a sequence is in the order of time
        is_start = np.diff(key[order], prepend=-1) != 0
        starts, of_sorted = np.flatnonzero(is_start), is_start.cumsum() - 1
        number, place = np.empty_like(order), np.empty_like(order)
        number[order], place[order] = of_sorted, np.arange(len(order)) - starts[of_sorted]
        seat, first_episode = key[order[starts]] // (steps + 1), key[order[starts]] % (steps + 1) == 0
        arrays = {"number": number, "place": place, "order": order, "starts": starts}
        tensors = {name: torch.from_numpy(array).to(states.device) for name, array in arrays.items()}
        before = states.flatten(0, 1)[torch.from_numpy(seat).to(states.device)]
        before *= torch.from_numpy(first_episode).to(states.device)[:, None]
        return cls(**tensors, states=before, goes_on=before.any(1))


class States(nn.Module):
    """The state of each seat of each game; a module, so that it is kept in the state of a training."""

    states: Tensor

    def __init__(self, num_envs: int, num_seats: int, width: int):
        super().__init__()
        self.register_buffer("states", torch.zeros(num_envs, num_seats, width))


class RecurrentModel(LearnerModel):
    """A `LearnerModel` of a `RecurrentActorCritic`, whose minibatches consist of sequences.

    Attributes:
        memory: The states of all seats, as they are now.
        rollout: The last rollout.
        sequences: Its sequences.
    """

    network: RecurrentActorCritic
    rollout: Rollout
    sequences: Sequences

    def __init__(self, config: LearnerConfig, game: Game, games: GameParts):
        super().__init__(config, game, games.num_all_observations)
        if any(kind.opponents == MIXTURE for kind in config.settings.games):
            raise AgentError(f"{config.section}.network: recurrent, but nothing with memory is learned from a mixture")
        self.memory = States(games.num_envs, games.num_seats, self.network.width).to(self.device)
        on_processor = self.device.type == "cpu" and self.dtype == torch.float32
        self.is_compiled = on_processor and self.critic is None and not JIT_DISABLED
        self._burn_in = config.settings.burn_in

    def modules(self) -> dict[str, nn.Module]:
        return {**super().modules(), "memory": self.memory}

    def forward(self, *parts: Tensor) -> tuple[Tensor, Tensor]:
        """Refuses: decisions are made in sequences; `forward_legal` has them.

        Raises:
            AgentError: Always.
        """
        raise AgentError("network: recurrent decides in sequences: a loss has its logits from model.forward_legal")

    def outputs(self, minibatch: Minibatch) -> tuple[Tensor, Tensor, Tensor | None]:
        """As of `LearnerModel`; of each sequence in the minibatch, no decision may be missing but at its end."""
        with self._autocast():
            features, policy = self._features(self.network, minibatch), self.network.policy
            if self.is_compiled:
                logits = LegalLogits.apply(features, policy.weight, policy.bias, minibatch.legal)
            else:
                logits = self._legal_logits(self.network, features, minibatch)
            told = self.kinds(features) if self.kinds else None
            if self.critic is None:
                return logits, self.network.value(features), told
            return logits, self.critic(minibatch.all_observations.to(self.device)), told

    @torch.no_grad()
    def legal_logits_of(self, network: ActorCritic, minibatch: Minibatch) -> Tensor:
        """As of `LearnerModel`; the sequences begin with the states of the network that played."""
        assert isinstance(network, RecurrentActorCritic)
        with self._autocast():
            return self._legal_logits(network, self._features(network, minibatch), minibatch)

    def split(self, rows: Tensor, size: int) -> Sequence[Tensor]:
        """Parts of about this `size`, each of whole sequences, in the order in which they first appear in `rows`."""
        _, which, counts = torch.unique(self.sequences.number[rows], return_inverse=True, return_counts=True)
        first = torch.full_like(counts, len(rows))
        first.scatter_reduce_(0, which, torch.arange(len(rows), device=rows.device), "amin")
        order = first.argsort()
        rank = torch.empty_like(order)
        rank[order] = torch.arange(len(order), device=rows.device)
        part = (counts[order].cumsum(0) - counts[order]) // size
        sizes = torch.zeros_like(counts[: int(part[-1]) + 1]).index_add_(0, part, counts[order])
        return rows[rank[which].argsort(stable=True)].split([one for one in sizes.tolist() if one])

    @contextmanager
    def playing(self, snapshots: Sequence[ActorCritic], games: Iterable[Game]) -> Iterator[None]:
        """As of `LearnerModel`; then the decisions of the rollout are sequences, and games that ended are forgotten."""
        before, rollout = self.memory.states.clone(), self.rollout
        with ExitStack() as stack:
            for network in (self.network, *snapshots):
                stack.enter_context(network.torso.cached_weights(self.dtype))
            stack.enter_context(self.learning())
            yield
        self.memory.states[torch.from_numpy(rollout.dones[-1]).to(self.device)] = 0.0
        self.sequences = sequences = Sequences.of(rollout.seats, rollout.dones, before)
        renews = sequences.goes_on[sequences.number]
        if self._burn_in is not None:
            renews &= sequences.place < self._burn_in
        rollout.is_learner &= ~renews.view(rollout.is_learner.shape).cpu().numpy()

    def step(self, network: ActorCritic, inputs: Tensor, masks: Tensor, states: Tensor) -> tuple[Tensor, ...]:
        """Logits (B, actions), normalised values (B,) and states (B, width) of one decision each, without gradients."""
        if not isinstance(network, RecurrentActorCritic):  # in a pool of another run
            return *network(inputs, masks), states
        with self._autocast():
            return network.step_features(self._torso(network, inputs), masks, states)

    def _legal_logits(self, network: ActorCritic, features: Tensor, minibatch: Minibatch) -> Tensor:
        logits = network.policy(features).float().masked_fill(~minibatch.masks, ILLEGAL)
        return gather_legal(logits, minibatch.legal)

    def _features(self, network: RecurrentActorCritic, minibatch: Minibatch) -> Tensor:
        """(B, width), what the heads read."""
        sequences = self.sequences
        chosen, which = torch.unique(sequences.number[minibatch.numbers], return_inverse=True)
        place, states = sequences.place[minibatch.numbers], sequences.states[chosen]
        if self._burn_in:
            late = sequences.goes_on[chosen]
            if late.any():
                states[late] = self._renewed(network, chosen[late], states[late])
            place = place - self._burn_in * late[which]
        features = self._torso(network, minibatch.inputs)
        return features + network.unroll(features, (which, place), states)

    @torch.no_grad()
    def _renewed(self, network: RecurrentActorCritic, chosen: Tensor, states: Tensor) -> Tensor:
        """The states of sequences after those of their decisions that are not learned from."""
        assert self._burn_in
        places = torch.arange(self._burn_in, device=chosen.device).repeat(len(chosen))
        which = torch.arange(len(chosen), device=chosen.device).repeat_interleave(self._burn_in)
        rows = self.sequences.order[self.sequences.starts[chosen][which] + places]
        features = self._torso(network, self.rollout.inputs.flatten(0, 1)[rows])
        return network.unroll(features, (which, places), states)[self._burn_in - 1 :: self._burn_in].float()

    def _torso(self, network: RecurrentActorCritic, inputs: Tensor) -> Tensor:
        """(B, width) features of the torso; of the network that learns, by compiled code where that is possible."""
        if not (self.is_compiled and network is self.network and isinstance(network.torso, Torso)):
            return network.torso(network.torso.read(inputs))
        return self._sparse_features(inputs)


class RecurrentPlayer(Player):
    """A `Player` whose network, and whose snapshots, decide with the states of the seats.

    Args:
        states: (N, seats, width), of the games of this part; changed.
    """

    _model: RecurrentModel

    def __init__(
        self, settings: LearnerSettings, games: SelfPlayGames, model: RecurrentModel, pool: Pool, states: Tensor
    ):
        super().__init__(settings, games, model, pool)
        self._states = states

    def _outputs(self, rollout: Rollout, step: int, policy: np.ndarray) -> tuple[Tensor, Tensor]:
        model, states, device = self._model, self._states, self._states.device
        if step:
            states[torch.from_numpy(rollout.dones[step - 1]).to(device)] = 0.0
        inputs, masks = rollout.inputs[step], rollout.masks[step]
        seats = torch.from_numpy(rollout.seats[step]).to(device)
        if not policy.any():
            at = torch.arange(len(policy), device=device), seats
            logits, values, states[at] = model.step(model.network, inputs, masks, states[at])
            return logits, values if model.critic is None else model.critic(rollout.all_observations[step])
        logits, values = torch.where(masks, 0.0, ILLEGAL), rollout.normal_values.new_zeros(len(policy))
        for number in np.unique(policy[policy >= LEARNER]).tolist():
            network = model.network if number == LEARNER else self._pool.networks[number - 1]
            rows = torch.from_numpy(np.flatnonzero(policy == number)).to(device)
            at = rows, seats[rows]
            logits[rows], values[rows], states[at] = model.step(network, inputs[rows], masks[rows], states[at])
        if model.critic is not None:
            values = model.critic(rollout.all_observations[step])
        return logits, values


def make_model(config: LearnerConfig, game: Game, games: GameParts) -> LearnerModel:
    """The model of a config, with memory if its network has one; arguments and errors as of `LearnerModel`."""
    if config.settings.network == RecurrentActorCritic.network:
        return RecurrentModel(config, game, games)
    return LearnerModel(config, game, games.num_all_observations, games.items)


def make_players(model: LearnerModel, settings: Any, games: GameParts, pool: Pool, rollout: Rollout) -> list[Player]:
    """Who decides in each part of the games; errors as of `Player`."""
    if not isinstance(model, RecurrentModel):
        return [Player(settings, part, model, pool) for part in games.parts]
    model.rollout = rollout
    parts = zip(games.parts, games.part_rows, strict=True)
    return [RecurrentPlayer(settings, part, model, pool, model.memory.states[rows]) for part, rows in parts]
