"""What plays the other seats of a learner's games: snapshots of networks in a pool, and agents by name."""

from copy import deepcopy

import numpy as np

from w51_agents.networks.fast.compiled import CompiledPolicy
from w51_agents.networks.making import compiled_policy
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.tensor_file import in_short
from w51_agents.networks.weights import set_weights, weights_of
from w51_agents.training.trainer_state import StateError, TrainerState
from w51_env.engine.game import Game

_STEP = 0.02  #  of the moving average of losses, for each game
_MIN_WEIGHT = 0.05  #  of a snapshot that never wins


class Pool:
    """At most `size` snapshots of the network that learns; the more a snapshot wins, the more often it is drawn.

    This is prioritised fictitious self-play (Vinyals et al., Nature 575, 2019).

    Attributes:
        size, every: The most snapshots; the updates between two of them.
        networks: The snapshots, by slot.
        losses: (K,) float64, moving average of 1 - the learner's wins against each snapshot; 1 for a new one.
    """

    def __init__(self, size: int, every: int):
        self.size = size
        self.every = every
        self.networks: list[ActorCritic] = []
        self.losses = np.zeros(0)
        self._compiled: dict[tuple[int, Game], tuple[ActorCritic, CompiledPolicy]] = {}

    def compiled(self, slot: int, game: Game) -> CompiledPolicy:
        """A snapshot as compiled code, for one of the games, which compiled code plays."""
        made = self._compiled.get((slot, game))
        if made is None or made[0] is not self.networks[slot]:
            made = self.networks[slot], compiled_policy(game, self.networks[slot])
            self._compiled[slot, game] = made
        return made[1].copy()

    def weights(self) -> np.ndarray:
        """(K,) float64, the sampling weight of each slot; K is 0 while the pool is empty."""
        return _MIN_WEIGHT + self.losses**2

    def add_snapshot(self, network: ActorCritic) -> None:
        """Add a snapshot; in a full pool it replaces the easiest opponent."""
        snapshot = deepcopy(network).requires_grad_(False)
        if len(self.networks) < self.size:
            self.networks.append(snapshot)
            self.losses = np.append(self.losses, 1.0)
        else:
            easiest = int(self.losses.argmin())
            self.networks[easiest] = snapshot
            self.losses[easiest] = 1.0

    def record(self, slots: np.ndarray, losses: np.ndarray) -> None:
        """Record games against (M,) slots; (M,) losses: 1 less the learner's wins in each game."""
        for slot, loss in zip(slots.tolist(), losses.tolist(), strict=True):
            self.losses[slot] += _STEP * (loss - self.losses[slot])

    def state(self) -> TrainerState:
        """The state that `restore` loads."""
        state = TrainerState({"losses": self.losses.copy()}, {"slots": len(self.networks)})
        for slot, network in enumerate(self.networks):
            state.include(str(slot), TrainerState(weights_of(network)))
        return state

    def restore(self, state: TrainerState, like: ActorCritic) -> None:
        """Load a state; its networks have the shape of `like`. StateError if it is none of such a pool."""
        slots, losses = state.facts.get("slots"), state.arrays.get("losses", np.zeros(0))
        if type(slots) is not int or losses.shape != (slots,) or slots > self.size:
            raise StateError(f"losses: one for each slot is needed, but slots is {in_short(slots)}")
        expected = TrainerState({"losses": np.zeros(slots)}, {"slots": 0})
        for slot in range(slots):
            expected.include(str(slot), TrainerState(weights_of(like)))
        state.check_like(expected)
        self.losses = state.arrays["losses"]
        if ((self.losses < 0.0) | (self.losses > 1.0)).any():
            raise StateError("losses: numbers from 0 to 1 are needed")
        self.networks = [deepcopy(like).requires_grad_(False) for _ in range(slots)]
        for slot, network in enumerate(self.networks):
            set_weights(network, state.part(str(slot)).arrays)
