"""Base class of trainers with a loss: one update from experience to new weights, and a state to continue from."""

from copy import deepcopy
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from w51_agents.agent import Agent
from w51_agents.policies.network import ActorCritic, save_network, set_weights, weights_of
from w51_agents.policies.policy_agent import ActorCriticAgent
from w51_agents.policies.torch_settings import own_settings
from w51_agents.training.advantages import estimate_advantages
from w51_agents.training.experience import Experience, make_games
from w51_agents.training.gradients import mean_gradients
from w51_agents.training.learner_settings import LearnerConfig, LearnerSettings
from w51_agents.training.model import LearnerModel, device_of
from w51_agents.training.pool import make_pool
from w51_agents.training.rollout import Minibatch
from w51_agents.training.settings import FINAL_RATE
from w51_agents.training.threads import make_threads
from w51_agents.training.trainer import Update
from w51_agents.training.trainer_state import TrainerState, generator_state, optimizer_state, restore_optimizer
from w51_env.engine.game import Game

_RETURN_STATS_RATE = 0.05  #  of an update's returns in the units of values

AnySettings = TypeVar("AnySettings", bound=LearnerSettings)


class Losses(NamedTuple):
    """What `Learner.loss` returns: scalars on a minibatch.

    Attributes:
        total: The loss, of which the gradient is taken.
        entropy: Mean entropy of the policy, in nats.
        value_loss: Mean squared error of normalised values.
        approx_kl: Approximate KL divergence of the policy from the one that played.
    """

    total: Tensor
    entropy: Tensor
    value_loss: Tensor
    approx_kl: Tensor


class Learner(Generic[AnySettings]):
    """A trainer that minimises a loss over minibatches of experience; see `trainer.Trainer` for its public methods.

    A subclass has a `loss`. It may add rows for the loss (`extra_rows`), networks (`modules`), and work at the end of
    an update (`finish_update`); its `policy` may be another network than the one that learns.

    Args:
        config: The config.
        game: The game.

    Attributes:
        rows_at_once: Rows of a minibatch of which one thread computes the loss, on a processor; None: all. A loss that
            is a mean over rows, and draws nothing, may be computed in parts.
        settings: The section of the config.
        model, experience, optimizer: The network and its critic; games and rollouts; Adam.
        generator: Draws actions and the order of minibatches.
        decisions, updates: Decisions learned from, and updates, so far.

    Raises:
        AgentError, OptionError: A game, an opponent, a bot, a class or a device that does not exist.
    """

    rows_at_once: ClassVar[int | None] = None

    def __init__(self, config: LearnerConfig, game: Game):
        torch.manual_seed(config.seed)
        self.config = config
        self.settings: AnySettings = config.settings
        self.game = game
        games = make_games(config, game, device_of(config))
        self.model = LearnerModel(config, game, games.num_all_observations)
        self._threads = make_threads(config.threads)
        self.generator = torch.Generator(self.model.device).manual_seed(config.seed)
        pool = make_pool(self.settings, game, self.model.network)
        self.experience = Experience(config, games, self.model, pool, self.generator, self._threads)
        self.optimizer = torch.optim.Adam(self.model.parameters(), self.settings.learning_rate, eps=1e-5, fused=True)
        self.decisions = 0
        self.updates = 0

    # ---- what a subclass defines

    def loss(self, minibatch: Minibatch, progress: float) -> Losses:
        """The loss of a minibatch.

        Args:
            minibatch: Decisions of the network, with advantages and returns.
            progress: Part of the training that is done, 0 to 1, for schedules.
        """
        raise NotImplementedError

    def extra_rows(self, progress: float) -> dict[str, Tensor]:
        """(T * N, ...) tensors, one row for each decision of the rollout, for `Minibatch.extra`."""
        return {}

    def finish_update(self) -> None:
        """Called after the last gradient step of each update, before `updates` counts it."""

    def modules(self) -> dict[str, nn.Module]:
        """All networks but those of the pool, by name; they are saved in the state."""
        return self.model.modules()

    @property
    def policy(self) -> ActorCritic:
        """The network that is evaluated and kept in checkpoints."""
        return self.model.network

    def frozen_copy(self) -> ActorCritic:
        """A copy of the network as it is now, which does not learn."""
        return deepcopy(self.model.network).requires_grad_(False)

    # ---- one update

    @own_settings()
    def update(self) -> Update:
        """Collect a rollout, estimate advantages, learn; then update running statistics and the pool."""
        settings, rollout = self.settings, self.experience.rollout
        progress = min(1.0, self.decisions / self.config.decisions)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1.0 - (1.0 - FINAL_RATE) * progress)
        outcomes = self.experience.collect(self.updates)
        advantages, valid = estimate_advantages(
            rollout.values, rollout.rewards, rollout.seats, rollout.dones, settings.gamma, settings.gae_lambda
        )
        device = self.model.device
        rows = torch.from_numpy(np.flatnonzero(valid & rollout.is_learner)).to(device)
        returns = torch.from_numpy(advantages + rollout.values).flatten().to(device)
        losses: dict[str, Any] = dict.fromkeys(Losses._fields[1:], float("nan"))
        if len(rows):  # a short rollout may contain no decision with a valid advantage
            rate = _RETURN_STATS_RATE if self.updates else 1.0
            self.model.value_head.update_stats(returns[rows], rate)
            losses = self.learn(torch.from_numpy(advantages).flatten().to(device), returns, rows, progress)
        self.model.update_input_stats(rollout.inputs, rollout.all_observations)
        self.finish_update()
        self.experience.pool.add_snapshot(self.model.network, self.updates)
        self.updates += 1
        self.decisions += len(rows)
        return Update(self.decisions, **outcomes, **losses)

    def learn(self, advantages: Tensor, returns: Tensor, rows: Tensor, progress: float) -> dict[str, float]:
        """Gradient steps on the decisions `rows`; returns the mean losses of the last epoch.

        Args:
            advantages: (T * N,) float32.
            returns: (T * N,) float32.
            rows: (B,) int64, the decisions to learn from.
            progress: Part of the training that is done, for the schedules.
        """
        settings = self.settings
        batch = Minibatch.of(self.experience.rollout, advantages, returns, self.extra_rows(progress))
        parameters = self.optimizer.param_groups[0]["params"]
        measured: list[Tensor] = []
        for epoch in range(settings.update_epochs):
            order = rows[torch.randperm(len(rows), generator=self.generator, device=rows.device)]
            for chosen in order.split(settings.minibatch_size):
                means = self.set_gradients(batch, chosen, progress)
                nn.utils.clip_grad_norm_(parameters, settings.max_grad_norm)
                self.optimizer.step()
                if epoch == settings.update_epochs - 1:
                    measured.append(means)
        return dict(zip(Losses._fields[1:], torch.stack(measured).double().mean(0).tolist(), strict=True))

    def set_gradients(self, batch: Minibatch, rows: Tensor, progress: float) -> Tensor:
        """Set the gradients of all parameters to those of `loss` over some rows.

        Args:
            batch: All decisions of the rollout.
            rows: (B,) int64, a minibatch.
            progress: As for `loss`.

        Returns:
            (3,) the means of `Losses` without the total.
        """
        batch.standardize(rows)
        at_once = self.rows_at_once if self.rows_at_once and self.model.device.type == "cpu" else len(rows)
        parameters = self.optimizer.param_groups[0]["params"]
        losses = mean_gradients(
            lambda part: self.loss(batch.select(part), progress), rows.split(at_once), parameters, self._threads
        )
        return losses[1:]

    # ---- agent, checkpoint and state

    def agent(self, game: Game) -> Agent:
        return ActorCriticAgent(game, deepcopy(self.policy).requires_grad_(False).cpu())

    def write_checkpoint(self, path: Path) -> None:
        save_network(self.policy, self.game, path)

    def state(self) -> TrainerState:
        state = TrainerState(
            {"generator": self.generator.get_state().numpy().copy()},
            {"decisions": self.decisions, "updates": self.updates},
        )
        for name, module in self.modules().items():
            state.include(name, TrainerState(weights_of(module)))
        state.include("optimizer", optimizer_state(self.optimizer))
        state.include("pool", self.experience.pool.state())
        state.include("games", self.experience.games.state())
        return state

    @own_settings()
    def restore(self, state: TrainerState) -> None:
        # The pool and the optimizer grow with the training; all else is as in a new trainer.
        pool = self.experience.pool
        pool.restore(state.part("pool"), self.model.network)
        restore_optimizer(self.optimizer, state.part("optimizer"))
        state.check_like(self.state())
        self.decisions, self.updates = state.facts["decisions"], state.facts["updates"]
        with generator_state("generator"):
            self.generator.set_state(torch.from_numpy(state.arrays["generator"]))
        for name, module in self.modules().items():
            set_weights(module, state.part(name).arrays)
        self.experience.games.restore(state.part("games"), len(pool.networks))

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()
        self.experience.games.close()
