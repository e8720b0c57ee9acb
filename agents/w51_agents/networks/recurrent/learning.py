"""Learning with memory: each seat's decisions of a game are a sequence, whose states are kept from rollout to rollout.

The gradient goes back to the beginning of a rollout's part of a sequence, where the state is the one that the network
played with (truncated back-propagation through time). The loss is the one without memory.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.learning import Decisions, Learning, Outputs, Played, TrainingTask, logits_of_legal
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.recurrent.network import RecurrentActorCritic


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
        owner = np.arange(games) * num_seats + seats  # a seat of a game
        episode = dones.cumsum(0) - dones  # of this game, from 0
        key = (owner * (steps + 1) + episode).ravel()  # equal for the decisions of one sequence
        order = key.argsort(kind="stable")  # so a sequence is in the order of time
        is_start = np.diff(key[order], prepend=-1) != 0
        starts = np.flatnonzero(is_start)
        number, place = np.empty_like(order), np.empty_like(order)
        number[order] = is_start.cumsum() - 1
        place[order] = np.arange(len(order)) - starts[number[order]]
        first_owner, first_episode = np.divmod(key[order[starts]], steps + 1)

        def tensor(array: np.ndarray) -> Tensor:
            return torch.from_numpy(array).to(states.device)

        before = states.flatten(0, 1)[tensor(first_owner)] * tensor(first_episode == 0)[:, None]
        indices = tensor(number), tensor(place), tensor(order), tensor(starts)
        return cls(*indices, states=before, goes_on=before.any(1))


class RecurrentLearning(Learning):
    """Minibatches consist of sequences, which begin with the states that the network played with.

    Attributes:
        states: As of `Learning`, as they are now.
        sequences: Those of the last rollout.
        rollout: The last rollout.
    """

    network: RecurrentActorCritic
    states: Tensor
    sequences: Sequences
    _numbers: Tensor
    rollout: Played

    def __init__(self, network: RecurrentActorCritic, task: TrainingTask):
        super().__init__(network, task)
        self.states = torch.zeros(task.num_envs, task.num_seats, network.state_size, device=task.device)
        self._burn_in = task.burn_in

    def reference(self, network: ActorCritic, decisions: Decisions) -> Outputs:
        """As of `Learning`; of each sequence in the minibatch, no decision may be missing but at its end."""
        assert isinstance(network, RecurrentActorCritic)
        features = self._remembering(network, decisions)
        logits = logits_of_legal(network.policy(features).float(), decisions)
        return Outputs(logits, network.value(features), features)

    def split(self, rows: Tensor, size: int) -> Sequence[Tensor]:
        """Parts of about this `size`, each of whole sequences, in the order in which they first appear in `rows`."""
        _, which, lengths = torch.unique(self._numbers[rows], return_inverse=True, return_counts=True)
        everywhere = torch.arange(len(rows), device=rows.device)
        first = torch.full_like(lengths, len(rows)).scatter_reduce_(0, which, everywhere, "amin")
        by_appearance = first.argsort()
        rank = torch.empty_like(by_appearance)
        rank[by_appearance] = everywhere[: len(by_appearance)]
        lengths = lengths[by_appearance]
        part = (lengths.cumsum(0) - lengths) // size  # of each sequence
        sizes = torch.bincount(part, lengths.double()).long()
        return rows[rank[which].argsort(stable=True)].split([one for one in sizes.tolist() if one])

    def share(self, gather: Callable[[Tensor], Tensor]) -> None:
        numbers = gather(self.sequences.number.view(self.rollout.seats.shape))
        # Each rank counts its sequences: those of two games may have one number.
        self._numbers = (numbers + torch.arange(numbers.shape[1], device=numbers.device) * numbers.numel()).flatten()

    @contextmanager
    def playing(self, rollout: Played, networks: Sequence[ActorCritic], dtype: torch.dtype) -> Iterator[None]:
        """As of `Learning`; then the decisions of the rollout are sequences, and games that ended are forgotten."""
        before, self.rollout = self.states.clone(), rollout
        with super().playing(rollout, networks, dtype):
            yield
        self.states[torch.from_numpy(rollout.dones[-1]).to(before.device)] = 0.0
        self.sequences = sequences = Sequences.of(rollout.seats, rollout.dones, before)
        renews = sequences.goes_on[sequences.number]
        if self._burn_in is not None:
            renews &= sequences.place < self._burn_in
        rollout.is_learner &= ~renews.view(rollout.is_learner.shape).cpu().numpy()

    def _remembering(self, network: RecurrentActorCritic, decisions: Decisions) -> Tensor:
        """(B, width), what the heads read."""
        sequences = self.sequences
        chosen, which = torch.unique(sequences.number[decisions.numbers], return_inverse=True)
        place, states = sequences.place[decisions.numbers], sequences.states[chosen]
        if self._burn_in:
            late = sequences.goes_on[chosen]
            if late.any():
                states[late] = self._renewed(network, chosen[late], states[late])
            place = place - self._burn_in * late[which]
        features = network.torso(network.torso.read(decisions.inputs))
        return features + network.unroll(features, (which, place), states)

    @torch.no_grad()
    def _renewed(self, network: RecurrentActorCritic, chosen: Tensor, states: Tensor) -> Tensor:
        """The states of sequences after those of their decisions that are not learned from."""
        assert self._burn_in
        places = torch.arange(self._burn_in, device=chosen.device).repeat(len(chosen))
        which = torch.arange(len(chosen), device=chosen.device).repeat_interleave(self._burn_in)
        rows = self.sequences.order[self.sequences.starts[chosen][which] + places]
        features = network.torso(network.torso.read(self.rollout.inputs.flatten(0, 1)[rows]))
        return network.unroll(features, (which, places), states)[self._burn_in - 1 :: self._burn_in].float()
