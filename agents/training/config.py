"""The config of a training run: a YAML file, checked, with changes from the command line."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from w51_env.agents.registry import check_code
from w51_env.agents.training.old_keys import upgrade_keys
from w51_env.console.settings import mistakes_of, parse_change, parse_yaml
from w51_env.core.errors import W51Error, nearest
from w51_env.system.files import read_text

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
_MOST_BYTES = 1_000_000  #  of a config
FINAL_RATE = 0.1  #  final learning rate, as a fraction of the initial one


class ConfigError(W51Error):
    """A config that cannot be used; every mistake in it is listed with its key."""


class Section(BaseModel):
    """Base class of the sections of a config; an unknown key is an error, and numbers are finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


# What no training needs more of: larger numbers overflow in NumPy or PyTorch, or fill the memory.
_MOST = 2**31 - 1
_MOST_ENVS = 2**20
_MOST_THREADS = 1024
_MOST_GAMES = 1_000_000  #  of a match
_MOST_COEF = 1000  #  of a loss
_MOST_WEIGHTS = 500_000_000  #  between hidden layers


def _check_widths(widths: tuple[int, ...]) -> tuple[int, ...]:
    if (weights := sum(first * second for first, second in pairwise(widths))) > _MOST_WEIGHTS:
        raise ValueError(f"{weights:,} weights, but at most {_MOST_WEIGHTS:,} are allowed")
    return widths


# Widths of layers: a network of more would not fit into memory.
Widths = Annotated[
    tuple[Annotated[int, Field(ge=1, le=65_536)], ...],
    Field(min_length=1, max_length=100),
    AfterValidator(_check_widths),
]
# Names of agents; a single name may be written without brackets.
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class Optimisation(Section):
    """Settings of proximal policy optimisation (Schulman et al., arXiv:1707.06347) that both trainers have."""

    update_epochs: int = Field(2, ge=1, le=_MOST, description="Passes over the decisions of an update.")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="Initial learning rate; it falls linearly to a tenth.")
    gamma: float = Field(1.0, gt=0, le=1, description="Discount of rewards for each of the learner's own decisions.")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="Lambda of generalised advantage estimation.")
    clip_range: float = Field(0.2, gt=0, description="Clipping of the probability ratio.")


class PPO(Optimisation):
    """Settings of sb3-contrib's MaskablePPO (Huang and Ontanon, arXiv:2006.14171), for one seat of each game."""

    num_steps: int = Field(128, ge=1, le=_MOST, description="Decisions in each game between two updates.")
    minibatch_size: int = Field(4096, ge=2, le=_MOST, description="Decisions in one gradient step.")
    ent_coef: float = Field(0.01, ge=0, le=_MOST_COEF, description="Weight of the entropy bonus.")
    hidden_sizes: Widths = Field((128, 128), description="Widths of the hidden layers, of policy and value each.")


class GameKind(Section):
    """Games of one kind that self-play learns from."""

    num_players: int = Field(4, ge=2, description="Seats of each game.")
    num_envs: int = Field(ge=1, le=_MOST_ENVS, description="Number of games at once.")
    opponents: str = Field(
        "self",
        min_length=1,
        description="`self`: every seat learns; else one seat learns, against `pool` (snapshots) or an agent.",
    )


class SelfPlay(Optimisation):
    """Settings of self-play PPO, where every seat of a game may learn."""

    games: tuple[GameKind, ...] = Field(
        (GameKind(num_envs=512),), min_length=1, description="The games, of several kinds at once."
    )
    hidden_sizes: Widths = Field((256, 256), description="Widths of the hidden layers that policy and value share.")
    device: str = Field(
        "cpu", pattern=r"^(cpu|cuda(:[0-9]{1,2})?)$", description="Device of the network: `cpu` or `cuda`."
    )
    precision: Literal["float32", "bfloat16"] = Field(
        "float32", description="Precision of the network's matrix products."
    )
    num_steps: int = Field(64, ge=2, le=_MOST, description="Decisions in each game between two updates.")
    minibatch_size: int = Field(8192, ge=2, le=_MOST, description="Decisions in one gradient step.")
    ent_coef: float = Field(0.01, ge=0, le=_MOST_COEF, description="Weight of the entropy bonus at the start.")
    final_ent_coef: float = Field(
        0.002, ge=0, le=_MOST_COEF, description="Weight of the entropy bonus at the end; linear in between."
    )
    max_grad_norm: float = Field(0.5, gt=0, description="Maximum norm of a gradient, by clipping.")
    critic: Literal["local", "centralized"] = Field(
        "local",
        description="Input of the critic: the seat's observation (`local`) or those of all seats (`centralized`).",
    )
    start: str | None = Field(
        None, description="A run or checkpoint of self-play whose weights the training starts from."
    )
    base_policy: str | None = Field(
        None, description="A bot whose action is an input and biases the logits (residual policy learning)."
    )
    heuristic_features: bool = Field(False, description="Whether the game's heuristic features are inputs.")
    teacher: str | None = Field(None, description="A bot whose actions are imitated at first (kickstarting).")
    teacher_weight: float = Field(
        1.0, ge=0, le=_MOST_COEF, description="Weight of imitation at the start; it falls linearly to 0."
    )
    teacher_until: float = Field(0.2, gt=0, le=1, description="Part of the training with imitation.")
    average_kl: float = Field(
        0.0, ge=0, le=_MOST_COEF, description="Weight of the KL penalty to a moving average of the policy's weights."
    )
    average_rate: float = Field(0.01, gt=0, le=1, description="Rate of the moving average, per update.")
    pool: int = Field(8, ge=0, le=_MOST, description="Maximum number of snapshots kept as opponents.")
    pool_every: int = Field(10, ge=1, le=_MOST, description="Updates between two snapshots.")


class Evaluation(Section):
    """Matches of the learner on fixed deals against each baseline, during training and after it."""

    games: int = Field(4000, ge=2, le=_MOST_GAMES, description="Games against each baseline after training.")
    against: Names = Field(("random", "heuristic"), description="The baselines; each has all other seats.")
    num_players: tuple[int, ...] = Field(
        (), description="Numbers of players, one match for each; none: as in the game's options."
    )
    minutes: float = Field(5.0, gt=0, description="Minutes between two evaluations during training.")
    games_while_training: int = Field(
        400, ge=2, le=_MOST_GAMES, description="Games against each baseline in each evaluation during training."
    )


class TrainingConfig(Section):
    """The config of a training run."""

    name: str = Field(min_length=1, pattern=r"^[\w.-]+$", description="Name of its folder under `runs`.")
    game: str = Field("warehouse51_v0", description="Id of a registered game.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the game.")
    seed: int = Field(1, ge=0, lt=2**32, description="Seed of games, network and learning.")
    decisions: int = Field(
        gt=0, le=2**53, description="Decisions of the learner (SB3: timesteps), rounded up to whole updates."
    )
    trainer: Literal["maskable_ppo", "selfplay"] = Field(
        "maskable_ppo", description="`maskable_ppo` uses the next four keys, `selfplay` the section `selfplay`."
    )
    num_envs: int = Field(256, ge=1, le=_MOST_ENVS, description="Number of games at once.")
    opponents: Names = Field(
        ("heuristic",), min_length=1, description="Bots in the other seats; the last one takes all remaining seats."
    )
    learner_seat: int | str = Field("random", description="Seat of the learner: a number, `random` or `rotate`.")
    ppo: PPO = PPO()
    selfplay: SelfPlay = SelfPlay()
    threads: int = Field(1, ge=1, le=_MOST_THREADS, description="Threads that step the games.")
    torch_threads: int | None = Field(
        1, ge=1, le=_MOST_THREADS, description="Threads of PyTorch; null: PyTorch's default, one per core."
    )
    checkpoint_minutes: float = Field(5.0, gt=0, description="Minutes between two checkpoints during training.")
    evaluation: Evaluation = Evaluation()
    runs: str = Field("runs", pattern=r"^[^\x00]*$", description="Folder of all runs.")

    @property
    def hidden_sizes(self) -> tuple[int, ...]:
        """Widths of the hidden layers of the trainer's network."""
        return (self.selfplay if self.trainer == "selfplay" else self.ppo).hidden_sizes


KEYS_OF_TRAINER = {"maskable_ppo": ("num_envs", "opponents", "learner_seat", "ppo"), "selfplay": ("selfplay",)}


def load_config(name: str | Path, changes: Sequence[str] = (), allowed: Collection[str] = ()) -> TrainingConfig:
    """Read a config file and apply `changes`.

    Args:
        name: The path of a YAML file with keys of `TrainingConfig`, or the name of one in configs/.
        changes: `key=value` each, the value as YAML, sections with a dot: `ppo.update_epochs=3`.
        allowed: Names of games and agents whose code may be imported, `module:function` and `module:Class`, beside
            those that `changes` contain.

    Raises:
        ConfigError: The file cannot be read, or a key or value is not allowed; every mistake is listed.
        AgentError: The file names code of others that is not allowed.
    """
    path = find_config(name)
    try:
        text = read_text(path, _MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"config {path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ConfigError(f"config {path}: cannot be read: {error}") from None
    data = parse_yaml(text, f"config {path}:", ConfigError)
    if not isinstance(data, dict):
        raise ConfigError(f"config {path}: {type(data).__name__}, but keys with values are needed")
    for change in changes:
        _apply(data, change)
    config = parse_config(data, str(name))
    named = [code for code in code_of(config) if any(code in change for change in changes)]
    check_code(config.game, code_of(config), [*allowed, *named], f"config {path}")
    return config


def code_of(config: TrainingConfig) -> list[str]:
    """The game and the agents that a config names; some may be code of others."""
    games = [kind.opponents for kind in config.selfplay.games]
    return [config.game, *config.opponents, *games, *config.evaluation.against]


def find_config(name: str | Path) -> Path:
    """The file at this path, or of this name in configs/; ConfigError, listing configs/, if neither exists."""
    path = Path(name)
    for candidate in (path, CONFIGS / path.name, CONFIGS / f"{path.name}.yaml"):
        if candidate.is_file() and (candidate == path or path.name == str(name)):
            return candidate
    known = config_names()
    raise ConfigError(f"config {name}: no such file; configs/ has {', '.join(known)}{nearest(path.stem, known)}")


def config_names() -> list[str]:
    """The names of the configs that come with the repository."""
    return sorted(path.stem for path in CONFIGS.glob("*.yaml"))


def parse_config(data: dict[str, Any], source: str) -> TrainingConfig:
    """The config in plain data; ConfigError, listing every mistake, if a key or value is not allowed."""
    current, renamed = upgrade_keys(data)
    mistakes = [*renamed, *_keys_of_other_trainer(current)]
    try:
        config = TrainingConfig.model_validate(current)
    except ValidationError as error:
        mistakes += mistakes_of(error, TrainingConfig)
    if mistakes:
        raise ConfigError(f"config {source}:\n" + "\n".join(f"  {mistake}" for mistake in mistakes))
    return config


def parse_old_config(data: dict[str, Any], source: str) -> TrainingConfig:
    """The config of an earlier run: keys of earlier versions are mapped, keys of the other trainer are dropped."""
    current, _ = upgrade_keys(data)
    for key in _other_keys(current):
        current.pop(key, None)
    return parse_config(current, source)


def config_data(config: TrainingConfig) -> dict[str, Any]:
    """All settings as plain data, without those of the other trainer."""
    data = config.model_dump(mode="json")
    return {key: value for key, value in data.items() if key not in _other_keys(data)}


def config_text(config: TrainingConfig) -> str:
    """All settings as YAML, as `load_config` reads it."""
    return yaml.safe_dump(config_data(config), sort_keys=False, allow_unicode=True)


def _other_keys(data: dict[str, Any]) -> tuple[str, ...]:
    """The top-level keys of the trainers that are not chosen."""
    chosen = data.get("trainer", TrainingConfig.model_fields["trainer"].default)
    return tuple(key for trainer, keys in KEYS_OF_TRAINER.items() if trainer != chosen for key in keys)


def _keys_of_other_trainer(data: dict[str, Any]) -> list[str]:
    """A sentence for each setting that the chosen trainer does not have."""
    chosen = data.get("trainer", TrainingConfig.model_fields["trainer"].default)
    if not isinstance(chosen, str) or chosen not in KEYS_OF_TRAINER:
        return []
    found = []
    for key in _other_keys(data):
        if key in data:
            names = [f"{key}.{inner}" for inner in data[key]] if isinstance(data[key], dict) else [key]
            (trainer,) = (trainer for trainer, keys in KEYS_OF_TRAINER.items() if key in keys)
            hint = "; see selfplay.games" if key in ("num_envs", "opponents", "learner_seat") else ""
            found += [f"{name}: a setting of trainer {trainer}, but trainer is {chosen}{hint}" for name in names]
    return found


def _apply(data: dict[str, Any], change: str) -> None:
    key, value = parse_change(change, "change", ConfigError)
    *sections, last = key.split(".")
    for section in sections:
        inner = data.setdefault(section, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"change {change!r}: {section} is a value, not a section")
        data = inner
    data[last] = value
