"""The trainers of this package: settings and registry entries of `maskable_ppo` and `selfplay`."""

from dataclasses import replace
from typing import ClassVar

from pydantic import Field

from w51_agents.training.learner_settings import (
    SELF,
    LearnerConfig,
    LearnerSettings,
    learner_spec,
    processes_of_plain,
)
from w51_agents.training.registry import TrainerSpec
from w51_agents.training.settings import (
    MAX_COEF,
    MAX_ENVS,
    MAX_INT,
    Names,
    Optimisation,
    Shaping,
    TrainingConfig,
    Widths,
)


class PPO(Optimisation):
    """Settings of sb3-contrib's MaskablePPO (Huang and Ontanon, arXiv:2006.14171), for one seat of each game."""

    clip_range: float = Field(0.2, gt=0, description="Clipping of the probability ratio.")
    num_steps: int = Field(128, ge=1, le=MAX_INT, description="Decisions in each game between two updates.")
    minibatch_size: int = Field(4096, ge=2, le=MAX_INT, description="Decisions in one gradient step.")
    ent_coef: float = Field(0.01, ge=0, le=MAX_COEF, description="Weight of the entropy bonus.")
    hidden_sizes: Widths = Field((128, 128), description="Widths of the hidden layers, of policy and value each.")


class MaskablePPOConfig(TrainingConfig):
    """The config of `maskable_ppo`."""

    num_envs: int = Field(256, ge=1, le=MAX_ENVS, description="Number of games at once.")
    opponents: Names = Field(
        ("heuristic",), min_length=1, description="Bots in the other seats; the last one takes all remaining seats."
    )
    learner_seat: int | str = Field("random", description="Seat of the learner: a number, `random` or `rotate`.")
    shaping: Shaping = None
    ppo: PPO = PPO()


MASKABLE_PPO = TrainerSpec(
    config=MaskablePPOConfig,
    trainer="w51_agents.training.maskable_ppo:MaskablePPOTrainer",
    equal_share=lambda config, game: 1.0 / game.num_players,
    inputs=lambda config: ["the observation"],
    opponents=lambda config: list(config.opponents),
    classes=lambda config: [config.shaping] if config.shaping else [],
    hidden_sizes=lambda config: config.ppo.hidden_sizes,
)


class SelfPlay(LearnerSettings):
    """Settings of self-play PPO (Schulman et al., arXiv:1707.06347), where every seat of a game may learn."""

    clip_range: float = Field(0.2, gt=0, description="Clipping of the probability ratio.")
    ent_coef: float = Field(0.01, ge=0, le=MAX_COEF, description="Weight of the entropy bonus at the start.")
    final_ent_coef: float = Field(
        0.002, ge=0, le=MAX_COEF, description="Weight of the entropy bonus at the end; linear in between."
    )
    teacher: str | None = Field(
        None, min_length=1, description="An agent that is imitated at first (kickstarting), in games without their own."
    )
    teacher_weight: float = Field(
        1.0, ge=0, le=MAX_COEF, description="Weight of imitation at the start; it falls linearly to 0."
    )
    teacher_until: float = Field(
        0.2, gt=0, description="Part of the training with imitation; above 1 the weight does not reach 0."
    )
    average_kl: float = Field(
        0.0, ge=0, le=MAX_COEF, description="Weight of the KL penalty to a moving average of the policy's weights."
    )
    average_rate: float = Field(0.01, gt=0, le=1, description="Rate of the moving average, per update.")
    restart_every: int = Field(
        0,
        ge=0,
        le=MAX_INT,
        description="Updates after which the training goes on from the moving average, which is then the policy that "
        "is evaluated and kept in checkpoints; 0: it is not.",
    )
    kinds_weight: float = Field(
        0.0,
        ge=0,
        le=MAX_COEF,
        description="Weight of the cross-entropy of a further output, which tells who plays each other seat: the "
        "network, a snapshot, or which agent; it is no part of checkpoints. 0: there is none.",
    )

    @property
    def told_styles(self) -> tuple[str, ...]:
        return (
            tuple(dict.fromkeys([SELF, *(name for games in self.games for name in games.opponent_names)]))
            if self.kinds_weight
            else ()
        )


class SelfPlayConfig(LearnerConfig):
    """The config of `selfplay`."""

    section: ClassVar[str] = "selfplay"
    selfplay: SelfPlay = SelfPlay()


SELFPLAY = replace(
    learner_spec(SelfPlayConfig, "w51_agents.training.selfplay:SelfPlayTrainer"), processes=processes_of_plain
)
