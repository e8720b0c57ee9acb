"""Which games a rank plays and learns from: some of the parts of all games, one after the other.

The parts, and the groups of parts whose gradients are summed by themselves, follow from the config alone, so that no
byte of a result depends on the number of ranks.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest

import torch
from torch import Tensor

from w51_agents.agent.interface import AgentError
from w51_agents.training.learner_settings import num_parts
from w51_agents.training.ranks import Ranks


class Share:
    """The share of a rank.

    Args:
        ranks: The ranks.
        num_envs: Number of all games at once.
        parts: Their number in the config; None: as many as are worth a thread.
        device: Device of the network.

    Attributes:
        all_parts: The games of each part.
        ranks, device, num_envs: The same.
        numbers: The parts of this rank.
        games: Their games.
        rows: The games of each of them, counted from the first one of this rank.
        part_counts, game_counts: How many parts and games each rank has.
        own_groups: Which of the groups of all ranks this one has.

    Raises:
        AgentError: There are fewer parts than ranks.
    """

    def __init__(self, ranks: Ranks, num_envs: int, parts: int | None, device: torch.device):
        self.all_parts = part_rows(num_envs, device, parts)
        self.device, self.num_envs = device, num_envs
        self.ranks = ranks
        if (count := len(self.all_parts)) < ranks.count:
            raise AgentError(
                f"processes: {ranks.count}, but the {num_envs} games of this config are {count} "
                f"part{'s' * (count > 1)}, which a process each can have; see the key `parts`"
            )

    def set_groups(self, count: int) -> None:
        """Let the parts be learned from in this number of groups; a rank has whole groups.

        Raises:
            AgentError: There are fewer groups than ranks.
        """
        ranks, parts = self.ranks, self.all_parts
        if count < ranks.count:
            raise AgentError(
                f"processes: {ranks.count}, but a minibatch of this config is computed in {count} "
                f"group{'s' * (count > 1)} of rows, of which each process needs one: raise minibatch_size, or set the "
                "key `parts`"
            )
        of_groups, of_ranks = _cut(len(parts), count), _cut(count, ranks.count)
        self.group_counts = [of_rank.stop - of_rank.start for of_rank in of_ranks]
        self._group_ends = [parts[group.stop - 1].stop for group in of_groups]
        self.own_groups = of_ranks[ranks.number]
        of_rank = [range(of_groups[cut.start].start, of_groups[cut.stop - 1].stop) for cut in of_ranks]
        self.part_counts = [*map(len, of_rank)]
        self.game_counts = [parts[numbers[-1]].stop - parts[numbers[0]].start for numbers in of_rank]
        self.numbers = of_rank[ranks.number]
        first = parts[self.numbers[0]].start
        self.games = slice(first, parts[self.numbers[-1]].stop)
        self.rows = [slice(parts[number].start - first, parts[number].stop - first) for number in self.numbers]

    def minibatches(
        self, rows: Tensor, size: int, split: Callable[[Tensor, int], Sequence[Tensor]]
    ) -> Iterator[Sequence[Tensor]]:
        """Minibatches of decisions, each as the rows of the groups of all ranks.

        Each group has the same part of every minibatch, so that no thread and no rank waits for another's larger one.

        Args:
            rows: (B,) int64 in the order in which they are learned from, numbers in the rollout of all games.
            size: Rows of a minibatch.
            split: `Learning.split`.
        """
        groups, ends = [rows], self._group_ends
        if len(ends) > 1:
            games = rows % self.num_envs
            groups = [rows[(games >= start) & (games < stop)] for start, stop in pairwise((0, *ends))]
        sizes = [max(1, -(-size * len(group) // len(rows))) for group in groups]
        return zip_longest(*map(split, groups, sizes), fillvalue=rows[:0])

    def own_numbers(self, rows: Tensor) -> Tensor:
        """(B,) numbers in the flattened rollout of this rank, of those in that of all games."""
        if self.ranks.count == 1:
            return rows
        steps, games = rows // self.num_envs, rows % self.num_envs
        return steps * (self.games.stop - self.games.start) + games - self.games.start

    def sum_gradients(
        self, terms: Sequence[Sequence[Tensor | None]], shapes: Sequence[torch.Size]
    ) -> list[Tensor | None]:
        """The sums over the groups of all ranks, in their order.

        Args:
            terms: For each group of this rank what was computed of its rows, of these shapes; none of no rows. Where
                one is None, the loss does not depend on that parameter.
            shapes: Of each sum.

        Returns:
            None where no group has a term.
        """
        of_groups = [[*group] or [None] * len(shapes) for group in terms]
        if self.ranks.count == 1:
            return [_sum(group, shape) for group, shape in zip(zip(*of_groups, strict=True), shapes, strict=True)]
        flat = torch.stack([self._flat(group, shapes) for group in of_groups])
        total = self.ranks.sum_in_order(flat, self.group_counts)
        sums, used = total[: -len(shapes)], total[-len(shapes) :].tolist()
        parts = sums.split([shape.numel() for shape in shapes])
        return [part.view(shape) if any_ else None for part, shape, any_ in zip(parts, shapes, used, strict=True)]

    def _flat(self, terms: Sequence[Tensor | None], shapes: Sequence[torch.Size]) -> Tensor:
        """The terms of a group in one row, then for each whether there is one."""
        filled = [
            _zeros(shape, self.device) if term is None else term for term, shape in zip(terms, shapes, strict=True)
        ]
        used = torch.tensor([float(term is not None) for term in terms], device=self.device)
        return torch.cat([*(term.reshape(-1) for term in filled), used])


def _sum(terms: Sequence[Tensor | None], shape: torch.Size) -> Tensor | None:
    present = [term for term in terms if term is not None]
    if not present:
        return None
    filled = [_zeros(shape, present[0].device) if term is None else term for term in terms]
    return sum(filled[1:], filled[0])


def _zeros(shape: torch.Size, device: torch.device) -> Tensor:
    return torch.zeros(shape, device=device)


def part_rows(num_envs: int, device: torch.device, parts: int | None = None) -> list[slice]:
    """The rows of each part of so many games. With a GPU there are at least two: while it computes, others step."""
    least = 2 if device.type == "cuda" else 1
    return _cut(num_envs, min(num_envs, parts or max(least, num_parts(num_envs))))


def _cut(total: int, count: int) -> list[slice]:
    return [slice(*cut) for cut in pairwise(total * number // count for number in range(count + 1))]
