"""A network that reads what happened as it learns: its first layer and the logits of legal actions are compiled."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from w51_agents.networks.fast.layers import SparseTorso, outputs_of
from w51_agents.networks.history.network import HistoryActorCritic
from w51_agents.networks.layers import ILLEGAL
from w51_agents.networks.learning import Decisions, Learning, Outputs, Played, TrainingTask
from w51_agents.networks.network import ActorCritic


def learning(network: HistoryActorCritic, task: TrainingTask) -> Learning:
    """Compiled code learns, and computes the first layer where PyTorch plays."""
    return HistoryLearning(network, task) if task.is_fast else Learning(network, task)


class HistoryLearning(Learning):
    """The first layer costs only the inputs that are not 0, the last one only legal actions."""

    is_compiled = True

    def __init__(self, network: HistoryActorCritic, task: TrainingTask):
        super().__init__(network, task)
        self._features = SparseTorso(network.torso)

    def step(
        self, network: ActorCritic, inputs: Tensor, masks: Tensor, base_actions: Tensor, states: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        if network is not self.network:
            return super().step(network, inputs, masks, base_actions, states)
        features = self._features(inputs)
        return network.policy(features).masked_fill_(~masks, ILLEGAL), network.value(features), states

    def outputs(self, network: ActorCritic, decisions: Decisions) -> Outputs:
        if network is not self.network:
            return super().outputs(network, decisions)
        return outputs_of(network, self._features(decisions.inputs), decisions.legal)

    @contextmanager
    def playing(self, rollout: Played, networks: Sequence[ActorCritic], dtype: torch.dtype) -> Iterator[None]:
        with super().playing(rollout, networks, dtype), self.frozen():
            yield

    @contextmanager
    def frozen(self) -> Iterator[None]:
        with self._features.frozen():
            yield
