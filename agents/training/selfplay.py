"""Self-play PPO from top to bottom: collect a rollout, estimate advantages, minimise the loss over minibatches.

Proximal policy optimisation (Schulman et al., arXiv:1707.06347) with masks of illegal actions (Huang and Ontanon,
arXiv:2006.14171), in games where seats take turns. One network plays and learns from many seats; `config.SelfPlay` has
all hyperparameters. Beside this file: `games` (the environments), `pool` (past snapshots as opponents), `categorical`
(sampling, log-probabilities, entropies) and `policies.network` (actor and critics).
"""

from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_env.agents.agent import Agent, AgentError
from w51_env.agents.policies.agent import ActorCriticAgent
from w51_env.agents.policies.load import existing_checkpoint
from w51_env.agents.policies.network import (
    ActorCritic,
    CentralizedCritic,
    ValueHead,
    load_network,
    save_network,
    set_weights,
    weights_of,
)
from w51_env.agents.training.categorical import logprobs_and_entropies, sample
from w51_env.agents.training.config import FINAL_RATE, TrainingConfig
from w51_env.agents.training.games import LEARNER, BotActions, SelfPlayGames
from w51_env.agents.training.pool import Pool
from w51_env.agents.training.state import State, check_like, optimizer_state, restore_optimizer
from w51_env.agents.training.trainer import Update, outcome_means
from w51_env.core.game import Game
from w51_env.system.agent_seeds import agent_seed

_STATS_EVERY = 8  #  steps of a rollout: one of them enters the statistics of the inputs
_RETURN_STATS_RATE = 0.05  #  of an update's returns in the units of values


@dataclass
class Decisions:
    """Inputs, masks, actions and log-probabilities of decisions: arrays with one row for each decision."""

    inputs: Tensor
    all_observations: Tensor
    masks: Tensor
    base_actions: Tensor
    actions: Tensor
    logprobs: Tensor


@dataclass
class Rollout(Decisions):
    """The experience between two updates: arrays (T, N, ...), one row for each decision."""

    values: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    is_learner: np.ndarray  #  the network decided, not an opponent

    @classmethod
    def empty(cls, num_steps: int, games: SelfPlayGames, num_inputs: int) -> "Rollout":
        """Arrays for `num_steps` decisions in each game."""
        size = (num_steps, games.num_envs)
        return cls(
            inputs=torch.zeros((*size, num_inputs), dtype=torch.int8),
            all_observations=torch.zeros((*size, games.all_observations.shape[1]), dtype=torch.int8),
            masks=torch.zeros((*size, games.mask.shape[1]), dtype=torch.bool),
            base_actions=torch.zeros(size, dtype=torch.int64),
            actions=torch.zeros(size, dtype=torch.int64),
            logprobs=torch.zeros(size),
            values=np.zeros(size, np.float32),
            seats=np.zeros(size, np.int64),
            rewards=np.zeros((*size, games.num_seats), np.float32),
            dones=np.zeros(size, bool),
            is_learner=np.zeros(size, bool),
        )


@dataclass
class Minibatch(Decisions):
    """Decisions of a rollout, flattened to (B, ...), on the device of the network."""

    advantages: Tensor
    returns: Tensor
    teacher_actions: Tensor | None

    def select(self, rows: Tensor, device: torch.device) -> "Minibatch":
        """Some of the rows, on a device."""
        parts = {name: None if part is None else part[rows].to(device) for name, part in vars(self).items()}
        return Minibatch(**parts)  # type: ignore[arg-type]


class SelfPlayTrainer:
    """The trainer `selfplay`; see `w51_env.agents.training.trainer.Trainer` for the methods of all trainers.

    Raises:
        AgentError, OptionError: A game, an opponent or a bot that does not exist, or no GPU for `cuda`.
    """

    def __init__(self, config: TrainingConfig, game: Game):
        torch.manual_seed(config.seed)
        self.config = config
        self.settings = settings = config.selfplay
        self.game = game
        self.games = SelfPlayGames(
            [
                (game.make(**{**game.options, "num_players": kind.num_players}), kind.num_envs, kind.opponents)
                for kind in settings.games
            ],
            config.seed,
            config.threads,
            settings.heuristic_features,
            see_all=settings.critic == "centralized",
        )
        self.device = torch.device(settings.device)
        if self.device.type == "cuda" and (self.device.index or 0) >= (count := torch.cuda.device_count()):
            found = f"finds {count or 'no'} GPU{'s' * (count > 1)} here"
            raise AgentError(f"selfplay.device: {settings.device!r}, but PyTorch {found}; cpu is possible")
        self.dtype = torch.bfloat16 if settings.precision == "bfloat16" else torch.float32
        self.network = ActorCritic(game, settings.hidden_sizes, settings.base_policy, settings.heuristic_features).to(
            self.device
        )
        if settings.start is not None:
            start = load_network(game, existing_checkpoint(settings.start, game))
            load_start(self.network, start, settings.start)
        self.critic: CentralizedCritic | None = None
        parameters = list(self.network.parameters())
        if settings.critic == "centralized":
            num_inputs = self.games.all_observations.shape[1]
            self.critic = CentralizedCritic(num_inputs, settings.hidden_sizes).to(self.device)
            parameters += self.critic.parameters()
        self.moving_average = deepcopy(self.network).requires_grad_(False) if settings.average_kl else None
        self.optimizer = torch.optim.Adam(parameters, settings.learning_rate, eps=1e-5)
        self.pool = Pool(settings.pool, settings.pool_every)
        self.teacher = BotActions(settings.teacher, self.games) if settings.teacher else None
        self.base_policy = BotActions(settings.base_policy, self.games) if settings.base_policy else None
        self.rollout = Rollout.empty(settings.num_steps, self.games, self.network.torso.first.in_features)
        self.generator = torch.Generator().manual_seed(config.seed)
        self.decisions = 0
        self.updates = 0
        self.games.reset(self.pool.weights())

    # ---- one update

    def update(self) -> Update:
        """Collect a rollout, estimate advantages, learn; then update running statistics, moving average and pool."""
        settings, rollout = self.settings, self.rollout
        progress = min(1.0, self.decisions / self.config.decisions)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1.0 - (1.0 - FINAL_RATE) * progress)
        outcomes = self.collect()
        advantages, valid = estimate_advantages(
            rollout.values, rollout.rewards, rollout.seats, rollout.dones, settings.gamma, settings.gae_lambda
        )
        rows = torch.from_numpy(np.flatnonzero(valid & rollout.is_learner))
        returns = torch.from_numpy(advantages + rollout.values).flatten()
        losses: dict[str, Any] = dict.fromkeys(("entropy", "value_loss", "approx_kl"), float("nan"))
        if len(rows):  # a short rollout may contain no decision with a valid advantage
            rate = _RETURN_STATS_RATE if self.updates else 1.0
            self.value_head.update_stats(returns[rows].to(self.device), rate)
            losses = self.learn(torch.from_numpy(advantages).flatten(), returns, rows, progress)
        self.update_input_stats()
        self.update_moving_average()
        self.pool.add_snapshot(self.network, self.updates)
        self.updates += 1
        self.decisions += len(rows)
        return Update(self.decisions, **outcomes, **losses)

    @torch.no_grad()
    def collect(self) -> dict[str, Any]:
        """Fill the rollout with decisions; returns the fields of `Update` on games that ended."""
        games, rollout, pool = self.games, self.rollout, self.pool
        for index, agent in enumerate(games.agents):
            seed = np.random.SeedSequence((self.config.seed, self.updates, index)).generate_state(1, np.uint64)[0]
            agent.reset(agent_seed(agent, int(seed), "training", self.config.seed, self.updates, index))
        outcomes = [np.zeros((0, 3))]
        with ExitStack() as stack:
            for network in (self.network, *pool.networks):
                stack.enter_context(network.torso.cached_weights(self.dtype))
            for step in range(len(rollout.values)):
                rollout.inputs[step] = torch.from_numpy(games.network_inputs())
                rollout.all_observations[step] = torch.from_numpy(games.all_observations)
                rollout.masks[step] = torch.from_numpy(games.mask)
                if self.base_policy is not None:
                    base_actions = self.base_policy(games.observation[None], games.mask[None])[0]
                    rollout.base_actions[step] = torch.from_numpy(base_actions)
                policy = games.policy_to_move()
                actions, logprobs, values = self.act(step, policy)
                rollout.actions[step] = actions
                rollout.logprobs[step] = logprobs
                rollout.values[step] = self.value_head.denormalize(values).cpu().numpy()
                rollout.seats[step] = games.seat
                rollout.is_learner[step] = policy == LEARNER
                games.step(actions.numpy(), pool.weights())
                rollout.rewards[step] = games.rewards
                rollout.dones[step] = games.done
                if games.done.any():
                    outcomes.append(games.outcomes())
                    slots, wins = games.pool_outcomes()
                    pool.record(slots, 1.0 - wins)
        return outcome_means(np.concatenate(outcomes))

    def act(self, step: int, policy: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (N,), their log-probabilities (N,) and normalised values (N,) of one step of the rollout.

        Args:
            step: The step; its inputs, masks and base actions are in the rollout.
            policy: (N,) int64, the policy that decides each game: the network, a snapshot, or another agent.
        """
        rollout, games = self.rollout, self.games
        inputs, masks, base_actions = rollout.inputs[step], rollout.masks[step], rollout.base_actions[step]
        logits, values = self.forward(inputs, masks, base_actions, rollout.all_observations[step])
        logits = logits.cpu()
        for slot in np.unique(policy[policy > LEARNER]):
            rows = torch.from_numpy(np.flatnonzero(policy == slot))
            snapshot = self.pool.networks[slot - 1]
            with self.autocast():
                shown = (part[rows].to(self.device) for part in (inputs, masks, base_actions))
                logits[rows] = snapshot(*shown)[0].cpu()
        probabilities = torch.softmax(logits, 1)
        actions = sample(probabilities, self.generator)
        for number, agent in enumerate(games.agents, 1):
            others = np.flatnonzero(policy == -number)
            if len(others):
                chosen = agent.act_batch(games.observation[others], games.mask[others])
                actions[torch.from_numpy(others)] = torch.as_tensor(np.asarray(chosen, np.int64))
        return actions, probabilities.gather(1, actions[:, None])[:, 0].log(), values

    def learn(self, advantages: Tensor, returns: Tensor, rows: Tensor, progress: float) -> dict[str, float]:
        """Gradient steps on the decisions `rows`; returns the mean losses of the last epoch.

        Args:
            advantages: (T * N,) float32.
            returns: (T * N,) float32.
            rows: (B,) int64, the decisions to learn from.
            progress: Part of the training that is done, for the schedules.
        """
        settings, rollout = self.settings, self.rollout
        ent_coef = settings.ent_coef + progress * (settings.final_ent_coef - settings.ent_coef)
        teacher_coef = settings.teacher_weight * max(0.0, 1.0 - progress / settings.teacher_until)
        teacher_actions = None
        if self.teacher is not None and teacher_coef:
            observations = rollout.inputs[..., : self.game.layout.size].numpy()
            teacher_actions = torch.from_numpy(self.teacher(observations, rollout.masks.numpy())).flatten()
        parts = {part.name: getattr(rollout, part.name).flatten(0, 1) for part in fields(Decisions)}
        batch = Minibatch(**parts, advantages=advantages, returns=returns, teacher_actions=teacher_actions)
        losses: list[tuple[float, ...]] = []
        for epoch in range(settings.update_epochs):
            order = rows[torch.randperm(len(rows), generator=self.generator)]
            for chosen in order.split(settings.minibatch_size):
                loss, *measured = self.loss(batch.select(chosen, self.device), ent_coef, teacher_coef)
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.optimizer.param_groups[0]["params"], settings.max_grad_norm)
                self.optimizer.step()
                if epoch == settings.update_epochs - 1:
                    losses.append(tuple(value.item() for value in measured))
        return dict(zip(("entropy", "value_loss", "approx_kl"), np.mean(losses, axis=0).tolist(), strict=True))

    def loss(self, batch: Minibatch, ent_coef: float, teacher_coef: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The loss of a minibatch, and its entropy, value loss and approximate KL divergence."""
        settings = self.settings
        logits, values = self.forward(batch.inputs, batch.masks, batch.base_actions, batch.all_observations)
        logprobs, entropies = logprobs_and_entropies(logits, batch.actions)
        log_ratio = logprobs - batch.logprobs
        ratio = torch.exp(log_ratio)
        # A minibatch may be a single decision: no correction of the deviation.
        deviation = batch.advantages.std(correction=0) + 1e-8
        advantages = (batch.advantages - batch.advantages.mean()) / deviation
        clipped = ratio.clamp(1.0 - settings.clip_range, 1.0 + settings.clip_range)
        surrogate = torch.min(ratio * advantages, clipped * advantages).mean()
        value_loss = functional.mse_loss(values, self.value_head.normalize(batch.returns))
        entropy = entropies.mean()
        loss = 0.5 * value_loss - surrogate - ent_coef * entropy
        if batch.teacher_actions is not None:
            loss = loss + teacher_coef * functional.cross_entropy(logits, batch.teacher_actions)
        if self.moving_average is not None:
            loss = loss + settings.average_kl * self.average_kl(logits, batch.inputs, batch.masks, batch.base_actions)
        return loss, entropy, value_loss, -log_ratio.mean()

    def average_kl(self, logits: Tensor, *inputs: Tensor) -> Tensor:
        """Mean KL divergence of the policy from the one with averaged weights, on the same inputs of `ActorCritic`."""
        assert self.moving_average is not None
        with torch.no_grad(), self.autocast():
            average = torch.log_softmax(self.moving_average(*inputs)[0], 1)
        return (torch.softmax(logits, 1) * (torch.log_softmax(logits, 1) - average)).sum(1).mean()

    def forward(
        self, inputs: Tensor, masks: Tensor, base_actions: Tensor, all_observations: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) and normalised values (B,), these of the centralized critic if there is one."""
        with self.autocast():
            logits, values = self.network(inputs.to(self.device), masks.to(self.device), base_actions.to(self.device))
            if self.critic is not None:
                values = self.critic(all_observations.to(self.device))
        return logits, values

    def autocast(self) -> torch.autocast:
        """Matrix products in the precision of the config."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    @torch.no_grad()
    def update_input_stats(self) -> None:
        """Include inputs of this rollout in the normalisation."""
        inputs = self.rollout.inputs[::_STATS_EVERY].flatten(0, 1)
        self.network.torso.update_stats(inputs.to(self.device))
        if self.critic is not None:
            all_observations = self.rollout.all_observations[::_STATS_EVERY].flatten(0, 1)
            self.critic.torso.update_stats(all_observations.to(self.device))

    @torch.no_grad()
    def update_moving_average(self) -> None:
        """Move the averaged weights towards those of the network."""
        if self.moving_average is not None:
            pairs = zip(self.moving_average.state_dict().values(), self.network.state_dict().values(), strict=True)
            for average, current in pairs:
                average.lerp_(current, self.settings.average_rate)

    @property
    def value_head(self) -> ValueHead:
        """The head that predicts values."""
        return (self.critic or self.network).value

    # ---- agent, checkpoint and state

    def agent(self, game: Game) -> Agent:
        return ActorCriticAgent(game, deepcopy(self.network).cpu().requires_grad_(False))

    def write_checkpoint(self, path: Path) -> None:
        save_network(self.network, self.game, path)

    def modules(self) -> dict[str, nn.Module]:
        """All networks but those of the pool."""
        named = {"network": self.network, "critic": self.critic, "moving_average": self.moving_average}
        return {name: module for name, module in named.items() if module is not None}

    def state(self) -> State:
        state = State(
            {"generator": self.generator.get_state().numpy().copy()},
            {"decisions": self.decisions, "updates": self.updates},
        )
        for name, module in self.modules().items():
            state.include(name, State(weights_of(module)))
        state.include("optimizer", optimizer_state(self.optimizer))
        state.include("pool", self.pool.state())
        state.include("games", self.games.state())
        return state

    def restore(self, state: State) -> None:
        # The pool and the optimizer grow with the training; all else is as in a new trainer.
        self.pool.restore(state.part("pool"), self.network)
        restore_optimizer(self.optimizer, state.part("optimizer"))
        check_like(state, self.state())
        self.decisions, self.updates = state.facts["decisions"], state.facts["updates"]
        self.generator.set_state(torch.from_numpy(state.arrays["generator"]))
        for name, module in self.modules().items():
            set_weights(module, state.part(name).arrays)
        self.games.restore(state.part("games"), len(self.pool.networks))

    def close(self) -> None:
        self.games.close()


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
    steps, games = values.shape
    rows = np.arange(games)
    advantages = np.zeros((steps, games), np.float32)
    valid = np.zeros((steps, games), bool)
    shape = (games, rewards.shape[2])
    reward_sum, next_value, next_advantage = (np.zeros(shape, np.float32) for _ in range(3))
    has_next = np.zeros(shape, bool)
    for step in range(steps - 1, -1, -1):
        over = dones[step]
        reward_sum[over] = 0.0
        next_value[over] = 0.0
        next_advantage[over] = 0.0
        has_next[over] = True
        reward_sum += rewards[step]
        own = rows, seats[step]
        valid[step] = has_next[own]
        td_error = reward_sum[own] + gamma * next_value[own] - values[step]
        advantages[step] = np.where(valid[step], td_error + gamma * gae_lambda * next_advantage[own], 0.0)
        next_value[own], next_advantage[own], reward_sum[own], has_next[own] = values[step], advantages[step], 0.0, True
    return advantages, valid


def load_start(network: ActorCritic, start: ActorCritic, source: str) -> None:
    """Load the weights of another network; heuristic features that it does not have begin with weight 0.

    Raises:
        AgentError: The shapes differ.
    """
    if network.shape not in (start.shape, {**start.shape, "heuristic_features": True}):
        raise AgentError(f"selfplay.start: {source} has {start.shape}, but the config {network.shape}")
    weights = start.state_dict()
    added = network.torso.first.in_features - start.torso.first.in_features
    for name, fill in (("first.weight", 0.0), ("mean", 0.0), ("mean_square", 1.0), ("count", 0.0)):
        weights[f"torso.{name}"] = functional.pad(weights[f"torso.{name}"], (0, added), value=fill)
    network.load_state_dict(weights)
