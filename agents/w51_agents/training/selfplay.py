"""The trainer `selfplay`: proximal policy optimisation (Schulman et al., arXiv:1707.06347) in games of many seats.

Illegal actions are masked (Huang and Ontanon, arXiv:2006.14171). `learner` has the update from top to bottom:
`experience` collects a rollout, `advantages` are estimated, and the loss below is minimised over minibatches; for plain
networks `compiled_gradients` has the same gradients in half of the time.
`trainers.SelfPlay` has all hyperparameters.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from w51_agents.policies.network import ActorCritic
from w51_agents.training.categorical import kl_divergence, logprobs_and_entropies
from w51_agents.training.compiled_gradients import CompiledGradients
from w51_agents.training.games import BotActions
from w51_agents.training.gradients import ROWS_AT_ONCE
from w51_agents.training.learner import Learner, Losses
from w51_agents.training.model import update_average
from w51_agents.training.rollout import Minibatch
from w51_agents.training.threads import thread_count
from w51_agents.training.trainers import SelfPlay, SelfPlayConfig
from w51_env.engine.game import Game


class SelfPlayTrainer(Learner[SelfPlay]):
    """PPO with an entropy bonus and imitation of a teacher at first; with averaged weights, a KL penalty and restarts.

    Args:
        config: The config.
        game: The game.

    Attributes:
        moving_average: The network with averaged weights; None without the KL penalty and without restarts.
        teacher: The actions to imitate; None without a teacher.
    """

    rows_at_once = ROWS_AT_ONCE

    def __init__(self, config: SelfPlayConfig, game: Game):
        super().__init__(config, game)
        averages = self.settings.average_kl or self.settings.restart_every
        self.moving_average = self.frozen_copy() if averages else None
        self.teacher = BotActions(self.settings.teacher, self.experience.games) if self.settings.teacher else None
        # The compiled code knows the loss of this class, without an average network and without a teacher.
        plain = self.model.is_plain and not self.settings.average_kl and type(self).loss is SelfPlayTrainer.loss
        threads = thread_count(config.threads)
        self._compiled = (
            CompiledGradients(self.model.network, self.rows_at_once or ROWS_AT_ONCE, threads) if plain else None
        )

    def set_gradients(self, batch: Minibatch, rows: Tensor, progress: float) -> Tensor:
        if self._compiled is None or batch.extra:
            return super().set_gradients(batch, rows, progress)
        clip_range, ent_coef = self.settings.clip_range, self.ent_coef(progress)
        return self._compiled.set_gradients(batch, rows, clip_range, ent_coef, self._threads)

    def loss(self, minibatch: Minibatch, progress: float) -> Losses:
        settings, model = self.settings, self.model
        inputs = minibatch.inputs, minibatch.masks, minibatch.base_actions
        logits, values = model.forward(*inputs, minibatch.all_observations)
        logprobs, entropies = logprobs_and_entropies(logits, minibatch.actions)
        log_ratio = logprobs - minibatch.logprobs
        ratio = torch.exp(log_ratio)
        advantages = minibatch.standardized
        clipped = ratio.clamp(1.0 - settings.clip_range, 1.0 + settings.clip_range)
        surrogate = torch.min(ratio * advantages, clipped * advantages).mean()
        value_loss = functional.mse_loss(values, model.value_head.normalize(minibatch.returns))
        entropy = entropies.mean()
        total = 0.5 * value_loss - surrogate - self.ent_coef(progress) * entropy
        if "teacher" in minibatch.extra:
            total = total + self.teacher_coef(progress) * functional.cross_entropy(logits, minibatch.extra["teacher"])
        if self.moving_average is not None and settings.average_kl:
            average = model.logits_of(self.moving_average, *inputs)
            total = total + settings.average_kl * kl_divergence(logits, average)
        return Losses(total, entropy, value_loss, -log_ratio.mean())

    def ent_coef(self, progress: float) -> float:
        """Weight of the entropy."""
        return self.settings.ent_coef + progress * (self.settings.final_ent_coef - self.settings.ent_coef)

    def teacher_coef(self, progress: float) -> float:
        """Weight of imitation."""
        return self.settings.teacher_weight * max(0.0, 1.0 - progress / self.settings.teacher_until)

    def extra_rows(self, progress: float) -> dict[str, Tensor]:
        """The actions of the teacher, as long as it is imitated."""
        if self.teacher is None or not self.teacher_coef(progress):
            return {}
        rollout = self.experience.rollout
        actions = self.teacher(rollout.observations.numpy(), rollout.masks.numpy())
        return {"teacher": torch.from_numpy(actions).flatten()}

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
        average = {} if self.moving_average is None else {"moving_average": self.moving_average}
        return {**super().modules(), **average}
