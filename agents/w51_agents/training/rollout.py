"""What is learned from: games in parts, their rollout between two updates, its advantages and its minibatches."""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import accumulate, pairwise, product, zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_agents.agent import AgentError
from w51_agents.bots import CompiledAgent
from w51_agents.policies.compiled import list_legal
from w51_agents.policies.network import network_class
from w51_agents.training.games import SelfPlayGames
from w51_agents.training.learner_settings import GameKind, LearnerConfig, LearnerSettings
from w51_agents.training.opponents import is_compiled
from w51_agents.training.pool import Pool
from w51_agents.training.seats import EnvGroup, kinds_of
from w51_agents.training.trainer_state import TrainerState
from w51_env.adapters.agent_seeds import agent_seed
from w51_env.compiler.compile import JIT_DISABLED, entry
from w51_env.engine.game import Game

_MIN_PART = 128  #  games; a part with fewer costs more time than a second thread saves
_MAX_PARTS = 8


class GameParts:
    """The games of a config, in parts that play a rollout each for itself, so that threads can share them out.

    Their number does not depend on threads: results do not either. With a GPU there are at least two parts: while it
    computes for one, others step.

    Args:
        config: The config.
        game: The game.
        device: Device of the network.

    Attributes:
        groups, rows: The games, and their rows in arrays of all.
        parts: The parts.
        part_rows: The rows of each part.
        kinds: Who plays seats: `self`, `pool` and names of agents, in the order of `Rollout.kinds`.
        num_envs, num_seats: Number of all games, and of seats of the largest.
        num_all_observations: Number of inputs of a centralized critic; 0 without one.
        need_one_thread: Whether there are opponents that are no compiled code of this package.

    Raises:
        AgentError, OptionError: A game or an opponent that does not exist; shaping with a discount.
    """

    def __init__(self, config: LearnerConfig, game: Game, device: torch.device):
        settings: LearnerSettings = config.settings
        if settings.shaping is not None and settings.gamma != 1.0:
            raise AgentError(f"{config.section}.shaping: needs gamma=1.0, but it is {settings.gamma}")
        self.groups = [group for kind in settings.games for group in _groups(kind, game)]
        self.rows = [slice(*cut) for cut in pairwise(accumulate((group.num_envs for group in self.groups), initial=0))]
        self.num_envs = self.rows[-1].stop
        self.num_seats = max(group.game.num_players for group in self.groups)
        self.kinds = kinds_of(self.groups)
        on_gpu = device.type == "cuda"
        parts = max(2 if on_gpu else 1, min(_MAX_PARTS, self.num_envs // _MIN_PART))
        cuts = [self.num_envs * number // parts for number in range(parts + 1)]
        self.part_rows = [slice(*cut) for cut in pairwise(cuts) if cut[0] < cut[1]]
        inputs = {
            "heuristic_features": settings.heuristic_features,
            "hidden_slices": settings.hidden_slices,
            "items": network_class(settings.network).reads_items,
            "history": network_class(settings.network).history_rows(settings.network_settings),
        }
        shape = inputs, settings.critic == "centralized", self.groups, _pinned_zeros if on_gpu else np.zeros
        seeds = np.random.SeedSequence(config.seed).generate_state(len(self.part_rows), np.uint64)
        self.parts = [
            SelfPlayGames(list(self._groups_in(part)), int(seed), *shape)
            for part, seed in zip(self.part_rows, seeds, strict=True)
        ]
        self.num_all_observations = self.parts[0].all_observations.shape[1]
        self.need_one_thread = not all(is_compiled(agent) for part in self.parts for agent in part.agents)
        self.seed_agents(config.seed, 0)  # some move before the first decision

    def _groups_in(self, part: slice) -> Iterator[EnvGroup]:
        """The groups, or what of them is in the rows of a part."""
        for group, rows in zip(self.groups, self.rows, strict=True):
            if (size := min(rows.stop, part.stop) - max(rows.start, part.start)) > 0:
                yield group._replace(num_envs=size)

    def seat_snapshots(self, pool: Pool) -> None:
        """Let the snapshots of a pool move as other opponents do, by compiled code."""
        for seated in (seated for part in self.parts for seated in part.seated if seated.uses_pool):
            for slot in range(len(pool.networks)):
                seated.add_agent(slot + 1, CompiledAgent(pool.compiled(slot, seated.batch.game)))

    def seed_agents(self, seed: int, update: int) -> None:
        """Seed the opponents that draw, by the seed of the config and the number of the update."""
        for index, agent in enumerate(agent for part in self.parts for agent in part.agents):
            drawn = np.random.SeedSequence((seed, update, index)).generate_state(1, np.uint64)[0]
            agent.reset(agent_seed(agent, int(drawn), "training", seed, update, index))

    def state(self) -> TrainerState:
        """The state that `restore` of equal games loads."""
        state = TrainerState()
        for number, part in enumerate(self.parts):
            state.include(str(number), part.state())
        return state

    def restore(self, state: TrainerState, pool_slots: int) -> None:
        """Load a state of equal games; arguments and errors as of `SelfPlayGames.restore`."""
        for number, part in enumerate(self.parts):
            part.restore(state.part(str(number)), pool_slots)

    def close(self) -> None:
        """End the games."""
        for part in self.parts:
            part.close()


def play_all(plays: Sequence[Iterator[None]], threads: ThreadPoolExecutor | None, alternate: bool) -> None:
    """Play all parts to their ends: in threads, by turns or one after the other.

    While a GPU computes for one part, the games of another one step: in another thread, or in their turn.

    Args:
        plays: Of each part `Learner.play`.
        threads: The threads, each of which plays one part at a time; None: the caller plays.
        alternate: Whether the caller plays by turns.
    """
    if threads is not None:
        results = threads.map(_exhaust, plays)
    else:
        results = map(_exhaust, [zip_longest(*plays)] if alternate else plays)
    _exhaust(results)


def _exhaust(play: Iterator[Any]) -> None:
    deque(play, maxlen=0)


def _groups(kind: GameKind, game: Game) -> Iterator[EnvGroup]:
    """The games of a kind, shared out among the values of the options that vary."""
    values = list(product(*kind.vary.values()))
    for number, chosen in enumerate(values):
        num_envs = (kind.num_envs * (number + 1)) // len(values) - (kind.num_envs * number) // len(values)
        options = {**game.options, "num_players": kind.num_players, **dict(zip(kind.vary, chosen, strict=True))}
        if num_envs:
            yield EnvGroup(game.make(**options), num_envs, kind.opponents)


def _pinned_zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros in memory that a GPU can read while the processor goes on."""
    like = torch.from_numpy(np.zeros(0, dtype))
    return torch.zeros(shape, dtype=like.dtype, pin_memory=True).numpy()


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
    kinds: (
        np.ndarray
    )  #  (T, N, seats) int8, who plays each seat, clockwise from the one that moves: in `GameParts.kinds`
    rewards: np.ndarray
    dones: np.ndarray
    is_learner: np.ndarray  #  the network decided, not an opponent; or it learns from a snapshot
    targets: Tensor | None = None  #  probabilities of the policies that decided, float32

    @classmethod
    def empty(cls, num_steps: int, games: GameParts, device: torch.device) -> "Rollout":
        """Arrays for `num_steps` decisions in each game; with targets where snapshots are learned from."""
        size = (num_steps, games.num_envs)
        like = games.parts[0]
        length, actions = like.observation.shape[1], like.mask.shape[1]
        dtype = torch.from_numpy(like.network_inputs).dtype
        inputs = torch.zeros((*size, like.inputs.size), dtype=dtype, device=device)
        return cls(
            inputs=inputs,
            observations=inputs[..., :length]
            if like.inputs.contain_observations and device.type == "cpu"
            else torch.zeros((*size, length), dtype=torch.int8),
            all_observations=torch.zeros((*size, games.num_all_observations), dtype=torch.int8, device=device),
            masks=torch.zeros((*size, actions), dtype=torch.bool, device=device),
            base_actions=torch.zeros(size, dtype=torch.int64, device=device),
            actions=torch.zeros(size, dtype=torch.int64, device=device),
            logprobs=torch.zeros(size, device=device),
            normal_values=torch.zeros(size, device=device),
            values=np.zeros(size, np.float32),
            seats=np.zeros(size, np.int64),
            kinds=np.zeros((*size, games.num_seats), np.int8),
            rewards=np.zeros((*size, games.num_seats), np.float32),
            dones=np.zeros(size, bool),
            is_learner=np.zeros(size, bool),
            targets=torch.zeros((*size, actions), device=device)
            if any(part.is_mixture.any() for part in games.parts)
            else None,
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
        extra: More arrays with one row for each decision, of `Learner.extra_rows`.
    """

    advantages: Tensor
    returns: Tensor
    standardized: Tensor
    numbers: Tensor
    extra: dict[str, Tensor] = field(default_factory=dict)

    @classmethod
    def of(cls, rollout: Rollout, advantages: Tensor, returns: Tensor, extra: dict[str, Tensor]) -> "Minibatch":
        """All decisions of a rollout."""
        parts = {part.name: getattr(rollout, part.name).flatten(0, 1) for part in fields(Decisions)}
        learned = {"advantages": advantages, "returns": returns, "standardized": advantages.clone()}
        return cls(**parts, **learned, numbers=torch.arange(len(returns), device=returns.device), extra=extra)

    def standardize(self, rows: Tensor) -> None:
        """Compute `standardized` of the rows of a minibatch."""
        advantages = self.advantages[rows]
        # A minibatch may be a single decision: no correction of the deviation.
        self.standardized[rows] = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)

    def select(self, rows: Tensor) -> "Minibatch":
        """Some of the rows."""
        # `part[rows]` copies number by number, `index_select` row by row.
        parts = {part.name: getattr(self, part.name).index_select(0, rows) for part in fields(self)[:-1]}
        return Minibatch(**parts, extra={name: part.index_select(0, rows) for name, part in self.extra.items()})

    @cached_property
    def legal(self) -> Tensor:
        """(B, K) int64, the legal actions of each row, then the number of actions; on a GPU all actions."""
        if self.masks.device.type != "cpu" or JIT_DISABLED:
            return torch.arange(self.masks.shape[1], device=self.masks.device).repeat(len(self.masks), 1)
        return list_legal(self.masks)

    def column_of(self, actions: Tensor) -> Tensor:
        """(B,) int64, where each of (B,) legal actions is in its row of `legal`."""
        return torch.searchsorted(self.legal, actions[:, None])[:, 0]


def estimate_advantages(
    values: np.ndarray, rewards: np.ndarray, seats: np.ndarray, dones: np.ndarray, gamma: float, gae_lambda: float
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimation (Schulman et al., arXiv:1506.02438); each seat's decisions are a trajectory.

    A seat's rewards until its next decision count for its last one, whoever moved when they were paid. A seat's last
    decision in a rollout has no successor yet: it bootstraps the one before and has no advantage itself.

    Args:
        values: (T, N) predicted return of the seat to move.
        rewards: (T, N, seats) of each step.
        seats: (T, N) the seat that moves.
        dones: (T, N) whether the step ended an episode.
        gamma: Discount for each of a seat's own decisions.
        gae_lambda: Weight of later errors.

    Returns:
        advantages: (T, N) float32, 0 where not valid.
        valid: (T, N) bool.
    """
    advantages, valid = np.zeros(values.shape, np.float32), np.zeros(values.shape, np.int8)
    discounts = np.array([gamma, gamma * gae_lambda], np.float32)
    memory = np.zeros((3, *rewards.shape[1:]), np.float32), np.zeros(rewards.shape[1:], np.int8)
    _write_advantages(values, rewards, seats, dones.view(np.int8), discounts, *memory, advantages, valid)
    return advantages, valid.view(bool)


@entry("policy")
def _write_advantages(values, rewards, seats, dones, discounts, *written):  # type: ignore[no-untyped-def]
    """From the last step to the first, with what follows for each seat: its rewards, its value, its advantage."""
    following, has_next, advantages, valid = written
    gamma, gamma_lambda = discounts[0], discounts[1]
    for step in range(values.shape[0] - 1, -1, -1):
        for game in range(values.shape[1]):
            for seat in range(rewards.shape[2]):
                if dones[step, game]:
                    following[0, game, seat] = following[1, game, seat] = following[2, game, seat] = 0.0
                    has_next[game, seat] = True
                following[0, game, seat] += rewards[step, game, seat]
            mover, value = seats[step, game], values[step, game]
            valid[step, game] = has_next[game, mover]
            if has_next[game, mover]:
                td_error = following[0, game, mover] + gamma * following[1, game, mover] - value
                advantages[step, game] = td_error + gamma_lambda * following[2, game, mover]
            following[1, game, mover], following[2, game, mover] = value, advantages[step, game]
            following[0, game, mover] = 0.0
            has_next[game, mover] = True
