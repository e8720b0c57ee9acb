"""The plain network as it learns and plays fast; its modules are those of `ActorCritic` itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from torch import nn

from w51_agents.networks.fast.decisions import OUTPUT, named_places
from w51_agents.networks.fast.folded import FoldedHeads
from w51_agents.networks.fast.layers import SparseTorso, outputs_of
from w51_agents.networks.fast.learning import CompiledPlay
from w51_agents.networks.layers import Torso
from w51_agents.networks.learning import DecisionInputs, Learning, Outputs, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_env.engine.game import Game


def learning(network: ActorCritic, task: TrainingTask) -> Learning:
    """Compiled code plays; it learns, too, where there is no base policy."""
    if not task.is_fast:
        return Learning(network, task)
    return CompiledPlay(network, task, fold) if network.base_policy else PlainLearning(network, task, fold)


class PlainLearning(CompiledPlay):
    """The first layer costs only the inputs that are not 0, the last one only legal actions."""

    def __init__(self, *arguments: object):
        super().__init__(*arguments)  # type: ignore[arg-type]
        assert isinstance(self.network.torso, Torso)
        self._features = SparseTorso(self.network.torso)

    def outputs(self, network: ActorCritic, decisions: DecisionInputs) -> Outputs:
        if network is not self.network:
            return super().outputs(network, decisions)
        return outputs_of(network, self._features(decisions.inputs), decisions.legal)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        with self._features.frozen():
            yield


def fold(network: ActorCritic, game: Game, weight: np.ndarray, bias: np.ndarray) -> FoldedHeads:
    """An output for each action; no number of an observation is about an item."""
    assert isinstance(network.policy, nn.Linear)
    num_actions, none = network.policy.out_features, np.zeros((1, 1), np.int64)
    actions = np.full((3, num_actions), -1)
    actions[OUTPUT] = np.arange(num_actions)
    nothing = np.zeros((1, 1))
    table = {
        "item": np.full(len(weight), -1),
        "categories": none[0],
        "actions": actions,
        "features": nothing,
        "facts": none,
        "fact_weights": nothing,
        "basis": nothing,
        "places": named_places(
            first_amount=num_actions, amounts=0, distances=0, value=num_actions, items=num_actions + 1, lot=-1, rows=1
        ),
    }
    return FoldedHeads((weight, bias), [network.policy, network.value.last], table)
