"""Compiled play in a training, while PyTorch learns."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from w51_agents.networks.fast.decisions import FoldedPolicy, Memory, decide
from w51_agents.networks.fast.folded import Fold, folded, layers_of
from w51_agents.networks.learning import Learning, Moves, Played, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


class CompiledPlay(Learning):
    """PyTorch learns, compiled code plays."""

    plays_compiled = is_compiled = True

    def __init__(self, network: ActorCritic, task: TrainingTask, fold: Fold):
        super().__init__(network, task)
        self._games, self._fold = task.games, fold
        self._folded: dict[bytes, FoldedPolicy] = {}

    @contextmanager
    def playing(self, rollout: Played, networks: Sequence[ActorCritic], dtype: torch.dtype) -> Iterator[None]:
        layers, self._folded = layers_of(self.network), {}
        for game in self._games:
            if (key := self.folded_alike(game)) not in self._folded:
                self._folded[key] = folded(game, self.network, self._fold, layers=layers)
        with super().playing(rollout, networks, dtype):
            yield

    def folded_alike(self, game: Game) -> bytes:
        """Equal for games for which the folded network is the same."""
        return b""

    def decider(self, game: Game, moves: Moves) -> Callable[[int], int] | None:
        policy = self._folded[self.folded_alike(game)]
        return decide.bind(self.seen(moves), moves, Memory.of(policy), policy)

    def seen(self, moves: Moves) -> np.ndarray:
        """What the folded network reads of the games."""
        return moves.inputs
