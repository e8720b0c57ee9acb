"""The network's past as opponents: snapshots, the harder ones asked to play more often."""

from copy import deepcopy

import numpy as np

from agents.selfplay.network import PolicyValue

_FORGET = 0.02  # of what is known of a place's difficulty, at each of its games
_LEAST = 0.05  #  chance of the easiest, before all are scaled to 1


class Pool:
    """At most `size` snapshots of a network.

    Attributes:
        networks: The snapshots, by place.
        lost: (K,) float64, moving mean of 1 - the learner's win share against each; a new one counts as hard.
    """

    def __init__(self, size: int, every: int):
        self.size = size
        self.every = every
        self.networks: list[PolicyValue] = []
        self.lost = np.zeros(0)

    def chances(self) -> np.ndarray:
        """(K,) how often each place shall sit down; K is 0 while there is none."""
        return _LEAST + self.lost**2

    def remember(self, network: PolicyValue, update: int) -> None:
        """Take a snapshot at every so many updates; when there is no place left, in that of the easiest."""
        if self.size == 0 or update % self.every:
            return
        snapshot = deepcopy(network).requires_grad_(False)
        if len(self.networks) < self.size:
            self.networks.append(snapshot)
            self.lost = np.append(self.lost, 1.0)
        else:
            easiest = int(self.lost.argmin())
            self.networks[easiest] = snapshot
            self.lost[easiest] = 1.0

    def tell(self, places: np.ndarray, lost: np.ndarray) -> None:
        """How games against places, from 0, went: 1 - the learner's share of the victory."""
        for place, outcome in zip(places.tolist(), lost.tolist(), strict=True):
            self.lost[place] += _FORGET * (outcome - self.lost[place])
