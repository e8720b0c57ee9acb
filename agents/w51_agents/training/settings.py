"""Settings that all trainers have: sections of a config, checked."""

import re
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from w51_env.engine.plain_data import is_clear

FINAL_RATE = 0.1  #  final learning rate, as a fraction of the initial one


class Section(BaseModel):
    """Base class of the sections of a config; an unknown key is an error, numbers are finite, flags are no numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _check_no_flag(cls, value: Any, info: ValidationInfo) -> Any:
        """In YAML, `yes` is True, which Pydantic would take for 1."""
        kind = str(cls.model_fields[info.field_name or ""].annotation)
        flags = [item for item in (value if isinstance(value, list | tuple) else [value]) if isinstance(item, bool)]
        if flags and "bool" not in kind and "Any" not in kind:
            raise ValueError(f"{str(flags[0]).lower()} is no value of this key")
        return value


# What no training needs more of: larger numbers overflow in NumPy or PyTorch, or fill the memory.
MAX_INT = 2**31 - 1
MAX_ENVS = 2**20
MAX_THREADS = 1024
_MAX_GAMES = 1_000_000  #  of a match
MAX_COEF = 1000  #  of a loss
_MAX_WEIGHTS = 500_000_000  #  between hidden layers


def _check_clear(name: str) -> str:
    if not is_clear(name):
        raise ValueError("a name of visible letters is needed")
    return name


def _check_folder(name: str) -> str:
    if not re.fullmatch(r"[\w.-]+", name):
        raise ValueError(
            "the name of one folder is needed: letters, digits, _, . and -; the key runs is the folder around it"
        )
    return name


def _check_widths(widths: tuple[int, ...]) -> tuple[int, ...]:
    if (weights := sum(first * second for first, second in pairwise(widths))) > _MAX_WEIGHTS:
        raise ValueError(f"{weights:,} weights, but at most {_MAX_WEIGHTS:,} are allowed")
    return widths


# Widths of layers: a network of more would not fit into memory.
Widths = Annotated[
    tuple[Annotated[int, Field(ge=1, le=65_536)], ...],
    Field(min_length=1, max_length=100),
    AfterValidator(_check_widths),
]
# The path or name of code: `module:Class`.
ClassName = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
# Names of agents; a single name may be written without brackets.
Names = Annotated[tuple[str, ...], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]
# A key that trainers of this package share.
Shaping = Annotated[
    ClassName | Literal["standing"] | None,
    Field(
        description="Potentials of reward shaping: `standing`, what each seat would have if the game ended now; or a "
        "`module:Class`; null: no shaping."
    ),
]


class Optimisation(Section):
    """Settings of optimisation that the trainers of this package share."""

    update_epochs: int = Field(2, ge=1, le=MAX_INT, description="Passes over the decisions of an update.")
    learning_rate: float = Field(1e-3, gt=0, le=1, description="Initial learning rate; it falls linearly to a tenth.")
    gamma: float = Field(1.0, gt=0, le=1, description="Discount of rewards for each of the learner's own decisions.")
    gae_lambda: float = Field(0.95, ge=0, le=1, description="Lambda of generalised advantage estimation.")


class Evaluation(Section):
    """Matches of the learner on fixed deals against each baseline, during training and after it."""

    games: int = Field(4000, ge=2, le=_MAX_GAMES, description="Games against each baseline after training.")
    against: Names = Field(("random", "heuristic"), description="The baselines; each has all other seats.")
    earlier: int = Field(
        0,
        ge=0,
        le=100,
        description="Earlier states of the learner that are kept in `earlier/`, at equal distances from the first "
        "evaluation on, and that later evaluations during training play against, too.",
    )
    reverse: bool = Field(
        True, description="Whether each baseline is, after training, also alone among copies of the learner."
    )
    num_players: tuple[int, ...] = Field(
        (), description="Numbers of players, one match for each; none: as in the game's options."
    )
    minutes: float = Field(5.0, gt=0, description="Minutes between two evaluations during training.")
    decisions: int | None = Field(
        None, ge=1, le=2**53, description="Decisions between two evaluations during training, in place of `minutes`."
    )
    games_while_training: int = Field(
        400, ge=2, le=_MAX_GAMES, description="Games against each baseline in each evaluation during training."
    )


class TrainingConfig(Section):
    """The keys of every config; a trainer has a subclass with keys of its own."""

    name: Annotated[str, AfterValidator(_check_clear), AfterValidator(_check_folder)] = Field(
        min_length=1, description="Name of its folder under `runs`."
    )
    game: str = Field("warehouse51_v1", description="Id of a registered game, or module:function.")
    options: dict[str, Any] = Field(default_factory=dict, description="Options of the game.")
    seed: int = Field(1, ge=0, lt=2**32, description="Seed of games, network and learning.")
    decisions: int = Field(
        gt=0, le=2**53, description="Decisions of the learner (SB3: timesteps), rounded up to whole updates."
    )
    trainer: str = Field("maskable_ppo", description="A registered trainer, or `module:SPEC`, a `TrainerSpec`.")
    threads: int | None = Field(
        None,
        ge=1,
        le=MAX_THREADS,
        description="Threads that play and learn; null: one for each core that this process may use. No result depends "
        "on it. `maskable_ppo`: threads that step the games; null: one.",
    )
    torch_threads: int | None = Field(
        1, ge=1, le=MAX_THREADS, description="Threads of PyTorch; null: PyTorch's default, one per core."
    )
    checkpoint_minutes: float = Field(5.0, gt=0, description="Minutes between two checkpoints during training.")
    snapshots: int = Field(
        0,
        ge=0,
        le=1000,
        description="Checkpoints that are kept in `snapshots/`, at equal distances in the second half of training.",
    )
    evaluation: Evaluation = Evaluation()
    runs: str = Field("runs", pattern=r"^[^\x00]*$", description="Folder of all runs.")
