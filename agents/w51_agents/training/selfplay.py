"""The trainer `selfplay`: proximal policy optimisation (Schulman et al., arXiv:1707.06347) in games of many seats.

`Learner.update` is an update from top to bottom: it collects a rollout, estimates advantages, and minimises a loss over
minibatches; `SelfPlayTrainer.loss` is the loss. Illegal actions are masked (Huang and Ontanon, arXiv:2006.14171).
`rollout` has arrays and minibatches, `player` who decides, `model` gradients, `learner_settings` all hyperparameters.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.agent.interface import AgentError
from w51_agents.networks.network import ActorCritic
from w51_agents.system.memory import keep_freed_memory
from w51_agents.training.compiled_check import check_compiled_code
from w51_agents.training.games import seed_agents
from w51_agents.training.learner_settings import ROWS_AT_ONCE, LearnerConfig
from w51_agents.training.model import update_average
from w51_agents.training.objective import (
    estimate_advantages,
    explained_variance,
    kl_divergence,
    logprobs_and_entropies,
    style_loss,
)
from w51_agents.training.player import Player, play_all
from w51_agents.training.rollout import Losses, Minibatch, Rollout, check_totals
from w51_agents.training.seats import NONE_ENDED, outcome_means
from w51_agents.training.settings import FINAL_RATE
from w51_agents.training.teachers import Teachers, imitation_loss
from w51_agents.training.trainer import AnySettings, NetworkTrainer, Update
from w51_agents.training.trainers import SelfPlay, SelfPlayConfig
from w51_env.engine.game import Game

PPO_TERMS = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
_RETURN_STATS_RATE = 0.05  #  of an update's returns in the units of values


class Learner(NetworkTrainer[AnySettings]):
    """A trainer that minimises a loss over minibatches of experience.

    A subclass has a `loss`. It may add rows for the loss (`extra_rows`), networks (`modules`), and work at the end of
    an update (`finish_update`); its `policy` may be another network than the one that learns.

    Attributes:
        terms: The names in `Losses.terms`; each is a column of progress.csv.

    Raises:
        AgentError, OptionError: As of `NetworkTrainer`; shaping or a base policy that cannot be used.
    """

    terms: Sequence[str] = ()

    def __init__(self, config: LearnerConfig, game: Game):
        keep_freed_memory()
        super().__init__(config, game)
        parts = zip(self.experience.parts, self.experience.share.rows, strict=True)
        self._players = [Player(self.settings, part, rows, self.model, self.experience.pool) for part, rows in parts]
        self._is_checked = not self.model.learning.is_compiled

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

    def update(self) -> Update:
        """Collect a rollout, estimate advantages, learn; then update running statistics and the pool."""
        settings, model = self.settings, self.model
        pool, rollout = self.experience.pool, self.experience.rollout
        progress = min(1.0, self.decisions / self.config.decisions)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1.0 - (1.0 - FINAL_RATE) * progress)
        outcomes, losses = self.collect(), dict[str, Any]()
        advantages, valid = estimate_advantages(rollout, settings.gamma, settings.gae_lambda)
        found = advantages, advantages + rollout.values, valid & rollout.is_learner
        advantages_of_all, returns, learned = self._of_all_games(*map(torch.from_numpy, found))
        rows, targets = learned.nonzero()[:, 0], (advantages_of_all, returns)
        if len(rows):  # a short rollout may contain no decision with a valid advantage
            if not self._is_checked:
                check_compiled_code(self, self._batch(*targets, progress), rows, progress)
                self._is_checked = True
            model.value_head.update_stats(returns[rows], _RETURN_STATS_RATE if self.updates else 1.0)
            losses = self.learn(*targets, rows, progress)
            losses["explained_variance"] = explained_variance(returns[rows], targets[0][rows])
        model.update_input_stats(rollout, self.experience.share)
        self.finish_update()
        if pool.size and self.updates % pool.every == 0:
            pool.add_snapshot(model.network)
        self.updates += 1
        self.decisions += len(rows)
        return Update(self.decisions, **outcomes, losses=losses)

    def collect(self) -> dict[str, Any]:
        """Fill the rollout with decisions; returns the fields of `Update` on games that ended.

        The parts of the games play in threads, by turns where a GPU computes for one while another steps, or one after
        the other, which changes no result. Agents of others may not be made for several threads.
        """
        parts, pool, rollout = self.experience.parts, self.experience.pool, self.experience.rollout
        model = self.model
        if model.learning.plays_compiled:
            for part in parts:
                part.seat_snapshots(pool)
        share = self.experience.share
        seed_agents(parts, share.numbers, self.config.seed, self.updates)
        size = len(rollout.actions), share.num_envs
        drawn = torch.rand(size, generator=self.generator, device=model.device)[:, share.games]
        weights = pool.weights() if pool.networks else np.zeros(0)
        with model.playing(rollout, pool.networks):
            plays = [
                self.play(player, rollout.of_games(rows), drawn[:, rows], weights)
                for player, rows in zip(self._players, share.rows, strict=True)
            ]
            play_all(
                plays,
                self.threads if all(part.allows_threads for part in parts) else None,
                alternate=model.device.type == "cuda",
            )
        rollout.values[:] = model.value_head.denormalize(rollout.normal_values).detach().cpu().numpy()
        model.learning.share(self._of_games)
        ended = [NONE_ENDED, *(ended for part in parts for ended in part.take_ended())]
        results, slots, wins = share.gather(*map(np.concatenate, zip(*ended, strict=True)))
        if len(slots):
            pool.record(slots, 1.0 - wins)
        return outcome_means(results)

    def _of_games(self, numbers: Tensor) -> Tensor:
        """(T, N, ...) of all games, of those of this rank."""
        (joined,) = self._gather(numbers.transpose(0, 1).contiguous().cpu().numpy())
        return torch.from_numpy(joined).to(numbers.device).transpose(0, 1)

    def _of_all_games(self, *found: Tensor) -> tuple[Tensor, ...]:
        """Flattened on the device of the model, of (T, N) numbers of the decisions of this rank."""
        joined = self._gather(*(one.T.contiguous().numpy() for one in found))
        return tuple(torch.from_numpy(one).T.flatten().to(self.model.device) for one in joined)

    def _gather(self, *of_games: np.ndarray) -> tuple[np.ndarray, ...]:
        share = self.experience.share
        return share.gather(*of_games, counts=share.game_counts)

    def _batch(self, advantages: Tensor, returns: Tensor, progress: float) -> Minibatch:
        """The decisions of this rank, of (T * N,) advantages and returns of all."""
        experience, extra = self.experience, self.extra_rows(progress)
        return Minibatch.of(experience.rollout, advantages, returns, extra, experience.share.games)

    @torch.no_grad()
    def play(self, player: Player, rollout: Rollout, drawn: Tensor, weights: np.ndarray) -> Iterator[None]:
        """Play a part of the games; at each step it yields when the network is asked, before its answer is needed.

        Args:
            player: Decides for all seats.
            rollout: The rows of these games.
            drawn: (T, N) float32, uniform in [0, 1), with which actions are chosen.
            weights: Sampling weights of the snapshots as opponents.
        """
        games, shaped = player.games, player.shaped
        player.begin(rollout)
        for step in range(len(drawn)):
            player.ask(rollout, step, drawn[step])
            yield
            games.step(player.answer(), weights)
            rollout.rewards[step], rollout.dones[step] = games.rewards, games.done
            if shaped is not None:
                rollout.rewards[step] += shaped.terms()

    def learn(self, advantages: Tensor, returns: Tensor, rows: Tensor, progress: float) -> dict[str, float]:
        """Gradient steps on the decisions `rows` of all games; returns the means of `terms` and `grad_norm` at the end.

        Args:
            advantages: (T * N,) float32.
            returns: (T * N,) float32.
            rows: (B,) int64, the decisions to learn from.
            progress: Part of the training that is done, for the schedules.
        """
        settings, parameters = self.settings, self.optimizer.param_groups[0]["params"]
        batch = self._batch(advantages, returns, progress)
        measured: list[dict[str, Tensor]] = []
        for _ in range(settings.update_epochs):
            measured.clear()
            order = rows[torch.randperm(len(rows), generator=self.generator, device=rows.device)]
            for groups in self.minibatches(order, settings.minibatch_size):
                means = self.set_gradients(batch, groups, progress)
                norm = nn.utils.clip_grad_norm_(parameters, settings.max_grad_norm)
                measured.append({**means, "grad_norm": norm})
                self.optimizer.step()
        columns = {name: torch.stack([means[name] for means in measured]) for name in measured[0]}
        check_totals(columns.pop("total"))
        if unknown := columns.keys() - set(self.logged):
            raise AgentError(f"training: the loss has {', '.join(sorted(unknown))}, but `terms` are {self.terms}")
        return {name: float(column.double().mean()) for name, column in columns.items()}

    @property
    def logged(self) -> Sequence[str]:
        """The names in `Update.losses`: `terms`, and what is logged of every `Learner`."""
        return (*self.terms, "explained_variance", "grad_norm")

    def minibatches(self, rows: Tensor, size: int) -> Iterator[Sequence[Tensor]]:
        """As `Share.minibatches`."""
        return self.experience.share.minibatches(rows, size, self.model.learning.split)

    def set_gradients(self, batch: Minibatch, groups: Sequence[Tensor], progress: float) -> dict[str, Tensor]:
        """Set the gradients of all parameters to those of `loss` over some rows.

        Args:
            batch: All decisions of the rollout of this rank.
            groups: One of `minibatches`.
            progress: As for `loss`.

        Returns:
            The means of the `total` and of the terms of `Losses`, by name.
        """
        batch.standardize(groups, self.experience.share)
        return self.model.set_gradients(
            lambda part: self.loss(batch.select(part), progress),
            groups,
            self.experience.share,
            self.rows_at_once,
            self.threads,
            self.terms,
        )


class SelfPlayTrainer(Learner[SelfPlay]):
    """PPO with an entropy bonus and imitation of teachers at first; with averaged weights, a KL penalty and restarts.

    Attributes:
        moving_average: The network with averaged weights; None without the KL penalty and without restarts.
        teachers: What is imitated, in which rows of the rollout; none without a teacher.
    """

    rows_at_once = ROWS_AT_ONCE

    def __init__(self, config: SelfPlayConfig, game: Game):
        super().__init__(config, game)
        averages = self.settings.average_kl or self.settings.restart_every
        self.moving_average = self.frozen_copy() if averages else None
        (planned, parts, share, *_), default = self.experience, self.settings.teacher
        has_teachers = default is not None or any(games.teacher for games in planned)
        # A part each: what a teacher answers may depend on how many decisions it is asked at once.
        asked = zip(parts, share.rows, strict=True) if has_teachers else ()
        self.teachers = [(Teachers(part.planned, default), rows) for part, rows in asked]
        used = {"imitation": has_teachers, "kinds": self.model.styles, "average_kl": self.settings.average_kl}
        self.terms = (*PPO_TERMS, *(name for name, is_used in used.items() if is_used))

    def loss(self, minibatch: Minibatch, progress: float) -> Losses:
        settings, model = self.settings, self.model
        logits, values, features = model.outputs(minibatch)
        logprobs, entropies = logprobs_and_entropies(logits, minibatch.column_of(minibatch.actions))
        log_ratio = logprobs - minibatch.logprobs
        ratio, advantages = torch.exp(log_ratio), minibatch.standardized
        clipped = ratio.clamp(1.0 - settings.clip_range, 1.0 + settings.clip_range)
        terms = {
            "policy_loss": -torch.min(ratio * advantages, clipped * advantages).mean(),
            "value_loss": functional.mse_loss(values, model.value_head.normalize(minibatch.returns)),
            "entropy": entropies.mean(),
            "approx_kl": (ratio - 1.0 - log_ratio).detach().mean(),
            "clip_fraction": ((ratio.detach() - 1.0).abs() > settings.clip_range).float().mean(),
        }
        total = 0.5 * terms["value_loss"] + terms["policy_loss"] - self.ent_coef(progress) * terms["entropy"]
        if "teacher" in minibatch.extra:
            terms["imitation"] = imitation_loss(logits, minibatch.extra["teacher"], minibatch.legal)
            total = total + self.teacher_coef(progress) * terms["imitation"]
        if model.styles is not None:
            terms["kinds"] = style_loss(model.styles(features), minibatch.extra["kinds"])
            total = total + settings.kinds_weight * terms["kinds"]
        if self.moving_average is not None and settings.average_kl:
            terms["average_kl"] = kl_divergence(logits, model.logits_of(self.moving_average, minibatch))
            total = total + settings.average_kl * terms["average_kl"]
        return Losses(total, terms)

    def ent_coef(self, progress: float) -> float:
        """Weight of the entropy."""
        return self.settings.ent_coef + progress * (self.settings.final_ent_coef - self.settings.ent_coef)

    def teacher_coef(self, progress: float) -> float:
        """Weight of imitation."""
        return self.settings.teacher_weight * max(0.0, 1.0 - progress / self.settings.teacher_until)

    def extra_rows(self, progress: float) -> dict[str, Tensor]:
        """The probabilities of the teachers' actions, as long as they are imitated; who plays the others, if told."""
        rollout, device = self.experience.rollout, self.model.device
        rows = {"kinds": torch.from_numpy(rollout.players[..., 1:]).flatten(0, 1).long()} if self.model.styles else {}
        if self.teachers and self.teacher_coef(progress):
            seen, masks = rollout.observations.numpy(), rollout.masks.cpu().numpy()
            probabilities = np.concatenate([ask(seen[:, part], masks[:, part]) for ask, part in self.teachers], 1)
            rows["teacher"] = torch.from_numpy(probabilities).flatten(0, 1).to(device)
        return rows

    def finish_update(self) -> None:
        """Move the averaged weights towards those of the network, and go on from them if it is time to."""
        if self.moving_average is None:
            return
        update_average(self.moving_average, self.model.network, self.settings.average_rate)
        every = self.settings.restart_every
        if every and (self.updates + 1) % every == 0:
            self.model.network.load_state_dict(self.moving_average.state_dict())

    @property
    def policy(self) -> ActorCritic:
        """The averaged weights, if the training restarts from them: they have less of the noise of single steps."""
        if self.moving_average is not None and self.settings.restart_every:
            return self.moving_average
        return super().policy

    def modules(self) -> dict[str, nn.Module]:
        return super().modules() | ({"moving_average": self.moving_average} if self.moving_average else {})
