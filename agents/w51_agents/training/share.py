"""Which games a rank plays and learns from: some of the parts of all games, one after the other.

The parts, and the groups of parts whose gradients are summed by themselves, follow from the config alone, so that no
byte of a result depends on the number of ranks.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest

import numpy as np
import torch
from torch import Tensor

from w51_agents.agent.interface import AgentError
from w51_agents.training.learner_settings import num_parts
from w51_agents.training.ranks import Ranks


class Share:
    """What a rank has of a training: some groups of the parts of all games. A process alone has them all.

    Args:
        ranks: The ranks.
        parts: The games of each part, as of `part_rows`.
        num_groups: Number of groups that parts are learned from in; a rank has whole ones.
        device: Device of the network.

    Attributes:
        ranks, parts, device: The same.
        num_envs: Number of all games at once.
        groups, numbers, games: Which of all groups, parts and games this rank has.
        rows: The games of each of its parts, counted from its first one.
        part_counts, game_counts: How many parts and games each rank has.

    Raises:
        AgentError: There are fewer parts, or groups, than ranks.
    """

    def __init__(self, ranks: Ranks, parts: Sequence[slice], num_groups: int, device: torch.device):
        self.ranks, self.parts, self.device, self.num_envs = ranks, parts, device, parts[-1].stop
        if (count := len(parts)) < ranks.count:
            raise AgentError(
                f"processes: {ranks.count}, but the {self.num_envs} games of this config are {count} "
                f"part{'s' * (count > 1)}, which a process each can have; see the key `parts`"
            )
        if num_groups < ranks.count:
            raise AgentError(
                f"processes: {ranks.count}, but a minibatch of this config is computed in {num_groups} "
                f"group{'s' * (num_groups > 1)} of rows, of which each process needs one: raise minibatch_size, or set "
                "the key `parts`"
            )
        parts_of_groups, groups = _cut(len(parts), num_groups), _cut(num_groups, ranks.count)
        of_ranks = _spans(parts_of_groups, groups)
        games = _spans(parts, of_ranks)
        self._group_ends = [group.stop for group in _spans(parts, parts_of_groups)]
        self._group_counts, self.part_counts, self.game_counts = map(_lengths, (groups, of_ranks, games))
        self.groups, own, self.games = groups[ranks.number], of_ranks[ranks.number], games[ranks.number]
        self.numbers, first = range(own.start, own.stop), self.games.start
        self.rows = [slice(part.start - first, part.stop - first) for part in parts[own]]

    def gather(self, *arrays: np.ndarray, counts: Sequence[int] | None = None) -> tuple[np.ndarray, ...]:
        """As of `Ranks`; `counts` are `game_counts` or `part_counts` where a row is of a game or a part."""
        return arrays if self.ranks.count == 1 else self.ranks.gather(*arrays, lengths=counts)

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
            return [self._sum(group, shape) for group, shape in zip(zip(*of_groups, strict=True), shapes, strict=True)]
        flat = torch.stack([self._flat(group, shapes) for group in of_groups])
        total = self.ranks.sum_in_order(flat, self._group_counts)
        sums, used = total[: -len(shapes)], total[-len(shapes) :].tolist()
        parts = sums.split([shape.numel() for shape in shapes])
        return [part.view(shape) if any_ else None for part, shape, any_ in zip(parts, shapes, used, strict=True)]

    def _sum(self, terms: Sequence[Tensor | None], shape: torch.Size) -> Tensor | None:
        if all(term is None for term in terms):
            return None
        filled = [self._filled(term, shape) for term in terms]
        return sum(filled[1:], filled[0])

    def _flat(self, terms: Sequence[Tensor | None], shapes: Sequence[torch.Size]) -> Tensor:
        """The terms of a group in one row, then for each whether there is one."""
        used = torch.tensor([float(term is not None) for term in terms], device=self.device)
        return torch.cat([*(self._filled(*term).reshape(-1) for term in zip(terms, shapes, strict=True)), used])

    def _filled(self, term: Tensor | None, shape: torch.Size) -> Tensor:
        return torch.zeros(shape, device=self.device) if term is None else term


def part_rows(num_envs: int, device: torch.device, parts: int | None = None) -> list[slice]:
    """The rows of each part of so many games. With a GPU there are at least two: while it computes, others step."""
    least = 2 if device.type == "cuda" else 1
    return _cut(num_envs, min(num_envs, parts or max(least, num_parts(num_envs))))


def _cut(total: int, count: int) -> list[slice]:
    return [slice(*cut) for cut in pairwise(total * number // count for number in range(count + 1))]


def _spans(slices: Sequence[slice], cuts: Sequence[slice]) -> list[slice]:
    """For each cut, from the first to the last of these slices that it has."""
    return [slice(slices[cut.start].start, slices[cut.stop - 1].stop) for cut in cuts]


def _lengths(slices: Sequence[slice]) -> list[int]:
    return [one.stop - one.start for one in slices]
