"""Experience: rollouts of many games, played by the network, snapshots of it and other agents. It knows no loss."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from w51_env.agents.agent import AgentError
from w51_env.agents.policies.network import ILLEGAL, network_class
from w51_env.agents.policies.policy_agent import ActorCriticAgent
from w51_env.agents.training.categorical import sample
from w51_env.agents.training.games import LEARNER, BotActions, EnvGroup, SelfPlayGames
from w51_env.agents.training.learner_settings import GameKind, LearnerConfig, LearnerSettings
from w51_env.agents.training.model import LearnerModel
from w51_env.agents.training.pool import Pool
from w51_env.agents.training.shaping import ShapedRewards
from w51_env.agents.training.trainer import outcome_means
from w51_env.core.game import Game
from w51_env.system.agent_seeds import agent_seed


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
    values: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    is_learner: np.ndarray  #  the network decided, not an opponent; or it learns from a snapshot
    targets: Tensor | None  #  probabilities of the policies that decided, float32

    @classmethod
    def empty(cls, num_steps: int, games: SelfPlayGames, device: torch.device) -> "Rollout":
        """Arrays for `num_steps` decisions in each game; with targets where snapshots are learned from."""
        size = (num_steps, games.num_envs)
        actions = games.mask.shape[1]
        dtype = torch.from_numpy(games.network_inputs).dtype
        inputs = torch.zeros((*size, games.inputs.size), dtype=dtype, device=device)
        length = games.observation.shape[1]
        return cls(
            inputs=inputs,
            observations=inputs[..., :length]
            if games.inputs.contain_observations and device.type == "cpu"
            else torch.zeros((*size, length), dtype=torch.int8),
            all_observations=torch.zeros((*size, games.all_observations.shape[1]), dtype=torch.int8, device=device),
            masks=torch.zeros((*size, actions), dtype=torch.bool, device=device),
            base_actions=torch.zeros(size, dtype=torch.int64, device=device),
            actions=torch.zeros(size, dtype=torch.int64, device=device),
            logprobs=torch.zeros(size, device=device),
            values=np.zeros(size, np.float32),
            seats=np.zeros(size, np.int64),
            rewards=np.zeros((*size, games.num_seats), np.float32),
            dones=np.zeros(size, bool),
            is_learner=np.zeros(size, bool),
            targets=torch.zeros((*size, actions), device=device) if games.is_mixture.any() else None,
        )


@dataclass
class Minibatch(Decisions):
    """Decisions of a rollout, flattened to (B, ...), on the device of the network.

    Attributes:
        advantages, returns: (B,) float32.
        extra: More arrays with one row for each decision, of `Learner.extra_rows`.
    """

    advantages: Tensor
    returns: Tensor
    extra: dict[str, Tensor] = field(default_factory=dict)

    def select(self, rows: Tensor) -> "Minibatch":
        """Some of the rows."""
        parts = {name: part[rows] for name, part in vars(self).items() if name != "extra"}
        return Minibatch(**parts, extra={name: part[rows] for name, part in self.extra.items()})


class Experience:
    """Collects rollouts.

    Args:
        config: The config.
        games: The games.
        model: The network that plays.
        pool: Snapshots as opponents.
        generator: Draws the actions.

    Attributes:
        games, pool: The games; the snapshots.
        rollout: The last rollout.

    Raises:
        AgentError: Shaping that cannot be used.
        OptionError: A base policy that does not exist.
    """

    def __init__(
        self, config: LearnerConfig, games: SelfPlayGames, model: LearnerModel, pool: Pool, generator: torch.Generator
    ):
        settings: LearnerSettings = config.settings
        self.games = games
        self.pool = pool
        self.rollout = Rollout.empty(settings.num_steps, games, model.device)
        self._base_policy = BotActions(settings.base_policy, games) if settings.base_policy else None
        self._seed = config.seed
        self._model = model
        self._generator = generator
        for agent in games.agents:
            if isinstance(agent, ActorCriticAgent):
                agent.to(model.device)
        games.reset(self.pool.weights())
        self._shaped = ShapedRewards(settings.shaping, games) if settings.shaping else None

    @torch.no_grad()
    def collect(self, update: int) -> dict[str, Any]:
        """Fill the rollout with decisions; returns the fields of `Update` on games that ended.

        Args:
            update: Number of the update; it seeds agents that draw.
        """
        games, rollout, pool = self.games, self.rollout, self.pool
        for index, agent in enumerate(games.agents):
            seed = np.random.SeedSequence((self._seed, update, index)).generate_state(1, np.uint64)[0]
            agent.reset(agent_seed(agent, int(seed), "training", self._seed, update, index))
        if self._shaped is not None:
            self._shaped.begin()
        outcomes = [np.zeros((0, 3))]
        values = torch.zeros(rollout.values.shape, device=self._model.device)
        with ExitStack() as stack:
            for network in (self._model.network, *pool.networks):
                stack.enter_context(network.torso.cached_weights(self._model.dtype))
            for step in range(len(values)):
                self._observe(step)
                policy = games.policy_to_move()
                rollout.actions[step], rollout.logprobs[step], values[step] = self._act(step, policy)
                rollout.seats[step] = games.seat
                rollout.is_learner[step] = (policy == LEARNER) | games.is_mixture
                games.step(rollout.actions[step].cpu().numpy(), pool.weights())
                rollout.rewards[step] = games.rewards
                rollout.dones[step] = games.done
                if self._shaped is not None:
                    rollout.rewards[step] += self._shaped.terms()
                if games.done.any():
                    outcomes.append(games.outcomes())
                    slots, wins = games.pool_outcomes()
                    pool.record(slots, 1.0 - wins)
        rollout.values[:] = self._model.value_head.denormalize(values).cpu().numpy()
        return outcome_means(np.concatenate(outcomes))

    def _observe(self, step: int) -> None:
        """Write what the seats to move observe into one step of the rollout."""
        games, rollout = self.games, self.rollout
        rollout.inputs[step] = torch.from_numpy(games.network_inputs)
        if not games.inputs.contain_observations or self._model.device.type != "cpu":
            rollout.observations[step] = torch.from_numpy(games.observation)
        rollout.all_observations[step] = torch.from_numpy(games.all_observations)
        rollout.masks[step] = torch.from_numpy(games.mask)
        if self._base_policy is not None:
            base_actions = self._base_policy(games.observation[None], games.mask[None])[0]
            rollout.base_actions[step] = torch.from_numpy(base_actions)

    def _act(self, step: int, policy: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (N,), their log-probabilities (N,) and normalised values (N,) of one step of the rollout.

        Args:
            step: The step; its inputs, masks and base actions are in the rollout.
            policy: (N,) int64, the policy that decides each game: the network, a snapshot, or another agent.
        """
        rollout, games, device = self.rollout, self.games, self._model.device
        is_mine = (policy == LEARNER) | games.is_mixture
        mine = slice(None) if is_mine.all() else torch.from_numpy(np.flatnonzero(is_mine)).to(device)
        parts = rollout.inputs[step], rollout.masks[step], rollout.base_actions[step]
        of_network, of_values = self._model.forward(*(part[mine] for part in (*parts, rollout.all_observations[step])))
        logits = torch.where(rollout.masks[step], 0.0, ILLEGAL)  # of those who decide otherwise
        values = of_values.new_zeros(len(policy))
        logits[mine], values[mine] = of_network, of_values
        for slot in np.unique(policy[policy > LEARNER]):
            rows = torch.from_numpy(np.flatnonzero(policy == slot)).to(device)
            logits[rows] = self._model.logits_of(self.pool.networks[slot - 1], *(part[rows] for part in parts))
        probabilities = torch.softmax(logits, 1)
        if rollout.targets is not None:
            rollout.targets[step] = probabilities
        actions = sample(probabilities, self._generator)
        for number, agent in enumerate(games.agents, 1):
            others = np.flatnonzero(policy == -number)
            if len(others):
                chosen = agent.act_batch(games.observation[others], games.mask[others])
                actions[torch.from_numpy(others).to(device)] = torch.as_tensor(np.asarray(chosen, np.int64)).to(device)
        return actions, probabilities.gather(1, actions[:, None])[:, 0].log(), values


def make_games(config: LearnerConfig, game: Game) -> SelfPlayGames:
    """The games of a config.

    Raises:
        AgentError, OptionError: A game or an opponent that does not exist; shaping with a discount.
    """
    settings: LearnerSettings = config.settings
    if settings.shaping is not None and settings.gamma != 1.0:
        raise AgentError(f"{config.section}.shaping: needs gamma=1.0, but it is {settings.gamma}")
    inputs = {
        "heuristic_features": settings.heuristic_features,
        "hidden_slices": settings.hidden_slices,
        "items": network_class(settings.network).reads_items,
    }
    return SelfPlayGames(
        [group for kind in settings.games for group in _groups(kind, game)],
        config.seed,
        config.threads,
        inputs,
        see_all=settings.critic == "centralized",
    )


def _groups(kind: GameKind, game: Game) -> Iterator[EnvGroup]:
    """The games of a kind, shared out among the values of the options that vary."""
    values = list(product(*kind.vary.values()))
    for number, chosen in enumerate(values):
        count = (kind.num_envs * (number + 1)) // len(values) - (kind.num_envs * number) // len(values)
        options = {**game.options, "num_players": kind.num_players, **dict(zip(kind.vary, chosen, strict=True))}
        if count:
            yield EnvGroup(game.make(**options), count, kind.opponents)
