"""Digests of what a run reads beside its config: the files of options and of agents, and the rules of its game."""

import hashlib
from pathlib import Path
from typing import Any

from w51_agents.named.files import FileDigest, check_files, file_data, files_of, files_of_game
from w51_agents.named.registry import is_class, make_agent
from w51_agents.system.option_files import check_option_files, option_file_data
from w51_agents.training.learner_settings import POOL, SELF, LearnerConfig
from w51_agents.training.registry import trainer_spec
from w51_agents.training.settings import TrainingConfig
from w51_env.engine.game import Game


def read_files(config: TrainingConfig, game: Game) -> dict[str, Any]:
    """The files as plain data, for `check_read_files`."""
    return {"options": option_file_data(game), "agents": file_data(_of_agents(config, game))}


def check_read_files(stored: dict[str, Any], config: TrainingConfig, game: Game, folder: Path) -> None:
    """Refuse files that have changed since a run began.

    Args:
        stored: What `read_files` returned when the run began; its values are untrusted.
        config: The config of the run.
        game: Its game, made from the options that the run keeps.
        folder: Its folder, for messages.

    Raises:
        FileError: The file of an option has changed.
        AgentError: The file of an agent has changed.
    """
    check_option_files(stored.get("options"), game, "run", folder)
    check_agent_files(stored, config, game, folder)


def check_agent_files(stored: dict[str, Any], config: TrainingConfig, game: Game, folder: Path) -> None:
    """As `check_read_files`, for the files of agents alone."""
    check_files(stored.get("agents"), _of_agents(config, game), f"run {folder}")


def without_start(config: TrainingConfig) -> TrainingConfig:
    """The config of a run that goes on with its own weights: those it began with are not read again."""
    if not isinstance(config, LearnerConfig):
        return config
    return config.model_copy(update={config.section: config.settings.model_copy(update={"start": None})})


def _of_agents(config: TrainingConfig, game: Game) -> dict[str, list[FileDigest]]:
    """The files of opponents and baselines, and that of a game which is not registered; by name."""
    sizes = dict.fromkeys(config.evaluation.against, (*config.evaluation.num_players, game.num_players)[0])
    sizes |= dict.fromkeys(trainer_spec(config.trainer).opponents(config), game.num_players)
    if isinstance(config, LearnerConfig):
        sizes |= {name: kind.num_players for kind in config.settings.games for name in kind.opponent_names}
    digests = files_of_game(config.game)
    for name, num_players in sizes.items():
        if name not in (SELF, POOL, *game.bots):
            sized = game.make(**{**game.options, "num_players": num_players})
            digests[name] = files_of(name, sized, make_agent(name, sized) if is_class(name) else None)
    return digests


def rules_digest(game: Game) -> str:
    """SHA-256 of all numbers that a game's kernels read of its rules."""
    return hashlib.sha256(game.id.encode() + game.rules.tobytes()).hexdigest()
