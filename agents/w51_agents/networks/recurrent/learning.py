"""Learning with memory: each seat's decisions of a game are a sequence, whose states are kept from rollout to rollout.

The gradient goes back to the beginning of a rollout's part of a sequence, where the state is the one that the network
played with (truncated back-propagation through time). The loss is the one without memory.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from w51_agents.networks.learning import DecisionInputs, Learning, Outputs, Played, TrainingTask, logits_of_legal
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.recurrent.network import RecurrentActorCritic
from w51_env.compiler.compile import entry


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
        listed = _Listed.of(seats.size)
        arrays = np.ascontiguousarray(seats), np.ascontiguousarray(dones)
        count = list_sequences(*arrays, listed, number=states.shape[1])

        def tensor(array: np.ndarray) -> Tensor:
            return torch.from_numpy(array).to(states.device)

        starts, owners, goes_on = (tensor(one[:count]) for one in (listed.starts, listed.owners, listed.goes_on))
        before = states.flatten(0, 1)[owners] * goes_on[:, None]
        indices = tensor(listed.number), tensor(listed.place), tensor(listed.order), starts
        return cls(*indices, states=before, goes_on=before.any(1))


class _Listed(NamedTuple):
    """What `list_sequences` writes; B decisions are at most as many sequences.

    Attributes:
        number, place, order, starts: As of `Sequences`.
        owners: (B,) int64, whose sequence it is: the game times the number of seats, and the seat.
        goes_on: (B,) bool, whether its game was going on when the rollout began.
    """

    number: np.ndarray
    place: np.ndarray
    order: np.ndarray
    starts: np.ndarray
    owners: np.ndarray
    goes_on: np.ndarray

    @classmethod
    def of(cls, decisions: int) -> "_Listed":
        number, place, order, starts, owners = np.empty((5, decisions), np.int64)
        return cls(number, place, order, starts, owners, np.empty(decisions, bool))


@entry("recurrent")
def list_sequences(seats, dones, listed, num_seats):  # type: ignore[no-untyped-def]
    """List the sequences of a rollout, game by game, seat by seat; returns how many they are."""
    steps, games = seats.shape
    count, end = 0, 0  # of sequences, of `order`
    for game in range(games):
        for seat in range(num_seats):
            begins, goes_on = True, True
            for step in range(steps):
                if seats[step, game] == seat:
                    if begins:
                        listed.starts[count], listed.owners[count] = end, game * num_seats + seat
                        listed.goes_on[count] = goes_on
                        count += 1
                        begins = False
                    decision = step * games + game
                    listed.number[decision], listed.place[decision] = count - 1, end - listed.starts[count - 1]
                    listed.order[end] = decision
                    end += 1
                if dones[step, game]:
                    begins, goes_on = True, False
    return count


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

    def reference(self, network: ActorCritic, decisions: DecisionInputs) -> Outputs:
        """As of `Learning`; of each sequence in the minibatch, no decision may be missing but at its end."""
        assert isinstance(network, RecurrentActorCritic)
        features = self._remembering(network, decisions)
        logits = logits_of_legal(network.policy(features).float(), decisions)
        return Outputs(logits, network.value(features), features)

    def split(self, rows: Tensor, size: int) -> Sequence[Tensor]:
        """Parts of about this `size`, each of whole sequences, in the order in which they first appear in `rows`."""
        sequences: dict[int, list[int]] = defaultdict(list)
        for row, number in zip(rows.tolist(), self._numbers[rows].tolist(), strict=True):
            sequences[number].append(row)
        parts: dict[int, list[int]] = defaultdict(list)
        before = 0  # decisions in earlier sequences
        for sequence in sequences.values():
            parts[before // size] += sequence
            before += len(sequence)
        return [torch.tensor(part, device=rows.device) for part in parts.values()]

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

    def _remembering(self, network: RecurrentActorCritic, decisions: DecisionInputs) -> Tensor:
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
