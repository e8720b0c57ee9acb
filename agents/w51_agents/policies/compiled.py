"""Compiled code of networks, as Python calls it: decisions as one call, and layers that learn.

For playouts and rollouts, the layers of the network's modules are folded to arrays (`folded`, `decisions`). For
learning, two PyTorch functions compute what matters of the first and of the last layer alone (`sparse`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent import AgentError
from w51_agents.policies import sparse
from w51_agents.policies.decisions import OUTPUT, FoldedPolicy, Memory, decide, draw_actions
from w51_agents.policies.item_network import ItemActorCritic, fold_items
from w51_agents.policies.layers import ILLEGAL, Arrays, Torso, arrays_of
from w51_agents.policies.network import ActorCritic
from w51_env.compiler import LANES
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


# ---- learning


def sparse_rows(torso: Torso) -> tuple[Tensor, Tensor]:
    """(inputs, units) weights and (units,) biases of the first layer of a torso for raw inputs, without gradients."""
    with torch.no_grad():
        weight, bias = torso.fold_normalization()
        return weight.T.contiguous(), bias


def sparse_features(torso: Torso, inputs: Tensor, rows: tuple[Tensor, Tensor]) -> Tensor:
    """The features of a torso for (B, inputs) int8 inputs that are mostly 0; `rows` are its `sparse_rows`."""
    read, stats = torso.read(inputs), (torso.mean, torso.std)
    units = SparseLayer.apply(torso.numbers(read), torso.first.weight, torso.first.bias, *rows, *stats)
    return torso.above(units, read)


class SparseLayer(torch.autograd.Function):
    """A normalised linear layer with ReLU over integer inputs that are mostly 0; compiled code, float32.

    Arguments: (B, inputs) inputs; weights and biases as of `nn.Linear`, which alone have gradients; the same for raw
    inputs, as of `sparse_rows`; means and deviations of the inputs. Result: (B, units).
    """

    @staticmethod
    def forward(  # type: ignore[override]
        context: Any, inputs: Tensor, weight: Tensor, bias: Tensor, *constants: Tensor
    ) -> Tensor:
        rows, biases, *context.stats = constants
        units, most = torch.empty(len(inputs), len(bias)), len(inputs) * (inputs.shape[1] + sparse.UNROLLED)
        lists = np.empty((len(inputs), 2), np.int64), np.empty(most, np.int32), np.empty(most, np.float32)
        sparse.write_units(*_numpy(inputs, rows, biases), *lists, units.numpy())
        context.arrays = *lists, units.numpy()
        return units

    @staticmethod
    def backward(context: Any, by_units: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        arrays, (mean, std) = context.arrays, context.stats
        gradients = torch.zeros(len(mean), by_units.shape[1]), torch.zeros(by_units.shape[1])
        memory = np.empty(by_units.shape[1], np.float32)
        sparse.write_unit_gradients(*arrays, *_numpy(by_units), memory, *_numpy(*gradients))
        by_rows, by_biases = gradients
        by_weights = torch.empty(by_rows.shape[::-1])  # contiguous, as Adam expects
        torch.addr(by_rows.T, by_biases, mean, alpha=-1, out=by_weights).div_(std)
        return None, by_weights, by_biases, None, None, None, None


class LegalLogits(torch.autograd.Function):
    """A linear layer whose outputs are the logits of actions, for legal actions alone; compiled code for float32.

    Arguments: (B, width) features; (actions, width) weights; (actions,) biases; (B, K) the legal actions, as of
    `list_legal`. Result: (B, K) logits, ILLEGAL where there is no action.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        context: Any, features: Tensor, weight: Tensor, bias: Tensor, legal: Tensor
    ) -> Tensor:
        logits = torch.full(legal.shape, ILLEGAL)
        sparse.write_logits(*_numpy(features, weight, bias, legal, logits))
        context.save_for_backward(features, weight, legal)
        return logits

    @staticmethod
    def backward(context: Any, by_logits: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        features, weight, legal = context.saved_tensors
        gradients = torch.zeros_like(features), torch.zeros_like(weight), torch.zeros(len(weight))
        listed = legal.shape[1] + sparse.UNROLLED
        lists = np.empty(listed, np.int64), np.empty(listed, np.float32)
        sparse.write_logit_gradients(*_numpy(features, weight, legal, by_logits), *lists, *_numpy(*gradients))
        return *gradients, None


def list_legal(masks: Tensor) -> Tensor:
    """(B, K) int64, the legal actions of (B, actions) bool masks, K at most, and then the number of actions."""
    arrays = masks.view(torch.int8).numpy(), np.empty(masks.shape[1], np.int64)
    legal = torch.empty(len(masks), sparse.most_legal(*arrays), dtype=torch.int64)
    sparse.list_legal(*arrays, legal.numpy())
    return legal


def gather_legal(logits: Tensor, legal: Tensor) -> Tensor:
    """(B, K) logits of the actions of `list_legal`, of (B, actions); ILLEGAL where there is no action."""
    num_actions = logits.shape[1]
    return logits.gather(1, legal.clamp_max(num_actions - 1)).masked_fill(legal == num_actions, ILLEGAL)


def _numpy(*tensors: Tensor) -> list[np.ndarray]:
    """The same memory; of what is not contiguous, a copy."""
    return [tensor.detach().contiguous().numpy() for tensor in tensors]
