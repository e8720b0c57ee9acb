"""The config of a training run: a YAML file, checked, with changes from the command line."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from w51_agents.agent.imports import allow_code
from w51_agents.console.settings import mistakes_of, parse_change, parse_yaml, to_yaml
from w51_agents.named.registry import check_code, code_names
from w51_agents.system.errors import reason_of
from w51_agents.system.files import is_file, read_text
from w51_agents.training.registry import registered_trainers, trainer_spec
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.errors import W51Error, few, nearest
from w51_env.engine.registry import make_game, registered_games

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = _PACKAGE / "configs", _PACKAGE.parents[1] / "configs"
CONFIGS = next((folder for folder in _FOLDERS if folder.exists()), _FOLDERS[0])  # a cluster gets the code alone
GROUPS = ("First agents", "Strong agents", "Memory", "Other games", "Responses")  # of configs
_MAX_BYTES = 1_000_000  #  of a config


class ConfigError(W51Error):
    """A config that cannot be used; every mistake in it is listed with its key."""


def load_config(name: str | Path, changes: Sequence[str] = (), allowed: Collection[str] = ()) -> TrainingConfig:
    """Read a config file and apply `changes`.

    Args:
        name: The path of a YAML file with keys of its trainer's config, or the name of one that comes along (configs/).
        changes: `key=value` each, the value as YAML, sections with a dot: `ppo.update_epochs=3`.
        allowed: Names of code that may be imported, `module:object`, beside those that `changes` contain.

    Raises:
        ConfigError: The file cannot be read, or a key or value is not allowed; the first mistakes are listed.
        AgentError: The file names third-party code that is not allowed, or no trainer.
    """
    path = find_config(name)
    try:
        text = read_text(path, _MAX_BYTES)
    except (OSError, ValueError) as error:
        raise ConfigError(f"config {path}: cannot be read: {reason_of(error)}") from None
    data = parse_yaml(text, f"config {path}:", ConfigError)
    if not isinstance(data, dict):
        raise ConfigError(f"config {path}: {type(data).__name__}, but keys with values are needed")
    for change in changes:
        _apply(data, change)
    trainer = [change.partition("=")[2] for change in changes if change.startswith("trainer=")]
    config = parse_config(data, str(name), [*allowed, *trainer])
    named = [code for code in config_code(config) if any(code in change for change in changes)]
    check_config_code(config, [*allowed, *named], f"config {path}")
    return config


def config_code(config: TrainingConfig) -> list[str]:
    """The names in a config that stand for third-party code: of its game, trainer, agents and classes."""
    spec = trainer_spec(config.trainer)
    agents = [*spec.opponents(config), *config.evaluation.against]
    return code_names(config.game, agents, [config.trainer, *spec.classes(config)])


def check_config_code(config: TrainingConfig, allowed: Collection[str], source: str) -> None:
    """AgentError if a config names code that is not `allowed`; else checkpoints may name the allowed classes, too."""
    check_code(config.game, [], allowed, source, config_code(config))
    allow_code(allowed)


def find_config(name: str | Path) -> Path:
    """The file at this path, or of this name in configs/; ConfigError, listing configs/, if neither exists."""
    path = Path(name)
    for candidate in (path, CONFIGS / path.name, CONFIGS / f"{path.name}.yaml"):
        if is_file(candidate) and (candidate == path or path.name == str(name)):
            return candidate
    raise ConfigError(f"config {name}: no such file{nearest(path.stem, config_names())}\n{listed_configs()}")


def config_names() -> list[str]:
    """The names of the configs that come with the repository."""
    return sorted(path.stem for path in CONFIGS.glob("*.yaml"))


def listed_configs() -> str:
    """The configs in groups, a line each: its name, its time and what it trains, as the first line of its file says."""
    groups = {group: list[str]() for group in GROUPS}
    for name in config_names():
        group, time, what = read_text(CONFIGS / f"{name}.yaml", _MAX_BYTES).splitlines()[0][2:].split("; ", 2)
        groups[group].append(f"  {name:20}  {time:26}  {what}")
    return "\n".join(line for group, lines in groups.items() if lines for line in (f"{group}:", *lines))


def parse_config(data: Mapping[str, Any], source: str = "dictionary", allowed: Collection[str] = ()) -> TrainingConfig:
    """The config in plain data, of the class of its trainer.

    Args:
        data: Keys and values.
        source: Where they are from, for messages.
        allowed: Names of trainers, `module:SPEC`, that may be imported.

    Raises:
        ConfigError: A key or value is not allowed; the first mistakes are listed.
        AgentError: There is no such trainer, or it is third-party code that is not allowed.
    """
    trainer = data.get("trainer", TrainingConfig.model_fields["trainer"].default)
    model, others = TrainingConfig, dict[str, str]()  # keys that only other trainers have, with the name of one
    if isinstance(trainer, str):
        check_code("", [], allowed, f"config {source}", [trainer])
        model = trainer_spec(trainer).config
        for name in registered_trainers():
            others |= dict.fromkeys(trainer_spec(name).config.model_fields.keys() - model.model_fields, name)
    mistakes = []
    for key in (key for key in data if key in others):
        names = [f"{key}.{inner}" for inner in data[key]] if isinstance(data[key], dict) else [key]
        mistakes += [f"{name}: a setting of trainer {others[key]}, but trainer is {trainer}" for name in names]
    try:
        config = model.model_validate({key: value for key, value in data.items() if key not in others})
    except ValidationError as error:
        mistakes += [_with_its_section(mistake, data, model) for mistake in mistakes_of(error, model)]
    if mistakes:
        raise ConfigError(f"config {source}:\n" + "\n".join(f"  {mistake}" for mistake in few(mistakes)))
    return config


def _with_its_section(mistake: str, data: Mapping[str, Any], model: type[TrainingConfig]) -> str:
    """The mistake; for a key that belongs to the game or to a section, where it is to be written."""
    key, unknown, _ = mistake.partition(": unknown key")
    game = data.get("game", TrainingConfig.model_fields["game"].default)
    if unknown and game in registered_games() and key in make_game(game).options:
        return f"{key}: an option of the game; write options.{key}"
    for name, field in model.model_fields.items():
        kind = field.annotation
        if unknown and isinstance(kind, type) and issubclass(kind, BaseModel) and key in kind.model_fields:
            return f"{key}: a key of {name}; write {name}.{key}"
    return mistake


def config_data(config: TrainingConfig) -> dict[str, Any]:
    """All settings as plain data."""
    return config.model_dump(mode="json")


def config_text(config: TrainingConfig) -> str:
    """All settings as YAML, as `load_config` reads it."""
    return to_yaml(config_data(config))


def _apply(data: dict[str, Any], change: str) -> None:
    key, value = parse_change(change, "change", ConfigError)
    *sections, last = key.split(".")
    for section in sections:
        inner = data.setdefault(section, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"change {change!r}: {section} is a value, not a section")
        data = inner
    data[last] = value
