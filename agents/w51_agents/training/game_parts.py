"""The games of self-play in parts, which play a rollout each for itself, so that several threads can share them out."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import torch

from w51_agents.training.games import EnvGroup, SelfPlayGames
from w51_agents.training.trainer_state import TrainerState

_MIN_PART = 128  #  games; a part with fewer costs more time than a second thread saves
_MAX_PARTS = 8


class GameParts:
    """Games of several kinds, in parts. The number of parts does not depend on threads: results do not either.

    Args:
        groups: The games, all with the same observations and actions.
        seed: Seed of all games and seatings.
        device: Device of the network. With a GPU there are at least two parts: while it computes for one, others step.
        inputs, see_all: As for `SelfPlayGames`.

    Attributes:
        groups, rows: The games, and their rows in arrays of all.
        parts: The parts.
        part_rows: The rows of each part.
        num_envs, num_seats: Number of all games, and of seats of the largest.
    """

    def __init__(
        self,
        groups: Sequence[EnvGroup],
        seed: int,
        device: torch.device,
        inputs: Mapping[str, Any] | None = None,
        see_all: bool = False,
    ):
        self.groups = list(groups)
        self.rows = [slice(*cut) for cut in pairwise(accumulate((group.num_envs for group in groups), initial=0))]
        self.num_envs = self.rows[-1].stop
        self.num_seats = max(group.game.num_players for group in groups)
        on_gpu = device.type == "cuda"
        count = max(2 if on_gpu else 1, min(_MAX_PARTS, self.num_envs // _MIN_PART))
        cuts = [self.num_envs * number // count for number in range(count + 1)]
        self.part_rows = [slice(*cut) for cut in pairwise(cuts) if cut[0] < cut[1]]
        seeds = np.random.SeedSequence(seed).generate_state(len(self.part_rows), np.uint64)
        zeros = _pinned_zeros if on_gpu else np.zeros
        self.parts = [
            SelfPlayGames(list(self._groups_in(part)), int(part_seed), inputs, see_all, self.num_seats, zeros)
            for part, part_seed in zip(self.part_rows, seeds, strict=True)
        ]

    def _groups_in(self, part: slice) -> Iterator[EnvGroup]:
        """The groups, or what of them is in the rows of a part."""
        for group, rows in zip(self.groups, self.rows, strict=True):
            if (count := min(rows.stop, part.stop) - max(rows.start, part.start)) > 0:
                yield group._replace(num_envs=count)

    @property
    def num_all_observations(self) -> int:
        """Number of inputs of a centralized critic; 0 without one."""
        return self.parts[0].all_observations.shape[1]

    def state(self) -> TrainerState:
        """The state that `restore` of equal games loads."""
        state = TrainerState()
        for number, part in enumerate(self.parts):
            state.include(str(number), part.state())
        return state

    def restore(self, state: TrainerState, pool_slots: int) -> None:
        """Load a state of equal games; arguments and errors as of `SelfPlayGames.restore`."""
        for number, part in enumerate(self.parts):
            part.restore(state.part(str(number)), pool_slots)

    def close(self) -> None:
        """End the games."""
        for part in self.parts:
            part.close()


def _pinned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros in memory that a GPU can read while the processor goes on."""
    like = torch.from_numpy(np.zeros(0, dtype))
    return torch.zeros(shape, dtype=like.dtype, pin_memory=True).numpy()
