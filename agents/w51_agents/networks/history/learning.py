"""A network that reads what happened as it learns: compiled attention, in the place of PyTorch's."""

from collections.abc import Iterator
from contextlib import contextmanager

from w51_agents.networks.history.network import HistoryActorCritic
from w51_agents.networks.learning import Learning, TrainingTask


class HistoryLearning(Learning):
    """Attention is compiled, forwards and backwards; PyTorch computes all else."""

    network: HistoryActorCritic

    def __init__(self, network: HistoryActorCritic, task: TrainingTask):
        super().__init__(network, task)
        self.is_compiled = network.torso.is_compiled = task.is_fast

    @contextmanager
    def in_pytorch(self) -> Iterator[None]:
        torso = self.network.torso
        torso.is_compiled = False
        try:
            yield
        finally:
            torso.is_compiled = self.is_compiled
