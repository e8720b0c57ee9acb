"""Compiled play of networks (`decisions`): their layers as arrays, decisions as one call, and play in a training."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from w51_agents.networks.fast.decisions import FoldedPolicy, Memory, decide, draw_actions
from w51_agents.networks.fast.first_layer import NOTHING_KEPT, SLOTS, Kept
from w51_agents.networks.fast.sparse import UNROLLED
from w51_agents.networks.layers import Torso, arrays_of
from w51_agents.networks.learning import Learning, Moves, Played, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.torch_settings import playing
from w51_env.compiler import LANES
from w51_env.engine.bots import Bot, HeuristicFeatures
from w51_env.engine.game import Game

Arrays = dict[str, np.ndarray]


class FoldedHeads(NamedTuple):
    """What a form of network folds.

    Attributes:
        first: (inputs, units) weights of the first layer over observations, and features after them; its (units,) bias.
        heads: The layers of all outputs, that of the value among them.
        table: From what logits are computed: the fields of `FoldedPolicy` from `item` to `places`.
    """

    first: tuple[np.ndarray, np.ndarray]
    heads: list[nn.Linear]
    table: Arrays


# Of a network, the game that it knows, and weights and biases of the first layer over the network's inputs.
Fold = Callable[[ActorCritic, Game, np.ndarray, np.ndarray], FoldedHeads]


def layers_of(network: ActorCritic) -> list[tuple[np.ndarray, np.ndarray]]:
    """As `Torso.arrays`, of the network's torso."""
    assert isinstance(network.torso, Torso)
    return network.torso.arrays()


def folded(
    game: Game,
    network: ActorCritic,
    fold: Fold,
    num_columns: int | None = None,
    layers: list[tuple[np.ndarray, np.ndarray]] | None = None,
) -> FoldedPolicy:
    """A network as arrays.

    Args:
        game: The game that it knows.
        network: The network, whose torso is a `Torso`.
        fold: As of its form.
        num_columns: Size of the observations that it gets; columns after those of `game` count nothing; None: no more.
        layers: What `arrays` of its torso has returned; None: it is called.
    """
    (first, bias), *hidden = layers or layers_of(network)
    (first, bias), heads, table = fold(network, game, first, bias)
    size, width = game.layout.size, first.shape[1]
    by_number = first.reshape(len(table["item"]), -1, width)
    for part in network.inputs_for(game).hidden if network.hidden_slices else ():
        by_number[part] = 0.0
    if more := (num_columns or size) - size:
        by_number = np.insert(by_number, [size] * more, 0.0, 0)
        table["item"] = np.insert(table["item"], [size] * more, -1)
    base, base_logits = np.zeros((1, width)), np.zeros(1)
    if network.residual is not None:
        base = np.concatenate([base, network.residual.embedding.weight.detach().double().numpy()])
        base_logits = np.append(base_logits, network.residual.logit_bias.detach().double().numpy())
    outputs = [arrays_of(head) for head in heads]
    biases = [bias, *(one for _, one in hidden), np.concatenate([one for _, one in outputs])]
    arrays = {
        "first": by_number.reshape(-1, width),
        "dense": _padded([row for weight, _ in hidden for row in weight] or [np.zeros(1)]),
        "last": _padded([*np.concatenate([weight for weight, _ in outputs], 1).T]),
        "biases": _padded(biases),
        "widths": np.array([len(one) for one in biases]),
        "base": base,
        "base_logits": base_logits,
        "tilt": np.zeros(table["actions"].shape[1]),
        **table,
    }
    types = {"i": np.int64, "f": np.float32}
    contiguous = {name: np.ascontiguousarray(one, types.get(one.dtype.kind)) for name, one in arrays.items()}
    return FoldedPolicy(**contiguous)


def _padded(rows: list[np.ndarray]) -> np.ndarray:
    """Rows below each other, filled up with zeros to one length, a multiple of LANES."""
    padded = np.zeros((len(rows), -(-max(map(len, rows)) // LANES) * LANES))
    for place, row in zip(padded, rows, strict=True):
        place[: len(row)] = row
    return padded


class CompiledPolicy:
    """Draws actions from a network's policy, or takes the likeliest.

    Args:
        game: The game that the network knows.
        network: The network.
        fold: As of its form.
        num_columns: Size of the observations that it gets, whose first columns are those of `game`; None: no more.
        tilt: (actions,) float32, what is added to the logits; None: nothing.
        greedy: Take the likeliest action.
    """

    def __init__(
        self,
        game: Game,
        network: ActorCritic,
        fold: Fold,
        num_columns: int | None = None,
        tilt: np.ndarray | None = None,
        greedy: bool = False,
    ):
        num_columns = num_columns or game.layout.size
        with playing():  # a forked process hangs with several threads
            self._folded = folded(game, network, fold, num_columns)
        self._folded.places["is_greedy"] = greedy
        if tilt is not None:
            self._folded = self._folded._replace(tilt=np.ascontiguousarray(tilt, np.float32))
        self._memory = _memory(self._folded)
        self._num_columns = num_columns
        self._size = game.layout.size
        self._calls: dict[int, Callable[..., np.ndarray]] = {}
        self._kept: list[np.ndarray] = []
        self._base_policy = Bot(game, network.base_policy) if network.base_policy else None
        self._features = HeuristicFeatures(game) if network.heuristic_features else None
        self.reads_observations = self._base_policy is None and self._features is None

    def copy(self) -> "CompiledPolicy":
        """The same policy, for another thread."""
        other = copy(self)
        other._memory = _memory(self._folded)
        other._calls = {}
        other._kept = []
        if other._base_policy is not None:
            other._base_policy = Bot(other._base_policy.game, other._base_policy.name)
        return other

    def bind(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        *arrays: np.ndarray,
        rows: np.ndarray | None = None,
        slots: np.ndarray | None = None,
    ) -> Callable[[int], int]:
        """A call that draws an action for each decision, with these arrays, which are read at each call.

        The network must read observations alone (`reads_observations`).

        Args:
            observations: (N, num_columns) int8, of the seats to move.
            masks: (N, actions) int8.
            *arrays: (N,) uint64, the random stream of each game; (N,) uint64, its number of decisions so far, with
                which the stream determines the draw; (N,) int64, where the actions are written, NO_ACTION (-1) where
                the mask is empty.
            rows: (1 + N,) int64, the number of decisions to make, and which; None: all.
            slots: (N,) int64, as of `choose`.
        """
        slots = np.full(len(observations), -1) if slots is None else slots
        return self._bind(observations, np.full(len(observations), -1), masks, rows, slots, *arrays)

    def forget(self) -> None:
        """Begin other games: what is kept in the slots is of no use for them."""
        if self._kept:
            self._kept[2][:] = NOTHING_KEPT

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray, slots: np.ndarray | None = None
    ) -> np.ndarray:
        """(N,) int64, an action for each decision; all as of `w51_env.engine.bots.Bot.choose`.

        Args:
            observations: (N, num_columns) int8.
            action_masks: (N, actions) int8.
            bits: (N,) uint64.
            slots: (N,) int64, a number below 8,192 for each game and seat, the same at its next decision; then only
                what has changed since is read. None: decisions have nothing to do with each other.
        """
        most = 1 << len(bits).bit_length()
        if most not in self._calls:
            self._calls[most] = self._call_for(most)
        return self._calls[most](observations, action_masks, bits, slots)

    def _call_for(self, most: int) -> Callable[..., np.ndarray]:
        """As `choose`, for at most so many decisions, which are copied to arrays that stay."""
        known, legal = np.zeros((most, self._size), np.int8), np.zeros((most, self._folded.actions.shape[1]), np.int8)
        features = np.zeros((most, self._features.layout.size if self._features else 0), np.int8)
        inputs = np.zeros((most, self._num_columns + features.shape[1]), np.int8)
        drawn, chosen = np.zeros(most, np.uint64), np.zeros(most, np.int64)
        base = np.full(most, -1)
        listed, kept = np.arange(-1, most), np.full(most, -1)
        write = self._features.bind(known, features) if self._features else None
        choose_base = self._base_policy.bind(known, legal, drawn, base) if self._base_policy else None
        call = self._bind(inputs, base, legal, listed, kept, drawn, np.zeros(most, np.uint64), chosen)

        def choose(
            observations: np.ndarray, action_masks: np.ndarray, bits: np.ndarray, slots: np.ndarray | None
        ) -> np.ndarray:
            listed[0] = count = len(bits)
            kept[:count] = -1 if slots is None else slots
            inputs[:count, : self._num_columns] = observations
            legal[:count], drawn[:count] = action_masks, bits
            if not self.reads_observations:
                known[:count] = observations[:, : self._size]
            if write is not None:
                write(count)
                inputs[:count, self._num_columns :] = features[:count]
            if choose_base is not None:
                choose_base()
            call(0)
            legal[:count] = 0  # the base policy does nothing where nothing is legal
            return chosen[:count].copy()

        return choose

    def _bind(
        self,
        inputs: np.ndarray,
        base: np.ndarray,
        masks: np.ndarray,
        rows: np.ndarray | None,
        slots: np.ndarray,
        *arrays: np.ndarray,
    ) -> Callable[[int], int]:
        if rows is None:
            rows = np.arange(-1, len(inputs))
            rows[0] = len(inputs)
        if not self._kept:
            size, units = inputs.shape[1], self._folded.biases.shape[1]
            self._kept = [np.empty((SLOTS, size), np.int8), np.empty((SLOTS, units), np.float32)]
            self._kept += [np.full(SLOTS, NOTHING_KEPT), np.zeros(size, np.int8), np.zeros(size, np.int64)]
        kept = Kept(slots, *self._kept)
        return draw_actions.bind(inputs, base, masks, rows, *arrays, *kept, *self._memory, *self._folded)


def bind_decisions(policy: FoldedPolicy, inputs: np.ndarray, moves: Moves) -> Callable[[int], int]:
    """A call that makes decisions of a training, with these arrays, which are read at each call.

    Args:
        policy: The network, folded.
        inputs: (N, inputs) int8, of the seats to move: observations, and features after them.
        moves: The other arrays.
    """
    base, masks, *written = moves[2:]
    return decide.bind(inputs, base, masks, *written, *_memory(policy), *policy)


def _memory(policy: FoldedPolicy) -> Memory:
    actions, listed = policy.actions.shape[1], UNROLLED - 1 + max(2 * len(policy.item), policy.biases.shape[1])
    return Memory(
        np.zeros(policy.biases.shape, np.float32), np.zeros(actions, np.int64), np.zeros(actions, np.float32),
        np.zeros(listed, np.int64), np.zeros(listed, np.float32),
    )  # fmt: skip


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
        return bind_decisions(self._folded[self.folded_alike(game)], self.seen(moves), moves)

    def seen(self, moves: Moves) -> np.ndarray:
        """What the folded network reads of the games."""
        return moves.inputs
