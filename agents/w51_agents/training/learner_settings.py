"""Settings of trainers that learn from `experience`: games, inputs and network; and what every such trainer can do."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from w51_agents.training.registry import TrainerSpec
from w51_agents.training.settings import (
    MAX_ENVS,
    MAX_INT,
    ClassName,
    Optimisation,
    Section,
    Shaping,
    TrainingConfig,
    Widths,
)
from w51_env.engine.game import Game

# Opponents beside agents: the network itself; snapshots of it.
SELF, POOL = "self", "pool"
# Settings that are also arguments of a network.
OF_NETWORK = ("hidden_sizes", "base_policy", "heuristic_features", "hidden_slices", "network", "network_settings")
ROWS_AT_ONCE = 1024  #  of a minibatch, of which one thread computes the loss; half of them cost a fifth more
_MIN_PART = 128  #  games; a part with fewer costs more time than a second thread saves
_MAX_PARTS = 8  #  unless the config says how many
_MIN_DECISIONS = 1_000_000  #  fewer are learned while more processes start


class GameSettings(Section):
    """Games with the same options and opponents, of which a training has several."""

    num_players: int = Field(4, ge=2, description="Seats of each game.")
    num_envs: int = Field(ge=1, le=MAX_ENVS, description="Number of games at once.")
    opponents: str | dict[str, PositiveInt] = Field(
        SELF,
        description="`self`: every seat learns; `pool`, or an agent: one seat learns, against a snapshot or the agent "
        "in all others; `{NAME: SEATS, ...}`: so many seats for each of several agents, or `pool`, and all others "
        "learn.",
    )
    teacher: str | None = Field(
        None,
        min_length=1,
        description="With `selfplay`: the agent that is imitated in these games; null: that of the section, if any.",
    )
    vary: dict[str, tuple[Any, ...]] = Field(
        default_factory=dict, description="Options with several values each, which the games share out, as card sets."
    )

    @property
    def opponent_names(self) -> list[str]:
        """`self`, `pool` and agents that play in these games."""
        return [self.opponents] if isinstance(self.opponents, str) else list(self.opponents)

    @property
    def num_learners(self) -> int:
        """Seats of each game that learn, where there are opponents."""
        return self.num_players - sum(self.opponents.values()) if isinstance(self.opponents, dict) else 1

    @field_validator("opponents")
    @classmethod
    def _are_named(cls, opponents: str | dict[str, int]) -> str | dict[str, int]:
        if not opponents or (isinstance(opponents, dict) and "" in opponents):
            raise ValueError("names of one character or more are needed")
        if isinstance(opponents, dict) and SELF in opponents:
            raise ValueError(f"{SELF} has no number of seats; those that no other has learn")
        return opponents

    @model_validator(mode="after")
    def _some_seat_learns(self) -> Self:
        if self.num_learners < 1:
            raise ValueError(
                f"opponents have {self.num_players - self.num_learners} seats of {self.num_players}, but "
                "one at least must learn"
            )
        return self


class LearnerSettings(Optimisation):
    """Settings of a `Learner`; a trainer adds those of its loss."""

    games: tuple[GameSettings, ...] = Field(
        (GameSettings(num_envs=512),), min_length=1, description="The games, several of which are played at once."
    )
    parts: int | None = Field(
        None,
        ge=1,
        le=MAX_INT,
        description="Parts in which games are played and learned from, by a process or a thread each; null: one for "
        "each 128 games, at most 8. Results depend on it, not on who plays which part.",
    )
    hidden_sizes: Widths = Field((256, 256), description="Widths of the hidden layers that policy and value share.")
    network: ClassName | Literal["items", "history", "recurrent"] | None = Field(
        None,
        description="`items`: reads the features of cards, and plays with any cards; `recurrent`: remembers what its "
        "seat has seen; `history`: reads the last events that its seat may know; or a subclass of `ActorCritic` as "
        "`module:Class`; null: `ActorCritic`.",
    )
    network_settings: dict[str, Any] = Field(default_factory=dict, description="Arguments of its `make_torso`.")
    burn_in: int | None = Field(
        0,
        ge=0,
        le=MAX_INT,
        description="With `recurrent`: a seat's decisions at the beginning of a rollout, in a game that goes on, which "
        "only renew what it remembers; null: games that did not begin in the rollout are not learned from.",
    )
    device: str = Field(
        "cpu", pattern=r"^(cpu|cuda(:[0-9]{1,2})?)$", description="Device of the network: `cpu` or `cuda`."
    )
    compiled: bool = Field(
        True,
        description="Whether compiled code plays and learns where a network has it, on a processor in float32; false: "
        "PyTorch alone, slower.",
    )
    precision: Literal["float32", "bfloat16"] = Field(
        "float32", description="Precision of the network's matrix products."
    )
    num_steps: int = Field(64, ge=2, le=MAX_INT, description="Decisions in each game between two updates.")
    minibatch_size: int = Field(8192, ge=2, le=MAX_INT, description="Decisions in one gradient step.")
    max_grad_norm: float = Field(0.5, gt=0, description="Maximum norm of a gradient, by clipping.")
    critic: Literal["local", "centralized"] = Field(
        "local",
        description="Input of the critic: the seat's observation (`local`) or those of all seats (`centralized`).",
    )
    start: str | None = Field(
        None,
        description="A run or checkpoint of self-play whose weights the training starts from. Where it was trained "
        "with other options, which no observation shows, a warning names them.",
    )
    base_policy: str | None = Field(
        None, description="A bot whose action is an input and biases the logits (residual policy learning)."
    )
    heuristic_features: bool = Field(False, description="Whether the game's heuristic features are inputs.")
    hidden_slices: tuple[str, ...] = Field(
        (), description="Slices of the observation that are 0 for the network, in training and in play."
    )
    shaping: Shaping = None
    pool: int = Field(8, ge=0, le=MAX_INT, description="Maximum number of snapshots kept as opponents.")
    pool_every: int = Field(10, ge=1, le=MAX_INT, description="Updates between two snapshots.")

    @property
    def told_styles(self) -> tuple[str, ...]:
        """The styles of players that a network learns to tell from each other."""
        return ()


class LearnerConfig(TrainingConfig):
    """Base class of configs of a `Learner`: one more key, the section of its settings."""

    section: ClassVar[str]

    @property
    def settings(self) -> Any:
        """The section, a `LearnerSettings`."""
        return getattr(self, self.section)


def learner_spec(config: type[LearnerConfig], trainer: str | Callable[[Any, Game], Any]) -> TrainerSpec:
    """The registry entry of a `Learner`: it can exploit and start from a checkpoint.

    Args:
        config: Class of its configs.
        trainer: The subclass of `Learner`, or its `module:Class`.
    """
    return TrainerSpec(
        config=config,
        trainer=trainer,
        equal_share=_equal_share,
        inputs=_inputs,
        opponents=lambda config: [name for games in config.settings.games for name in games.opponent_names],
        classes=lambda config: [name for name in (config.settings.network, config.settings.shaping) if name],
        hidden_sizes=lambda config: None if config.settings.network else config.settings.hidden_sizes,
        exploit=_exploit,
        shares=True,
        start=lambda config: config.settings.start,
        start_from=_start_from,
    )


def num_parts(num_envs: int) -> int:
    """The parts in which so many games play, where the config does not say how many."""
    return max(1, min(_MAX_PARTS, num_envs // _MIN_PART))


def processes_of_plain(config: LearnerConfig) -> int:
    """Measured for plain networks by `benchmarks.ranks`: a process for each part, with enough rows of a minibatch."""
    settings: LearnerSettings = config.settings
    if settings.network is not None or settings.device != "cpu" or config.decisions < _MIN_DECISIONS:
        return 1
    parts = settings.parts or num_parts(sum(games.num_envs for games in settings.games))
    return max(1, min(parts, settings.minibatch_size // ROWS_AT_ONCE))


def _equal_share(config: LearnerConfig, game: Game) -> float | None:
    played = [games for games in config.settings.games if games.opponents != SELF]
    seats = sum(games.num_envs * games.num_learners for games in played)
    return sum(games.num_envs * games.num_learners / games.num_players for games in played) / seats if seats else None


def _inputs(config: LearnerConfig) -> list[str]:
    settings: LearnerSettings = config.settings
    hidden = f" without {', '.join(settings.hidden_slices)}" if settings.hidden_slices else ""
    inputs = [f"the observation{hidden}"]
    inputs += [f"the action of {settings.base_policy} (base_policy)"] * bool(settings.base_policy)
    return inputs + ["heuristic features"] * settings.heuristic_features


def _exploit(config: LearnerConfig, agents: Sequence[str], sizes: Sequence[int]) -> LearnerConfig:
    """The config with `agents` as the only opponents, in its numbers of players, else in `sizes`; not validated."""
    against: list[GameSettings] = []
    for games in config.settings.games:
        players = (games.num_players,) if "num_players" in games.model_fields_set else sizes
        num_envs = -(-games.num_envs // (len(players) * len(agents)))
        against += [
            GameSettings.model_construct(num_players=size, num_envs=num_envs, opponents=agent)
            for size in players
            for agent in agents
        ]
    return _with_settings(config, games=tuple(against))


def _start_from(config: LearnerConfig, checkpoint: str, shape: Mapping[str, Any]) -> LearnerConfig:
    """The config with a network of this shape that starts from a checkpoint; not validated."""
    network = {name: LearnerSettings.model_fields[name].get_default(call_default_factory=True) for name in OF_NETWORK}
    in_config = {name: tuple(value) if isinstance(value, list) else value for name, value in shape.items()}
    network |= {name: value for name, value in in_config.items() if name in OF_NETWORK}
    return _with_settings(config, start=checkpoint, **network)


def _with_settings(config: LearnerConfig, **changes: Any) -> LearnerConfig:
    return config.model_copy(update={config.section: config.settings.model_copy(update=changes)})
