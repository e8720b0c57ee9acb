"""The trainer `maskable_ppo`: sb3-contrib's MaskablePPO with a learner in one seat of each game of a batch."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvStepReturn, VecEnvWrapper

from w51_agents.agent.interface import Agent, AgentError
from w51_agents.networks.maskable import MaskablePPOAgent, save_policy
from w51_agents.networks.weights import set_weights, weights_of
from w51_agents.training.rollout import Potentials, check_totals
from w51_agents.training.seats import outcome_means
from w51_agents.training.settings import FINAL_RATE
from w51_agents.training.threads import thread_count
from w51_agents.training.trainer import Update
from w51_agents.training.trainer_state import TrainerState, generator_state, optimizer_state, restore_optimizer
from w51_agents.training.trainers import MaskablePPOConfig
from w51_env.adapters.sb3_vec_env import LearnerVecEnv
from w51_env.engine.game import Game

# What is logged: its name there, and the sign.
_LOGGED = {
    "policy_loss": ("policy_gradient_loss", 1.0),
    "value_loss": ("value_loss", 1.0),
    "entropy": ("entropy_loss", -1.0),
    "approx_kl": ("approx_kl", 1.0),
    "clip_fraction": ("clip_fraction", 1.0),
    "explained_variance": ("explained_variance", 1.0),
}


class MaskablePPOTrainer:
    """The trainer `maskable_ppo`; see `w51_agents.training.trainer.Trainer` for the methods of all trainers.

    Raises:
        AgentError: There are more opponents than other seats; shaping with a discount.
        OptionError: An opponent or seat the game does not have.
    """

    logged = tuple(_LOGGED)

    def __init__(self, config: MaskablePPOConfig, game: Game):
        if config.shaping is not None and config.ppo.gamma != 1.0:
            raise AgentError(f"shaping: needs ppo.gamma=1.0, but it is {config.ppo.gamma}")
        self._config = config
        self._games = LearnerVecEnv(
            game,
            config.num_envs,
            learner_seat=config.learner_seat,
            opponents=opponents_of(config, game),
            seed=config.seed,
            threads=thread_count(config.threads or 1),
        )
        self._shaped = ShapedVecEnv(self._games, config.shaping) if config.shaping else None
        self._model = make_model(config, self._shaped or self._games)
        self._outcomes = _Outcomes()
        # The start of `MaskablePPO.learn`. Updates are made one by one, so that training can stop after each.
        _, self._callback = self._model._setup_learn(config.decisions, self._outcomes)
        self._callback.on_training_start({}, {})

    @property
    def decisions(self) -> int:
        return self._model.num_timesteps

    def update(self) -> Update:
        model = self._model
        model.collect_rollouts(model.env, self._callback, model.rollout_buffer, model.n_steps)  # type: ignore[arg-type]
        model._update_current_progress_remaining(model.num_timesteps, self._config.decisions)
        try:
            model.train()
        except ValueError as error:  # its distributions refuse logits that are no numbers
            raise AgentError(f"training: {str(error).partition(chr(10))[0]}") from None
        logged = model.logger.name_to_value
        check_totals(torch.tensor([logged["train/loss"]]))
        return Update(
            decisions=model.num_timesteps,
            **self._outcomes.means(),
            losses={name: sign * float(logged[f"train/{key}"]) for name, (key, sign) in _LOGGED.items()},
        )

    def agent(self, game: Game) -> Agent:
        return MaskablePPOAgent(game, self._model.policy)

    def write_checkpoint(self, path: Path) -> None:
        save_policy(self._model.policy, self._config.ppo.hidden_sizes, self._games.game, path)

    def state(self) -> TrainerState:
        numpy_state = np.random.get_state(legacy=False)["state"]  # noqa: NPY002 - SB3 draws from global generators
        state = TrainerState(
            {
                "games": np.frombuffer(self._games.snapshot(), np.uint8),
                "episode_starts": np.array(self._model._last_episode_starts),
                "torch": torch.get_rng_state().numpy().copy(),
                "numpy": np.array(numpy_state["key"]),
            },
            {
                "decisions": self._model.num_timesteps,
                "updates": self._model._n_updates,
                "numpy_position": int(numpy_state["pos"]),
                "python": list(random.getstate()[1]),
                "outcomes": self._outcomes.pending,
            },
        )
        state.include("policy", TrainerState(weights_of(self._model.policy)))
        state.include("optimizer", optimizer_state(self._model.policy.optimizer))
        return state

    def restore(self, state: TrainerState) -> None:
        model = self._model
        restore_optimizer(model.policy.optimizer, state.part("optimizer"))
        state.check_like(self.state())
        set_weights(model.policy, state.part("policy").arrays)
        model.num_timesteps = state.facts["decisions"]
        model._n_updates = state.facts["updates"]
        model._last_obs = self._games.restore(state.arrays["games"].tobytes())
        if self._shaped is not None:
            self._shaped.begin()
        model._last_episode_starts = state.arrays["episode_starts"]
        self._outcomes.pending = state.facts["outcomes"]
        key, position = state.arrays["numpy"], state.facts["numpy_position"]
        with generator_state("generators"):
            if position > len(key):  # NumPy would read other memory
                raise ValueError(f"numpy_position: {position}, but at most {len(key)} is allowed")
            torch.set_rng_state(torch.from_numpy(state.arrays["torch"]))
            np.random.set_state(("MT19937", key, position, 0, 0.0))  # noqa: NPY002
            random.setstate((3, tuple(state.facts["python"]), None))

    def close(self) -> None:
        self._games.close()


class ShapedVecEnv(VecEnvWrapper):
    """Adds the terms of potential-based shaping to the rewards of the learner; returns of episodes stay without.

    Args:
        games: The games.
        shaping: As for `Potentials`.
    """

    def __init__(self, games: LearnerVecEnv, shaping: str):
        super().__init__(games)
        self._games = games
        self._potentials = Potentials(shaping, games.game)

    def begin(self) -> None:
        """Take the current states as those before the next step."""
        self._before = self._now()

    def reset(self) -> np.ndarray:
        observations = self._games.reset()
        self.begin()
        return observations

    def step_wait(self) -> VecEnvStepReturn:
        observations, rewards, dones, infos = self._games.step_wait()
        before, self._before = self._before, self._now()
        return observations, rewards + np.where(dones, 0.0, self._before) - before, dones, infos

    def _now(self) -> np.ndarray:
        potentials = self._potentials(self._games.batch.games)
        return potentials[np.arange(self.num_envs), self._games.seat].astype(np.float32)


def make_model(config: MaskablePPOConfig, games: VecEnv) -> MaskablePPO:
    """A MaskablePPO on these games, with the settings of the config."""
    ppo = config.ppo
    return MaskablePPO(
        "MlpPolicy",
        games,
        learning_rate=LinearSchedule(ppo.learning_rate, FINAL_RATE * ppo.learning_rate, 1.0),
        n_steps=ppo.num_steps,
        batch_size=min(ppo.minibatch_size, ppo.num_steps * config.num_envs),
        n_epochs=ppo.update_epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.ent_coef,
        policy_kwargs={
            "net_arch": {"pi": list(ppo.hidden_sizes), "vf": list(ppo.hidden_sizes)},
            "activation_fn": torch.nn.ReLU,
        },
        seed=config.seed,
        device="cpu",
    )


def opponents_of(config: MaskablePPOConfig, game: Game) -> list[str]:
    """One bot for each other seat; AgentError if there are more of them than seats."""
    seats = game.num_players - 1
    names = list(config.opponents)
    if len(names) > seats:
        raise AgentError(
            f"opponents: {len(names)} names ({', '.join(names)}), "
            f"but a game of {game.num_players} has {seats} other seat{'s' * (seats > 1)}"
        )
    return names + names[-1:] * (seats - len(names))


class _Outcomes(BaseCallback):
    """Return, wins and score of the episodes that ended."""

    def __init__(self) -> None:
        super().__init__()
        self.pending: list[tuple[float, float, int]] = []  # return, wins, score

    def _on_step(self) -> bool:
        for index in np.flatnonzero(self.locals["dones"]):
            info = self.locals["infos"][index]
            wins = (info["rank"] == 1) / max(1, int((info["ranks"] == 1).sum()))
            self.pending.append((info["episode"]["r"], wins, int(info["scores"][info["seat"]])))
        return True

    def means(self) -> dict[str, Any]:
        """The fields of `Update` on episodes that ended since the last call."""
        means = outcome_means(self.pending)
        self.pending = []
        return means
