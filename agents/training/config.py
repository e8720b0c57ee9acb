"""What a training run is made of: a YAML file, checked, with changes from the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from agents.mistakes import mistakes_of
from w51_env.core.errors import W51Error


class ConfigError(W51Error):
    """A config that cannot be used; every mistake in it is listed with its key."""


class Section(BaseModel):
    """Keys that are not known are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


LAST_RATE = 0.1  #  of the first learning rate is left at the end

# Names of agents; one alone needs no brackets.
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class Optimisation(Section):
    """What both trainers' proximal policy optimisation (Schulman et al., arXiv:1707.06347) has alike."""

    epochs: int = Field(2, ge=1, description="Passes over the decisions of an update.")
    learning_rate: float = Field(1e-3, gt=0, description="At the start; it falls to a tenth, linearly.")
    discount: float = Field(1.0, gt=0, le=1, description="Of rewards, for each of the learner's own decisions.")
    gae: float = Field(0.95, ge=0, le=1, description="Lambda of generalised advantage estimation.")
    clip: float = Field(0.2, gt=0, description="How far the probability ratio counts.")


class PPO(Optimisation):
    """With action masks (Huang and Ontanon, arXiv:2006.14171), for one seat of each game."""

    steps_per_update: int = Field(128, ge=1, description="Decisions in each game between two updates.")
    minibatch: int = Field(4096, ge=2, description="Decisions in one gradient step.")
    entropy: float = Field(0.01, ge=0, description="Weight of the entropy bonus.")
    network: tuple[int, ...] = Field(
        (128, 128), min_length=1, description="Widths of the hidden layers, of policy and value each."
    )


class Tables(Section):
    """Games of one kind that self-play learns from."""

    players: int = Field(4, ge=2, description="Seats of each game.")
    games: int = Field(ge=1, description="How many at once.")
    opponents: str = Field(
        "self",
        min_length=1,
        description="`self`: every seat learns; else one seat against `pool`, the network's past, or against copies of an agent by its name or path.",
    )


class SelfPlay(Optimisation):
    """The same where every seat of a game may learn."""

    tables: tuple[Tables, ...] = Field(
        (Tables(games=512),), min_length=1, description="The games, of several kinds at once."
    )
    network: tuple[int, ...] = Field(
        (256, 256), min_length=1, description="Widths of the hidden layers that policy and value share."
    )
    device: str = Field(
        "cpu", pattern=r"^(cpu|cuda(:\d+)?)$", description="Where the network computes: `cpu` or `cuda`."
    )
    precision: Literal["float32", "bfloat16"] = Field("float32", description="Of the network's products.")
    steps_per_update: int = Field(64, ge=2, description="Decisions in each game between two updates.")
    minibatch: int = Field(8192, ge=2, description="Decisions in one gradient step.")
    entropy: float = Field(0.01, ge=0, description="Weight of the entropy bonus at the start.")
    last_entropy: float = Field(0.002, ge=0, description="The same at the end; between, it goes linearly.")
    max_gradient: float = Field(0.5, gt=0, description="Greatest norm of a gradient.")
    critic: Literal["seat", "table"] = Field(
        "seat",
        description="What values are predicted from: what the seat sees, with the policy's layers; or what all seats see, with layers of its own.",
    )
    start: str | None = Field(None, description="A run or checkpoint of selfplay whose network it begins with.")
    advisor: str | None = Field(
        None, description="A bot of the game whose choice the network is told at each decision, by which it begins."
    )
    reckoning: bool = Field(
        False, description="Whether the network is also shown what the game's scripted player reckons."
    )
    teacher: str | None = Field(None, description="A bot of the game whose choices are imitated at first.")
    teacher_weight: float = Field(1.0, ge=0, description="Of imitation at the start; it falls to none, linearly.")
    teacher_until: float = Field(
        0.2, gt=0, le=1, description="Part of the training after which nothing is imitated any more."
    )
    magnet: float = Field(
        0.0, ge=0, description="Weight of the divergence from the magnet, a slow mean of the policy's weights."
    )
    magnet_pace: float = Field(0.01, gt=0, le=1, description="How far the magnet follows at each update.")
    pool: int = Field(8, ge=0, description="Snapshots kept as opponents.")
    pool_every: int = Field(10, ge=1, description="Updates between two snapshots.")


class Evaluation(Section):
    """Matches of the learner on fixed deals, against each baseline alone: while training goes on, and after it."""

    games: int = Field(4000, ge=2, description="Games against each baseline after training.")
    against: Names = Field(("random", "heuristic"), description="Agents; each has all other seats.")
    players: tuple[int, ...] = Field(
        (), description="Seats of the games, one match for each; none named: as the game's options have it."
    )
    minutes: float = Field(5.0, gt=0, description="Between two evaluations while training goes on.")
    games_while_training: int = Field(400, ge=2, description="Games against each baseline in each of these.")


class TrainingConfig(Section):
    """A training run."""

    name: str = Field(min_length=1, pattern=r"^[\w.-]+$", description="Of its folder under `runs`.")
    game: str = Field("warehouse51_v0", description="Id of a registered game.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the game.")
    seed: int = Field(1, ge=0, description="Of games, network and learning.")
    decisions: int = Field(gt=0, description="Decisions of the learner, rounded up to whole updates.")
    trainer: Literal["maskable_ppo", "selfplay"] = Field(
        "maskable_ppo", description="`selfplay` reads its own section, and not the next four keys."
    )
    games_at_once: int = Field(256, ge=1, description="Games in the batch.")
    opponents: Names = Field(
        ("heuristic",), min_length=1, description="Bots of the other seats; the last one has all that are left."
    )
    learner_seat: int | str = Field("random", description="A seat, `random` or `rotate`.")
    ppo: PPO = PPO()
    selfplay: SelfPlay = SelfPlay()
    threads: int = Field(1, ge=1, description="Threads that step the games.")
    torch_threads: int | None = Field(None, ge=1, description="Threads of PyTorch; none named: as many as it likes.")
    checkpoint_minutes: float = Field(5.0, gt=0, description="Between two checkpoints while training goes on.")
    evaluation: Evaluation = Evaluation()
    runs: str = Field("runs", description="The folder of all runs.")


def load_config(path: str | Path, changes: Sequence[str] = ()) -> TrainingConfig:
    """Read a config file and make `changes` to it.

    Args:
        path: A YAML file with keys of `TrainingConfig`.
        changes: `key=value` each, the value as YAML, sections with a dot: `ppo.epochs=3`.

    Raises:
        ConfigError: The file cannot be read, or a key or value is not allowed; every mistake is listed.
    """
    try:
        data = yaml.safe_load(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"config {path}: cannot be read: {error.strerror or error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {path}: not valid YAML: {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"config {path}: {type(data).__name__}, but keys with values are needed")
    for change in changes:
        _apply(data, change)
    return parse_config(data, str(path))


def parse_config(data: dict[str, Any], source: str) -> TrainingConfig:
    """The config in plain data; ConfigError if a key or value is not allowed."""
    try:
        return TrainingConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(
            f"config {source}:\n" + "\n".join(f"  {mistake}" for mistake in mistakes_of(error, TrainingConfig))
        ) from None


def config_text(config: TrainingConfig) -> str:
    """All of a config as YAML, as `load_config` reads it."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def _apply(data: dict[str, Any], change: str) -> None:
    key, separator, text = change.partition("=")
    if not separator or not key:
        raise ConfigError(f"change {change!r}: key=value is needed")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"change {change!r}: the value is not valid YAML: {error}") from None
    *sections, last = key.split(".")
    for section in sections:
        inner = data.setdefault(section, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"change {change!r}: {section} is no section")
        data = inner
    data[last] = value
