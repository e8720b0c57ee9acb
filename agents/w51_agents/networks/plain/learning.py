"""The plain network as it learns and plays fast; its modules are those of `ActorCritic` itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.networks.fast.compiled import CompiledPlay
from w51_agents.networks.fast.folded import OUTPUT, FoldedHeads, named_places
from w51_agents.networks.fast.layers import LegalLogits, SparseLayer
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

    _rows: tuple[Tensor, Tensor] | None = None

    def outputs(self, network: ActorCritic, decisions: DecisionInputs) -> Outputs:
        if network is not self.network:
            return super().outputs(network, decisions)
        torso, policy = network.torso, network.policy
        assert isinstance(torso, Torso)
        rows = self._rows or self._folded_rows()
        units = SparseLayer.apply(decisions.inputs, torso.first.weight, torso.first.bias, *rows, torso.mean, torso.std)
        features = torso.above(units, decisions.inputs)
        logits = LegalLogits.apply(features, policy.weight, policy.bias, decisions.legal)
        return Outputs(logits, network.value(features), features)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Inside, the first layer is folded only once."""
        self._rows = self._folded_rows()
        yield
        self._rows = None

    @torch.no_grad()
    def _folded_rows(self) -> tuple[Tensor, Tensor]:
        """(inputs, units) weights and (units,) biases of the first layer for raw inputs."""
        assert isinstance(self.network.torso, Torso)
        weight, bias = self.network.torso.fold_normalization()
        return weight.T.contiguous(), bias


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
