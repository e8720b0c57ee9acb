"""A network's decisions as one compiled call, for playouts and for rollouts of a training.

The layers are those of the network's modules, as arrays (`folded`); `decisions` has the compiled code.
"""

from collections.abc import Callable

import numpy as np
from torch import nn

from w51_agents.agent import AgentError
from w51_agents.policies.decisions import OUTPUT, FoldedPolicy, Memory, decide, draw_actions
from w51_agents.policies.item_network import ItemActorCritic, fold_items
from w51_agents.policies.layers import Arrays, Torso, arrays_of
from w51_agents.policies.network import ActorCritic
from w51_env.compiler.machine_code import LANES
from w51_env.engine.game import Game


class CompiledPolicy:
    """Draws actions from a network's policy.

    Args:
        game: The game it plays.
        network: A network of this package that reads observations, with items or without.

    Raises:
        AgentError: A network of a user's class, or one that reads more or less than observations.
    """

    def __init__(self, game: Game, network: ActorCritic):
        inputs = {name: value for name, value in network.inputs.items() if name != "items"}
        if type(network) not in (ActorCritic, ItemActorCritic) or any(inputs.values()):
            raise AgentError(
                "a network of this package that reads observations is needed, without "
                f"{', '.join(inputs)}, but it is {type(network).__name__} with {inputs}"
            )
        self._folded = folded(game, network)
        self._memory = _memory(self._folded)

    def bind(self, observations: np.ndarray, masks: np.ndarray, *arrays: np.ndarray) -> Callable[[int], int]:
        """A call that draws an action for each decision, with these arrays, which are read at each call.

        Args:
            observations: (N, layout.size) int8, of the seats to move.
            masks: (N, actions) int8.
            *arrays: (N,) uint64, the random stream of each game; (N,) uint64, its number of decisions so far, with
                which the stream determines the draw; (N,) int64, where the actions are written, NO_ACTION (-1) where
                the mask is empty.
        """
        return draw_actions.bind(observations, masks, *arrays, *self._memory, *self._folded)

    def choose(self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `w51_env.engine.bots.Bot.choose`."""
        actions = np.empty(len(bits), np.int64)
        masks = np.ascontiguousarray(action_masks, np.int8)
        self.bind(np.ascontiguousarray(observations), masks, bits, np.zeros(len(bits), np.uint64), actions)(0)
        return actions


def bind_decisions(
    policy: FoldedPolicy, inputs: np.ndarray, masks: np.ndarray, *arrays: np.ndarray
) -> Callable[[int], int]:
    """A call that makes decisions of a training, with these arrays, which are read at each call.

    Args:
        policy: The network, folded.
        inputs: (N, inputs) int8, of the seats to move.
        masks: (N, actions) int8, none of them empty.
        *arrays: (N,) float32, uniform in [0, 1), with which actions are drawn; what is written: (N,) int64, the
            actions; (N,) float32, their log-probabilities; (N,) float32, normalised values.
    """
    return decide.bind(inputs, masks, *arrays, *_memory(policy), *policy)


def folded(game: Game, network: ActorCritic) -> FoldedPolicy:
    """A network as arrays.

    Args:
        game: The game it plays.
        network: Without items, whatever its inputs are; with items, one that reads observations.
    """
    assert isinstance(network.torso, Torso)
    (first, bias), *hidden = network.torso.arrays()
    if network.reads_items:
        (first, bias), heads, table = fold_items(network, game, first, bias)
    else:
        assert isinstance(network.policy, nn.Linear)
        heads, table = [network.policy, network.value.last], _table_of_actions(len(first), network.policy)
    outputs = [arrays_of(head) for head in heads]
    biases = [bias, *(one for _, one in hidden), np.concatenate([one for _, one in outputs])]
    arrays = {
        "first": first,
        "dense": _padded([row for weight, _ in hidden for row in weight] or [np.zeros(1)]),
        "last": _padded([*np.concatenate([weight for weight, _ in outputs], 1).T]),
        "biases": _padded(biases),
        "widths": np.array([len(one) for one in biases]),
        **table,
    }
    types = {"i": np.int64, "f": np.float32}
    return FoldedPolicy(**{name: np.ascontiguousarray(one, types[one.dtype.kind]) for name, one in arrays.items()})


def _memory(policy: FoldedPolicy) -> Memory:
    actions, listed = policy.actions.shape[1], 3 + max(len(policy.item), policy.biases.shape[1])
    return Memory(
        np.zeros(policy.biases.shape, np.float32), np.zeros(actions, np.int64), np.zeros(actions, np.float32),
        np.zeros(listed, np.int64), np.zeros(listed, np.float32),
    )  # fmt: skip


def _padded(rows: list[np.ndarray]) -> np.ndarray:
    """Rows below each other, filled up with zeros to one length, a multiple of LANES."""
    padded = np.zeros((len(rows), -(-max(map(len, rows)) // LANES) * LANES))
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded


def _table_of_actions(num_inputs: int, policy: nn.Linear) -> Arrays:
    """What the logits are computed from, for a network with an output for each action, which knows of no items."""
    num_actions = policy.out_features
    actions = np.full((3, num_actions), -1)
    actions[OUTPUT] = np.arange(num_actions)
    nothing, none = np.zeros((1, 1)), np.zeros((1, 1), np.int64)
    return {
        "item": np.full(num_inputs, -1),
        "kinds": none[0],
        "actions": actions,
        "features": nothing,
        "facts": none,
        "fact_weights": nothing,
        "basis": nothing,
        "sizes": np.array([num_actions, 0, 0, num_actions, num_actions + 1, -1, 1]),
    }
