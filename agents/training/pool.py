"""The network's past as opponents: snapshots, the harder ones asked to play more often."""

from copy import deepcopy

import numpy as np

from agents.policies.network import ActorCritic
from agents.policies.weights import set_weights, weights_of
from agents.training.state import State

_FORGET = 0.02  # of what is known of a place's difficulty, at each of its games
_LEAST = 0.05  #  chance of the easiest, before all are scaled to 1


class Pool:
    """At most `size` snapshots of a network.

    Attributes:
        networks: The snapshots, by place.
        lost: (K,) float64, moving mean of 1 - the learner's win rate against each; a new one counts as hard.
    """

    def __init__(self, size: int, every: int):
        self.size = size
        self.every = every
        self.networks: list[ActorCritic] = []
        self.lost = np.zeros(0)

    def chances(self) -> np.ndarray:
        """(K,) how often each place shall sit down; K is 0 while there is none."""
        return _LEAST + self.lost**2

    def remember(self, network: ActorCritic, update: int) -> None:
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
        """How games against places, from 0, went: 1 - the learner's wins."""
        for place, outcome in zip(places.tolist(), lost.tolist(), strict=True):
            self.lost[place] += _FORGET * (outcome - self.lost[place])

    def state(self) -> State:
        """All that `restore` goes on from."""
        state = State({"lost": self.lost.copy()}, {"places": len(self.networks)})
        for place, network in enumerate(self.networks):
            state.include(str(place), State(weights_of(network)))
        return state

    def restore(self, state: State, like: ActorCritic) -> None:
        """Go on from a state; its networks are made like `like`."""
        self.lost = state.arrays["lost"]
        self.networks = [deepcopy(like).requires_grad_(False) for _ in range(state.facts["places"])]
        for place, network in enumerate(self.networks):
            set_weights(network, state.part(str(place)).arrays)
