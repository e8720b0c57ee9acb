"""Trainers by name: what a run, its curves and its evaluation need to know of each, in one entry."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from w51_agents.agent.imports import errors_of_others
from w51_agents.agent.interface import AgentError
from w51_agents.system.errors import needs_extra
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.errors import unknown
from w51_env.engine.game import Game
from w51_env.engine.imports import import_object


@dataclass(frozen=True, kw_only=True)
class TrainerSpec:
    """A trainer as the registry has it. Its functions are called with a config of its class.

    Attributes:
        config: Class of its configs: `TrainingConfig` with keys of its own.
        trainer: Class with the methods of `w51_agents.training.trainer.Trainer`, called with a config and the game;
            or its `module:Class`, which is imported when a run begins.
        equal_share: Win rate of equally strong agents in the games that `Update` counts; None: it counts none.
        inputs: The inputs of its policy, in words.
        opponents: The agents that the config names; may be `self` and `pool`, too.
        classes: Other names in the config; each `module:Class` is code that the user must allow.
        hidden_sizes: Widths of layers of which each state has the weights; None: unknown.
        exploit: The config with these agents as the only opponents, one in each game, in games of these numbers of
            players; None: it learns no best response.
        shares: Whether it learns in several processes, too, as a `Learner` does.
        processes: In how many of them a training is faster than in as many threads, where there are cores for them.
        start: The checkpoint that the training starts from; None: it starts from none.
        start_from: The config that starts from the checkpoint of this name, a network of this shape
            (`ActorCritic.shape`); None: it can start from none.
    """

    config: type[TrainingConfig]
    trainer: str | Callable[[Any, Game], Any]
    equal_share: Callable[[Any, Game], float | None]
    inputs: Callable[[Any], list[str]]
    opponents: Callable[[Any], list[str]]
    classes: Callable[[Any], list[str]] = lambda config: []
    hidden_sizes: Callable[[Any], Sequence[int] | None] = lambda config: None
    exploit: Callable[[Any, Sequence[str], Sequence[int]], TrainingConfig] | None = None
    shares: bool = False
    processes: Callable[[Any], int] = lambda config: 1
    start: Callable[[Any], str | None] = lambda config: None
    start_from: Callable[[Any, str, Mapping[str, Any]], TrainingConfig] | None = None

    def make(self, config: TrainingConfig, game: Game) -> Any:
        """A trainer for a config.

        Raises:
            MissingPackageError: A package that it needs is not installed.
            AgentError: Its network or its games need more memory than there is.
        """
        trainer: Any = self.trainer
        with needs_extra(f"trainer {trainer}: a package is missing", "train"):
            from w51_agents.networks.torch_settings import own_settings

            if isinstance(trainer, str):
                trainer = import_object(trainer)
        try:
            with own_settings():
                return trainer(config, game)
        except (MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "allocate" not in str(error):  # PyTorch's message
                raise
            raise AgentError(
                f"trainer {config.trainer}: its network and the decisions of an update do not fit into "
                f"memory: {str(error)[:200]}"
            ) from None


_SPECS: dict[str, str] = globals().get("_SPECS", {}) | {  # also when reloaded
    "maskable_ppo": "w51_agents.training.trainers:MASKABLE_PPO",
    "selfplay": "w51_agents.training.trainers:SELFPLAY",
}


def register_trainer(name: str, spec: str) -> None:
    """Register a trainer.

    Args:
        name: The name for configs.
        spec: `module:SPEC`, a `TrainerSpec`, which is imported at first use.

    Raises:
        AgentError: The name is taken.
    """
    if _SPECS.get(name, spec) != spec or ":" in name:
        raise AgentError(f"trainer {name!r}: this name is taken, or has a colon")
    _SPECS[name] = spec


def registered_trainers() -> tuple[str, ...]:
    """The names of all registered trainers."""
    return tuple(_SPECS)


def trainer_spec(name: str) -> TrainerSpec:
    """The entry of a trainer. Imports it, so an untrusted name is checked before.

    Args:
        name: A registered name, or `module:SPEC`.

    Raises:
        AgentError: There is no such trainer.
    """
    target = _SPECS.get(name, name)
    if ":" not in target:
        raise AgentError(unknown("trainer:", name, _SPECS, " and module:SPEC"))
    with errors_of_others(f"trainer {name!r} cannot be imported"):
        spec = import_object(target)
    if not isinstance(spec, TrainerSpec):
        raise AgentError(f"trainer {name!r}: {type(spec).__name__}, but a TrainerSpec is needed")
    return spec
