"""What is learned from: a rollout between two updates, its minibatches and their losses; shaped rewards.

Shaping is by potentials (Ng et al., ICML 1999), which leaves the best policy as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from w51_agents.agent.imports import errors_of_others
from w51_agents.agent.interface import AgentError
from w51_agents.networks.fast.layers import list_legal
from w51_agents.networks.layers import gather_legal
from w51_agents.training.games import GamesPart
from w51_agents.training.share import Share
from w51_env.engine.errors import OptionError
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object
from w51_env.engine.standing import Standing

MAX_LOSS = 1e5  #  a mean over logits with those of illegal actions is more


@dataclass
class Decisions:
    """Inputs, masks, actions and log-probabilities of decisions, one row for each, on the device of the model."""

    inputs: Tensor
    all_observations: Tensor
    masks: Tensor
    base_actions: Tensor
    actions: Tensor
    logprobs: Tensor


@dataclass
class Rollout(Decisions):
    """The experience between two updates: arrays (T, N, ...), one row for each decision."""

    observations: Tensor  #  complete, with what the inputs do not contain, on the CPU
    normal_values: Tensor  #  values in the units of the network
    values: np.ndarray
    seats: np.ndarray
    players: np.ndarray  #  (T, N, seats) int8, who has each seat, clockwise from the one that moves: in `players_of`
    rewards: np.ndarray
    dones: np.ndarray
    is_learner: np.ndarray  #  the network decided, not an opponent

    @classmethod
    def empty(cls, num_steps: int, parts: Sequence[GamesPart], device: torch.device) -> "Rollout":
        """Arrays for `num_steps` decisions in each game."""
        size, like = (num_steps, sum(part.num_envs for part in parts)), parts[0]
        length, actions = like.observation.shape[1], like.mask.shape[1]
        dtype = torch.from_numpy(like.network_inputs).dtype
        inputs = torch.zeros((*size, like.inputs.size), dtype=dtype, device=device)
        return cls(
            inputs=inputs,
            observations=inputs[..., :length]
            if like.inputs.contain_observations and device.type == "cpu"
            else torch.zeros((*size, length), dtype=torch.int8),
            all_observations=torch.zeros((*size, like.all_observations.shape[1]), dtype=torch.int8, device=device),
            masks=torch.zeros((*size, actions), dtype=torch.bool, device=device),
            base_actions=torch.zeros(size, dtype=torch.int64, device=device),
            actions=torch.zeros(size, dtype=torch.int64, device=device),
            logprobs=torch.zeros(size, device=device),
            normal_values=torch.zeros(size, device=device),
            values=np.zeros(size, np.float32),
            seats=np.zeros(size, np.int64),
            players=np.zeros((*size, like.num_seats), np.int8),
            rewards=np.zeros((*size, like.num_seats), np.float32),
            dones=np.zeros(size, bool),
            is_learner=np.zeros(size, bool),
        )

    def of_games(self, rows: slice) -> "Rollout":
        """The same memory, of some of the games."""
        return Rollout(**{name: part[:, rows] for name, part in vars(self).items() if part is not None})


@dataclass
class Minibatch(Decisions):
    """Decisions of a rollout, flattened to (B, ...), on the device of the network.

    Attributes:
        advantages, returns: (B,) float32, in units of reward.
        standardized: (B,) float32, the advantages with mean 0 and deviation 1 over the minibatch.
        numbers: (B,) int64, of these decisions in the flattened rollout.
        everywhere: The advantages of all decisions of the rollouts of all ranks.
        extra: More arrays with one row for each decision, of `Learner.extra_rows`.
    """

    advantages: Tensor
    returns: Tensor
    standardized: Tensor
    numbers: Tensor
    everywhere: Tensor
    extra: dict[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rollout: Rollout,
        advantages: Tensor,
        returns: Tensor,
        extra: dict[str, Tensor],
        games: slice = slice(None),
    ) -> "Minibatch":
        """All decisions of a rollout.

        Args:
            rollout: Those of this rank.
            advantages: Of the decisions in all games.
            returns: The same.
            extra: As of this class.
            games: The games of this rank among all.
        """
        parts = {part.name: getattr(rollout, part.name).flatten(0, 1) for part in fields(Decisions)}
        own, returned = (of_all.view(len(rollout.actions), -1)[:, games].flatten() for of_all in (advantages, returns))
        learned = {"advantages": own, "returns": returned, "standardized": own.clone(), "everywhere": advantages}
        return cls(**parts, **learned, numbers=torch.arange(len(own), device=own.device), extra=extra)

    def standardize(self, groups: Sequence[Tensor], share: Share) -> None:
        """Compute `standardized` of the rows of a minibatch that are of this rank, of those of `Share.minibatches`."""
        advantages = self.everywhere[torch.cat([*groups])]
        # A minibatch may be a single decision: no correction of the deviation.
        numbers = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
        own = numbers.split([*map(len, groups)])[share.groups]
        self.standardized[share.own_numbers(torch.cat([*groups[share.groups]]))] = torch.cat([*own])

    def select(self, rows: Tensor) -> "Minibatch":
        """Some of the rows."""
        # `part[rows]` copies number by number, `index_select` row by row.
        parts = {part.name: getattr(self, part.name).index_select(0, rows) for part in fields(self)[:-2]}
        return Minibatch(
            **parts,
            everywhere=self.everywhere,
            extra={name: part.index_select(0, rows) for name, part in self.extra.items()},
        )

    @cached_property
    def legal(self) -> Tensor:
        """(B, K) int64, the legal actions of each row, as of `list_legal`."""
        return list_legal(self.masks)

    @cached_property
    def is_legal(self) -> Tensor:
        """(B, K) bool, whether `legal` has an action there, and not what fills its rows up."""
        return gather_legal(self.masks, self.legal, fill=False)

    def column_of(self, actions: Tensor) -> Tensor:
        """(B,) int64, where each of (B,) legal actions is in its row of `legal`."""
        return torch.searchsorted(self.legal, actions[:, None])[:, 0]


class Losses(NamedTuple):
    """What `Learner.loss` returns: scalars on a minibatch.

    Attributes:
        total: The loss, of which the gradient is taken.
        terms: What is logged, by the names in `Learner.logged`; no gradient is taken of these.
    """

    total: Tensor
    terms: dict[str, Tensor]


def check_totals(totals: Tensor) -> None:
    """AgentError if one of (M,) losses is not finite, or is as large as no loss that teaches anything."""
    largest = float(totals.abs().max())
    if not largest <= MAX_LOSS:  # nan is not
        raise AgentError(
            f"training: the loss is {largest:.3g}, but finite numbers up to {MAX_LOSS:g} are needed. Means over logits "
            "are of legal actions alone (`masked_mean`); a lower learning_rate, or other weights of the terms, may help"
        )


class Shaping(Protocol):
    """Potentials of states, in units of reward. A class of these is made with the game: `Class(game)`."""

    def __call__(self, games: np.ndarray) -> np.ndarray:
        """(N, num_players) floats, the potential of each state for each seat.

        Args:
            games: (N,) records of the game's state (`Batch.games`), not to be changed. They hold all that is hidden:
                potentials serve training only.
        """


# Shapings of this package, by their names in configs.
SHAPINGS = {"standing": "w51_agents.training.rollout:StandingMargin"}


class StandingMargin:
    """What each seat would get if the game ended now: its points less the mean of the others'.

    Args:
        game: The game, with the reward `margin`.

    Raises:
        OptionError: Another reward, or a game that counts no points before its end.
    """

    def __init__(self, game: Game):
        if game.options["reward"] != "margin":
            raise OptionError(f"shaping: 'standing' needs reward=margin, but it is {game.options['reward']}")
        self._standing, self._num_players = Standing(game), game.num_players
        self._games: np.ndarray | None = None

    def __call__(self, games: np.ndarray) -> np.ndarray:
        if games is not self._games:  # the states of a batch are in the same array at each step
            self._games, self._ended = games, self._standing.bind(games)
        scores = self._ended()["scores"][:, : self._num_players].astype(np.float32)
        return (scores * self._num_players - scores.sum(1, keepdims=True)) / (self._num_players - 1)


class Potentials:
    """The potentials of a shaping in the states of one game.

    Args:
        name: One of `SHAPINGS`, or a class of `Shaping` as `module:Class`.
        game: The game.

    Raises:
        AgentError: There is no such class, or it cannot be made.
    """

    def __init__(self, name: str, game: Game):
        self._name = name
        self._num_players = game.num_players
        with errors_of_others(f"shaping {name!r} cannot be made"):
            self._shaping: Shaping = import_object(SHAPINGS.get(name, name))(game)

    def __call__(self, games: np.ndarray) -> np.ndarray:
        """(N, num_players) floats; AgentError if the class returns anything else."""
        values = np.asarray(self._shaping(games))
        if values.shape != (len(games), self._num_players) or not np.isfinite(values).all():
            raise AgentError(
                f"shaping {self._name!r}: {values.dtype} of shape {values.shape}, but finite numbers of shape "
                f"({len(games)}, {self._num_players}) are needed"
            )
        return values


class ShapedRewards:
    """The terms that shaping adds to the rewards of each step.

    A step from s to t adds the potential of t less that of s; that of an ended game is 0. So a whole game adds only a
    constant, whatever its seats do.

    Args:
        name: As for `Potentials`.
        games: The games; their current states are those before the first step.

    Raises:
        AgentError: As of `Potentials`.
    """

    def __init__(self, name: str, games: GamesPart):
        self._potentials = [Potentials(name, planned.game) for planned in games.planned]
        self._games = games
        self._now, self._before = (np.zeros(games.rewards.shape, np.float32) for _ in range(2))
        self.begin()

    def begin(self) -> None:
        """Take the current states as those before the next step."""
        for seated, rows, compute in zip(self._games.seated, self._games.rows, self._potentials, strict=True):
            self._now[rows, : seated.batch.game.num_players] = compute(seated.batch.games)

    def terms(self) -> np.ndarray:
        """(N, seats) float32, to be added to the rewards of the step that the games have just made."""
        self._before, self._now = self._now, self._before
        self.begin()
        return self._now * ~self._games.done[:, None] - self._before
