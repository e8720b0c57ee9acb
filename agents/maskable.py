"""The trainer `maskable_ppo`: sb3-contrib's MaskablePPO with a learner in one seat of each game of a batch."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from agents.agent import AgentError
from agents.config import TrainingConfig
from agents.learned import NEEDS_SB3
from agents.training import Training, Update
from w51_env.core.game import Game

CHECKPOINT = "checkpoint.zip"

FINAL_RATE = 0.1  #  of the first learning rate is left at the end


def make_model(config: TrainingConfig, game: Game) -> Any:
    """A MaskablePPO on a batch of `game`, as the config says.

    Raises:
        AgentError: Stable-Baselines3 or sb3-contrib is not installed, or there are more opponents than other seats.
        OptionError: An opponent or seat the game does not have.
    """
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.utils import LinearSchedule

        from w51_env.adapters.sb3_vec_env import LearnerVecEnv
    except ImportError as error:
        raise AgentError(f"training {NEEDS_SB3} ({error})") from None

    ppo = config.ppo
    environment = LearnerVecEnv(
        game,
        config.games_at_once,
        learner_seat=config.learner_seat,
        opponents=opponents_of(config, game),
        seed=config.seed,
        threads=config.threads,
    )
    return MaskablePPO(
        "MlpPolicy",
        environment,
        learning_rate=LinearSchedule(ppo.learning_rate, FINAL_RATE * ppo.learning_rate, 1.0),
        n_steps=ppo.steps_per_update,
        batch_size=min(ppo.minibatch, ppo.steps_per_update * config.games_at_once),
        n_epochs=ppo.epochs,
        gamma=ppo.discount,
        gae_lambda=ppo.gae,
        clip_range=ppo.clip,
        ent_coef=ppo.entropy,
        policy_kwargs={
            "net_arch": {"pi": list(ppo.network), "vf": list(ppo.network)},
            "activation_fn": torch.nn.ReLU,
        },
        seed=config.seed,
        device="cpu",
    )


def check(config: TrainingConfig, game: Game) -> None:
    """Make a small model as `make_model` would, so that what is wrong with the config is told before anything is written."""
    small = config.model_copy(update={"games_at_once": 1, "ppo": config.ppo.model_copy(update={"steps_per_update": 2})})
    make_model(small, game).get_env().close()


def opponents_of(config: TrainingConfig, game: Game) -> list[str]:
    """One bot for each other seat; AgentError if there are more of them than seats."""
    seats = game.num_players - 1
    names = list(config.opponents)
    if len(names) > seats:
        raise AgentError(
            f"opponents: {len(names)} names ({', '.join(names)}), but a game of {game.num_players} has {seats} other seat{'s' * (seats > 1)}"
        )
    return names + names[-1:] * (seats - len(names))


def train(
    config: TrainingConfig, game: Game, on_update: Callable[[Update], None], should_stop: Callable[[], bool] = lambda: False
) -> Training:
    """Train for `config.decisions` decisions, or until `should_stop`, which is asked before each step of the batch."""
    model = make_model(config, game)
    callback = _callback(on_update, should_stop)
    try:
        model.learn(config.decisions, callback=callback, log_interval=None)
    finally:
        model.get_env().close()
    return Training(callback.updates, not callback.stopped, CHECKPOINT, model.save)


def _callback(on_update: Callable[[Update], None], should_stop: Callable[[], bool]) -> Any:
    from stable_baselines3.common.callbacks import BaseCallback

    class Watch(BaseCallback):
        """Counts what the learner won and reports each update."""

        def _on_training_start(self) -> None:
            self.updates: list[Update] = []
            self.stopped = False
            self._began = time.monotonic()
            self._clear()

        def _clear(self) -> None:
            self._returns: list[float] = []
            self._shares: list[float] = []
            self._scores: list[int] = []

        def _on_step(self) -> bool:
            for index in np.flatnonzero(self.locals["dones"]):
                info = self.locals["infos"][index]
                self._returns.append(info["episode"]["r"])
                self._shares.append((info["rank"] == 1) / max(1, int((info["ranks"] == 1).sum())))
                self._scores.append(int(info["scores"][info["seat"]]))
            self.stopped = should_stop()
            return not self.stopped

        def _on_rollout_start(self) -> None:
            if self.num_timesteps:
                self._report()

        def _on_training_end(self) -> None:
            self._report()

        def _report(self) -> None:
            def mean(values: list) -> float:
                return float(np.mean(values)) if values else float("nan")

            logged = self.logger.name_to_value
            update = Update(
                decisions=self.num_timesteps,
                seconds=time.monotonic() - self._began,
                games=len(self._returns),
                mean_return=mean(self._returns),
                win_share=mean(self._shares),
                mean_score=mean(self._scores),
                entropy=-float(logged.get("train/entropy_loss", np.nan)),
                value_loss=float(logged.get("train/value_loss", np.nan)),
                divergence=float(logged.get("train/approx_kl", np.nan)),
            )
            self._clear()
            self.updates.append(update)
            on_update(update)

    return Watch()
