"""Compiled play of networks, as agents and in a training: decisions as one call."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy

import numpy as np
import torch

from w51_agents.networks.fast.decisions import Asked, decide, draw_actions
from w51_agents.networks.fast.first_layer import Kept
from w51_agents.networks.fast.folded import Fold, FoldedPolicy, Memory, folded, layers_of
from w51_agents.networks.learning import Learning, Moves, Played, TrainingTask
from w51_agents.networks.network import ActorCritic
from w51_agents.networks.torch_settings import playing
from w51_env.engine.bots import Bot, HeuristicFeatures
from w51_env.engine.game import Game


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
        self._memory = Memory.of(self._folded)
        self._num_columns = num_columns
        self._size = game.layout.size
        self._calls: dict[int, Callable[..., np.ndarray]] = {}
        self._kept: Kept | None = None
        self._base_policy = Bot(game, network.base_policy) if network.base_policy else None
        self._features = HeuristicFeatures(game) if network.heuristic_features else None
        self.reads_observations = self._base_policy is None and self._features is None

    def copy(self) -> "CompiledPolicy":
        """The same policy, for another thread."""
        other = copy(self)
        other._memory = Memory.of(self._folded)
        other._calls = {}
        other._kept = None
        if other._base_policy is not None:
            other._base_policy = Bot(other._base_policy.game, other._base_policy.name)
        return other

    def bind(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        streams: np.ndarray,
        decisions: np.ndarray,
        chosen: np.ndarray,
        rows: np.ndarray | None = None,
        slots: np.ndarray | None = None,
    ) -> Callable[[int], int]:
        """A call that draws an action for each decision, with these arrays, which are read at each call.

        The network must read observations alone (`reads_observations`).

        Args:
            observations: (N, num_columns) int8, of the seats to move.
            masks: (N, actions) int8.
            streams: (N,) uint64, the random stream of each game.
            decisions: (N,) uint64, its number of decisions so far, with which the stream determines the draw.
            chosen: (N,) int64, where the actions are written, NO_ACTION (-1) where the mask is empty.
            rows: (1 + N,) int64, the number of decisions to make, and which; None: all.
            slots: (N,) int64, as of `choose`.
        """
        count, nothing = len(observations), np.full(len(observations), -1)
        rows = np.array([count, *range(count)]) if rows is None else rows
        asked = Asked(observations, nothing, masks, rows, nothing if slots is None else slots)
        return self._bind(asked, streams, decisions, chosen)

    def forget(self) -> None:
        """Begin other games: what is kept in the slots is of no use for them."""
        if self._kept:
            self._kept.forget()

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
        call = self._bind(Asked(inputs, base, legal, listed, kept), drawn, np.zeros(most, np.uint64), chosen)

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
        self, asked: Asked, streams: np.ndarray, decisions: np.ndarray, chosen: np.ndarray
    ) -> Callable[[int], int]:
        if self._kept is None:
            self._kept = Kept.nothing(asked.inputs.shape[1], self._folded.biases.shape[1])
        return draw_actions.bind(asked, streams, decisions, chosen, self._kept, self._memory, self._folded)


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
        yield  # PyTorch decides nothing, so that its layers need not be folded

    def folded_alike(self, game: Game) -> bytes:
        """Equal for games for which the folded network is the same."""
        return b""

    def decider(self, game: Game, moves: Moves) -> Callable[[int], int] | None:
        policy = self._folded[self.folded_alike(game)]
        return decide.bind(self.seen(moves), moves, Memory.of(policy), policy)

    def seen(self, moves: Moves) -> np.ndarray:
        """What the folded network reads of the games."""
        return moves.inputs
